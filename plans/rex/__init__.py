"""Row expressions of plans: their nodes, their JSON, the types of calls."""

from compiled_plan.plans.rex.codec import rex_from_json, rex_to_json
from compiled_plan.plans.rex.java import JavaFunction, UserFunction, java_function
from compiled_plan.plans.rex.nodes import (
    CASTS,
    Call,
    CorrelVariable,
    FieldAccess,
    InputRef,
    Literal,
    PatternInputRef,
    Range,
    RexNode,
    Sarg,
    flattened,
    fold,
    input_refs,
    map_inputs,
    transform,
    type_of,
    walk,
)
from compiled_plan.plans.rex.python import PythonFunction, called_name, calls_python, python_function

__all__ = [
    "CASTS",
    "Call",
    "CorrelVariable",
    "FieldAccess",
    "InputRef",
    "JavaFunction",
    "Literal",
    "PatternInputRef",
    "PythonFunction",
    "Range",
    "RexNode",
    "Sarg",
    "UserFunction",
    "called_name",
    "calls_python",
    "flattened",
    "fold",
    "input_refs",
    "java_function",
    "map_inputs",
    "python_function",
    "rex_from_json",
    "rex_to_json",
    "transform",
    "type_of",
    "walk",
]
