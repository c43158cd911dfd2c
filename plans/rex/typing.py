"""Type-checking row expressions: references, literals, calls.

An expression says its own type everywhere, so a check never infers more than one step: what a reference names, what a
literal holds, what a call may have as operands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from plans.findings import Fault, shown
from plans.rex.literals import literal_remedy, value_fits
from plans.rex.nodes import (
    Call,
    CorrelVariable,
    FieldAccess,
    InputRef,
    Literal,
    PatternInputRef,
    RexNode,
    Sarg,
)
from plans.rex.signatures import call_fault
from plans.types import BooleanType, FieldsType, LogicalType, NullType
from plans.types.likeness import alike

Path = tuple[str | int, ...]
Columns = Sequence[LogicalType]


def expression_faults(
    rex: RexNode, columns: Columns, path: Path, wanted: LogicalType | None = None, outer: LogicalType | None = None
) -> Iterator[Fault]:
    """What is wrong within an expression.

    Args:
        rex: the expression.
        columns: the types of the columns that it may refer to.
        path: where it stands.
        wanted: the type that it must have; None for any.
        outer: the type of the row that correlation variables stand for; None where there are none.
    """
    found = list(_CHECKS[type(rex)](rex, columns, path, outer))
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


def _reference(rex: InputRef | PatternInputRef, columns: Columns, path: Path, _: object) -> Iterator[Fault]:
    if not 0 <= rex.index < len(columns):
        yield Fault(
            (*path, "inputIndex"),
            f"no column {rex.index}: there are {len(columns)} columns",
            f"columns are numbered 0 to {len(columns) - 1}",
            rex.index,
        )
    elif not alike(rex.type, columns[rex.index]):
        yield Fault(
            (*path, "type"),
            f"column {rex.index} is {columns[rex.index]}, and the reference says {rex.type}",
            "correct the index or the type",
            str(rex.type),
        )


def _literal(rex: Literal, columns: Columns, path: Path, _: object) -> Iterator[Fault]:
    if not value_fits(rex.value, rex.type, rex.symbol):
        message = f"the constant {shown(rex.value)} is not of type {rex.type}"
        yield Fault((*path, "value"), message, literal_remedy(rex.type), rex.value)


def _sarg(rex: Sarg, columns: Columns, path: Path, _: object) -> Iterator[Fault]:
    at = (*path, "sarg")
    if rex.null_as not in ("TRUE", "FALSE", "UNKNOWN"):
        remedy = "known: TRUE, FALSE, UNKNOWN"
        yield Fault((*at, "nullAs"), f"unknown value {rex.null_as!r} for `nullAs`", remedy, rex.null_as)
    for number, part in enumerate(rex.ranges):
        for name, there, value in (("lower", part.has_lower, part.lower), ("upper", part.has_upper, part.upper)):
            if there and (value is None or not value_fits(value, rex.type)):
                message = f"the bound {shown(value)} is not of type {rex.type}"
                yield Fault((*at, "ranges", number, name, "value"), message, literal_remedy(rex.type), value)


def _call(rex: Call, columns: Columns, path: Path, outer: LogicalType | None) -> Iterator[Fault]:
    below: list[Fault] = []
    for at, operand in enumerate(rex.operands):
        below += _CHECKS[type(operand)](operand, columns, (*path, "operands", at), outer)
    yield from below
    if not below:
        types = tuple(type_within(operand) for operand in rex.operands)
        fault = call_fault(rex, tuple(type_ for type_ in types if type_ is not None))
        if fault is not None:
            yield replace(fault, path=(*path, *fault.path))


def _field(rex: FieldAccess, columns: Columns, path: Path, outer: LogicalType | None) -> Iterator[Fault]:
    below = list(_CHECKS[type(rex.expr)](rex.expr, columns, (*path, "expr"), outer))
    yield from below
    row = None if below else outer if isinstance(rex.expr, CorrelVariable) else type_within(rex.expr)
    if not below and not isinstance(row, FieldsType):
        yield Fault((*path, "expr"), f"{row} has no fields", "read a field of a ROW or STRUCTURED type")
    elif isinstance(row, FieldsType) and row.field_named(rex.name) is None:
        yield Fault((*path, "name"), f"no field {rex.name!r} in {row}", f"fields: {', '.join(row.names)}", rex.name)


def _correlation(rex: CorrelVariable, columns: Columns, path: Path, outer: LogicalType | None) -> Iterator[Fault]:
    if outer is None:
        remedy = "read a column by INPUT_REF"
        yield Fault(path, f"the correlation variable {rex.name} stands outside of a correlate", remedy, rex.name)
    elif not _begins_with(rex.type, outer):
        message = f"{rex.name} is {outer}, and the expression says {rex.type}"
        yield Fault((*path, "type"), message, "correct the type", str(rex.type))


def _begins_with(given: LogicalType, outer: LogicalType) -> bool:
    """Whether a correlation variable's type has the fields of the outer row; Flink adds those of the function."""
    assert isinstance(outer, FieldsType)
    if not isinstance(given, FieldsType) or given.names[: len(outer.fields)] != outer.names:
        return False
    return all(map(alike, given.types, outer.types))


_CHECKS: Mapping[type[RexNode], Callable[[Any, Columns, Path, LogicalType | None], Iterator[Fault]]] = {
    InputRef: _reference,
    PatternInputRef: _reference,
    Literal: _literal,
    Sarg: _sarg,
    Call: _call,
    FieldAccess: _field,
    CorrelVariable: _correlation,
}
