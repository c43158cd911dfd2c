"""Type-checking row expressions: references, literals, calls.

Every expression states its type, so a check infers at most one step: the referenced column, the literal's value, the
operands that a call may have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from compiled_plan.plans.findings import Fault, refusal, shown
from compiled_plan.plans.rex.literals import literal_remedy, value_fits
from compiled_plan.plans.rex.nodes import (
    Call,
    CorrelVariable,
    FieldAccess,
    InputRef,
    Literal,
    PatternInputRef,
    RexNode,
    Sarg,
    fold,
)
from compiled_plan.plans.rex.signatures import call_fault
from compiled_plan.plans.types import (
    ArrayType,
    BooleanType,
    DescriptorType,
    FieldsType,
    LogicalType,
    MapType,
    MultisetType,
    NullType,
    RawType,
    TimestampTzType,
    VariantType,
)
from compiled_plan.plans.types.likeness import alike

Path = tuple[str | int, ...]
#: Types without constants at runtime.
_WITHOUT_CONSTANTS = (
    ArrayType,
    MapType,
    MultisetType,
    FieldsType,
    RawType,
    VariantType,
    TimestampTzType,
    DescriptorType,
)
Columns = Sequence[LogicalType]


def expression_faults(
    rex: RexNode, columns: Columns, path: Path, wanted: LogicalType | None = None, outer: LogicalType | None = None
) -> Iterator[Fault]:
    """Faults in an expression over such columns, located at `path`.

    `wanted` is the required type, None for any; `outer` the row type of correlation variables.
    """
    within = fold(rex, lambda node, below: _faults_of(node, below, columns, outer))
    faults = [replace(fault, path=(*path, *fault.path)) for fault in within]
    yield from faults
    if all(fault.editable for fault in faults) and wanted is not None:
        actual = type_within(rex)
        if actual is not None and not alike(actual, wanted) and not _is_null(rex):
            yield Fault(
                (*path, "type"),
                f"an expression of type {actual} stands where {wanted} is needed",
                f"make it {wanted}, or correct what needs it",
                str(actual),
            )


def condition_faults(
    rex: RexNode | None, columns: Columns, path: Path, outer: LogicalType | None = None
) -> Iterator[Fault]:
    """Faults in a condition, including a type other than BOOLEAN."""
    if rex is None:
        return
    faults = list(expression_faults(rex, columns, path, outer=outer))
    yield from faults
    actual = type_within(rex) if all(fault.editable for fault in faults) else None
    if actual is not None and not isinstance(actual, BooleanType):
        message = f"a condition must be BOOLEAN, not {actual}"
        yield Fault((*path, "type"), message, "compile the plan again, or correct the expression", str(actual))


def type_within(rex: RexNode) -> LogicalType | None:
    """The type of an expression; None if it reads a missing field."""
    if isinstance(rex, FieldAccess):
        row = type_within(rex.expr)
        field = row.field_named(rex.name) if isinstance(row, FieldsType) else None
        return None if field is None else field.type
    result = getattr(rex, "type", None)
    return result if isinstance(result, LogicalType) else None


def _is_null(rex: RexNode) -> bool:
    return isinstance(rex, Literal) and rex.value is None and isinstance(rex.type, NullType)


def _faults_of(
    rex: RexNode, below: tuple[tuple[Fault, ...], ...], columns: Columns, outer: LogicalType | None
) -> tuple[Fault, ...]:
    """The faults of the children (`below`), or else those of the expression; paths are relative to the expression."""
    if any(below):
        return tuple(
            replace(fault, path=(*_step(rex, at), *fault.path)) for at, faults in enumerate(below) for fault in faults
        )
    return tuple(_CHECKS[type(rex)](rex, columns, outer))


def _step(rex: RexNode, at: int) -> Path:
    return ("expr",) if isinstance(rex, FieldAccess) else ("operands", at)


def _reference(rex: InputRef | PatternInputRef, columns: Columns, _: object) -> Iterator[Fault]:
    if not 0 <= rex.index < len(columns):
        yield Fault(
            ("inputIndex",),
            f"no column {rex.index}: there are {len(columns)} columns",
            f"columns are numbered 0 to {len(columns) - 1}",
            rex.index,
        )
    elif not alike(rex.type, columns[rex.index]):
        yield Fault(
            ("type",),
            f"column {rex.index} is {columns[rex.index]}, and the reference says {rex.type}",
            "correct the index or the type",
            str(rex.type),
        )


def _literal(rex: Literal, columns: Columns, _: object) -> Iterator[Fault]:
    if rex.value is not None and isinstance(rex.type, _WITHOUT_CONSTANTS):
        yield refusal(("type",), f"constants of type {rex.type}", "compute the value", str(rex.type))
    elif not value_fits(rex.value, rex.type, rex.symbol):
        message = f"the constant {shown(rex.value)} is not of type {rex.type}"
        yield Fault(("value",), message, literal_remedy(rex.type), rex.value)


def _sarg(rex: Sarg, columns: Columns, _: object) -> Iterator[Fault]:
    at = ("sarg",)
    if rex.null_as not in ("TRUE", "FALSE", "UNKNOWN"):
        remedy = "known: TRUE, FALSE, UNKNOWN"
        yield Fault((*at, "nullAs"), f"unknown value {rex.null_as!r} for `nullAs`", remedy, rex.null_as)
    for number, part in enumerate(rex.ranges):
        for name, there, value in (("lower", part.has_lower, part.lower), ("upper", part.has_upper, part.upper)):
            if there and (value is None or not value_fits(value, rex.type)):
                message = f"the bound {shown(value)} is not of type {rex.type}"
                yield Fault((*at, "ranges", number, name, "value"), message, literal_remedy(rex.type), value)


def _call(rex: Call, columns: Columns, outer: LogicalType | None) -> Iterator[Fault]:
    types = tuple(type_within(operand) for operand in rex.operands)
    fault = call_fault(rex, tuple(type_ for type_ in types if type_ is not None))
    if fault is not None:
        yield fault


def _field(rex: FieldAccess, columns: Columns, outer: LogicalType | None) -> Iterator[Fault]:
    row = outer if isinstance(rex.expr, CorrelVariable) else type_within(rex.expr)
    if not isinstance(row, FieldsType):
        yield Fault(("expr",), f"{row} has no fields", "read a field of a ROW or STRUCTURED type")
    elif row.field_named(rex.name) is None:
        yield Fault(("name",), f"no field {rex.name!r} in {row}", f"fields: {', '.join(row.names)}", rex.name)


def _correlation(rex: CorrelVariable, columns: Columns, outer: LogicalType | None) -> Iterator[Fault]:
    if outer is None:
        remedy = "read a column by INPUT_REF"
        yield Fault((), f"the correlation variable {rex.name} stands outside of a correlate", remedy, rex.name)
    elif not _begins_with(rex.type, outer):
        message = f"{rex.name} is {outer}, and the expression says {rex.type}"
        yield Fault(("type",), message, "correct the type", str(rex.type))


def _begins_with(actual: LogicalType, outer: LogicalType) -> bool:
    """Return True if a correlation variable's type starts with the outer row's fields; Flink appends the function's."""
    assert isinstance(outer, FieldsType)
    if not isinstance(actual, FieldsType) or actual.names[: len(outer.fields)] != outer.names:
        return False
    return all(map(alike, actual.types, outer.types))


_CHECKS: Mapping[type[RexNode], Callable[[Any, Columns, LogicalType | None], Iterator[Fault]]] = {
    InputRef: _reference,
    PatternInputRef: _reference,
    Literal: _literal,
    Sarg: _sarg,
    Call: _call,
    FieldAccess: _field,
    CorrelVariable: _correlation,
}
