"""OBJECT_OF and OBJECT_UPDATE: structured types declared inline.

Source: FLIP-520; Flink 2.3's plans.
"""

from __future__ import annotations

from compiled_plan.planner.functions.signatures import ANY, COMPOSITE, TEXT_LITERAL, Function, Operands, form
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.rex import Literal, type_of
from compiled_plan.plans.types import Field, LogicalType, StructuredType, check_structured


def _names(operands: Operands, function: str) -> list[str]:
    """The field names among alternating names and values."""
    if len(operands) % 2:
        raise ProgramError(f"{function} needs a value for every field", remedy=f"write {function}(..., 'field', value)")
    names: list[str] = []
    for at, name in enumerate(operands[::2], start=1):
        if not (isinstance(name, Literal) and isinstance(name.value, str)):
            raise ProgramError(
                f"the field names of {function} must be text literals, and that of pair {at} is none",
                remedy="write the name between quotes: 'field'",
            )
        if name.value in names:
            raise ProgramError(f"{function} names the field {name.value} twice", remedy="name every field once")
        names.append(name.value)
    return names


def _object_of(operands: Operands) -> LogicalType:
    names = _names(operands[1:], "OBJECT_OF")
    fields = tuple(Field(name, type_of(value)) for name, value in zip(names, operands[2::2], strict=True))
    name = str(operands[0].value) if isinstance(operands[0], Literal) else ""
    return StructuredType(class_name=check_structured(name), fields=fields)


def _object_update(operands: Operands) -> LogicalType:
    type_ = type_of(operands[0])
    if not isinstance(type_, StructuredType):
        raise ProgramError(f"OBJECT_UPDATE needs a structured value, got {type_}", remedy="make one with OBJECT_OF")
    changed = dict(zip(_names(operands[1:], "OBJECT_UPDATE"), operands[2::2], strict=True))
    for name in changed:
        if type_.field_named(name) is None:
            raise ProgramError(f"{type_.class_name} has no field {name}", remedy=f"it has {', '.join(type_.names)}")
    fields = tuple(
        Field(field.name, type_of(changed[field.name])) if field.name in changed else field for field in type_.fields
    )
    return StructuredType(class_name=type_.class_name, fields=fields, nullable=type_.nullable)


FUNCTIONS: tuple[Function, ...] = (
    Function("OBJECT_OF", (form(TEXT_LITERAL, rest=ANY),), _object_of),
    Function("OBJECT_UPDATE", (form(COMPOSITE, rest=ANY),), _object_update),
)
