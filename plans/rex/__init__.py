"""Row expressions: nodes, JSON form."""

from plans.rex.codec import rex_from_json, rex_to_json
from plans.rex.nodes import (
    Call,
    CorrelVariable,
    FieldAccess,
    InputRef,
    Literal,
    PatternInputRef,
    Range,
    RexNode,
    Sarg,
    input_refs,
    map_inputs,
    transform,
    type_of,
    walk,
)
from plans.rex.python import PythonFunction, calls_python, python_function

__all__ = [
    "Call",
    "CorrelVariable",
    "FieldAccess",
    "InputRef",
    "Literal",
    "PatternInputRef",
    "PythonFunction",
    "Range",
    "RexNode",
    "Sarg",
    "calls_python",
    "input_refs",
    "map_inputs",
    "python_function",
    "rex_from_json",
    "rex_to_json",
    "transform",
    "type_of",
    "walk",
]
