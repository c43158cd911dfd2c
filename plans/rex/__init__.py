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

__all__ = [
    "Call",
    "CorrelVariable",
    "FieldAccess",
    "InputRef",
    "Literal",
    "PatternInputRef",
    "Range",
    "RexNode",
    "Sarg",
    "input_refs",
    "map_inputs",
    "rex_from_json",
    "rex_to_json",
    "transform",
    "type_of",
    "walk",
]
