"""Type-checking row expressions: references, literals, calls.

An expression says its own type everywhere, so a check never infers more than one step: what a reference names, what a
literal holds, what a call may have as operands.
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
#: The types of which a run reads no constants.
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
    """Faults within an expression over such columns, which stands at `path`.

    `wanted` is the type that it must have, None for any; `outer` the type of the row that correlation variables stand
    for.
    """
    within = fold(rex, lambda node, below: _faults_of(node, below, columns, outer))
    found = [replace(fault, path=(*path, *fault.path)) for fault in within]
    yield from found
    if all(fault.editable for fault in found) and wanted is not None:
        given = type_within(rex)
        if given is not None and not alike(given, wanted) and not _is_null(rex):
            yield Fault(
                (*path, "type"),
                f"an expression of type {given} stands where {wanted} is needed",
                f"make it {wanted}, or correct what needs it",
                str(given),
            )


def condition_faults(
    rex: RexNode | None, columns: Columns, path: Path, outer: LogicalType | None = None
) -> Iterator[Fault]:
    """What is wrong within a condition: also that it is not BOOLEAN."""
    if rex is None:
        return
    found = list(expression_faults(rex, columns, path, outer=outer))
    yield from found
    given = type_within(rex) if all(fault.editable for fault in found) else None
    if given is not None and not isinstance(given, BooleanType):
        message = f"a condition must be BOOLEAN, not {given}"
        yield Fault((*path, "type"), message, "compile the plan again, or correct the expression", str(given))


def type_within(rex: RexNode) -> LogicalType | None:
    """The type of an expression; None where a field that it reads is not there."""
    if isinstance(rex, FieldAccess):
        row = type_within(rex.expr)
        field = row.field_named(rex.name) if isinstance(row, FieldsType) else None
        return None if field is None else field.type
    found = getattr(rex, "type", None)
    return found if isinstance(found, LogicalType) else None


def _is_null(rex: RexNode) -> bool:
    return isinstance(rex, Literal) and rex.value is None and isinstance(rex.type, NullType)


def _faults_of(
    rex: RexNode, below: tuple[tuple[Fault, ...], ...], columns: Columns, outer: LogicalType | None
) -> tuple[Fault, ...]:
    """The faults of an expression: its children's, `below`, or its own; paths begin at the expression."""
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


def _begins_with(given: LogicalType, outer: LogicalType) -> bool:
    """Whether a correlation variable's type has the fields of the outer row; Flink adds those of the function."""
    assert isinstance(outer, FieldsType)
    if not isinstance(given, FieldsType) or given.names[: len(outer.fields)] != outer.names:
        return False
    return all(map(alike, given.types, outer.types))


_CHECKS: Mapping[type[RexNode], Callable[[Any, Columns, LogicalType | None], Iterator[Fault]]] = {
    InputRef: _reference,
    PatternInputRef: _reference,
    Literal: _literal,
    Sarg: _sarg,
    Call: _call,
    FieldAccess: _field,
    CorrelVariable: _correlation,
}
