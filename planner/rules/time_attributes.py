"""Time attributes become plain timestamps where they stop being one: in joins, in groups, in calls, in sinks.

A rowtime stays what it is through projections, filters, unions, ranks and into a sink; a processing time is read off
the clock where it is used.

Source: Flink's "Time Attributes" page; where Flink's plans cast them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from planner.algebra.nodes import (
    Aggregate,
    Correlate,
    Expand,
    Filter,
    Join,
    JoinKind,
    Project,
    Rank,
    RelNode,
    SetOp,
    Sink,
    identity,
    join_row_type,
)
from planner.algebra.timed import OverAggregate, TemporalJoin
from planner.algebra.traverse import map_expressions, rewrite_all
from planner.rules.interval_joins import interval_of
from plans.rex import Call, InputRef, RexNode, transform, type_of
from plans.types import Field, LogicalType, RowType, TimeKind, TimestampBase


def materialize_time(sinks: tuple[RelNode, ...]) -> tuple[RelNode, ...]:
    """The statements with their time attributes cast where plain timestamps are needed."""
    return rewrite_all(sinks, _materialized)


def _is_time(type_: LogicalType) -> bool:
    return isinstance(type_, TimestampBase) and type_.is_time_attribute


def _is_proctime(type_: LogicalType) -> bool:
    return isinstance(type_, TimestampBase) and type_.kind is TimeKind.PROCTIME


def _plain(rex: RexNode) -> RexNode:
    """The value of a time attribute."""
    type_ = type_of(rex)
    if not isinstance(type_, TimestampBase) or not type_.is_time_attribute:
        return rex
    if type_.kind is TimeKind.PROCTIME:
        return Call("$PROCTIME_MATERIALIZE$1", (rex,), type_.as_regular())
    return Call("$CAST$1", (rex,), type_.as_regular(), "SPECIAL")


def _materialized(rel: RelNode) -> RelNode:
    if isinstance(rel, Project | Filter | Join):
        rel = _retyped(rel)
    match rel:
        case Project():
            exprs = tuple(rex if isinstance(rex, InputRef) else _operands(rex) for rex in rel.exprs)
            return replace(rel, exprs=exprs, columns=_kinds_of(rel.columns, tuple(map(type_of, exprs))))
        case Filter():
            return replace(rel, condition=_operands(rel.condition))
        case Join():
            if interval_of(rel) is not None:
                return rel
            made = replace(rel, left=_all(rel.left), right=_all(rel.right))
            return _retyped(made)
        case Correlate():
            return _retyped(rel)
        case TemporalJoin():
            return _temporal(rel)
        case Aggregate():
            return _aggregate(rel)
        case Rank():
            return replace(rel, columns=_kinds_of(rel.columns, rel.input.row_type.types))
        case Expand():
            return _expansion(rel)
        case OverAggregate():
            return replace(rel, columns=_kinds_of(rel.columns, rel.input.row_type.types))
        case SetOp():
            return _union(rel)
        case Sink():
            return replace(rel, input=_columns(rel.input, _is_proctime))
    return rel


def _retyped(rel: RelNode) -> RelNode:
    """The node with the kinds of time in its column references those of its inputs."""
    types: tuple[LogicalType, ...] = tuple(type_ for child in rel.inputs for type_ in child.row_type.types)
    if isinstance(rel, Join | Correlate | TemporalJoin):
        types = join_row_type(rel.inputs[0].row_type, rel.inputs[1].row_type, JoinKind.INNER).types

    def change(node: RexNode) -> RexNode:
        if isinstance(node, InputRef) and isinstance(node.type, TimestampBase):
            return replace(node, type=_kind_of(node.type, types[node.index]))
        return node

    return map_expressions(rel, lambda rex: transform(rex, change))


def _kind_of(type_: LogicalType, like: LogicalType) -> LogicalType:
    if isinstance(type_, TimestampBase) and isinstance(like, TimestampBase):
        return replace(type_, kind=like.kind)
    return type_


def _kinds_of(row: RowType, types: Sequence[LogicalType]) -> RowType:
    """The row with the kinds of time of `types`; columns behind those stay."""
    fields = [replace(item, type=_kind_of(item.type, like)) for item, like in zip(row.fields, types, strict=False)]
    return RowType(fields=(*fields, *row.fields[len(fields) :]))


def _expansion(rel: Expand) -> RelNode:
    made = _retyped(rel)
    assert isinstance(made, Expand)
    return replace(made, columns=_kinds_of(made.columns, tuple(map(type_of, made.projects[0]))))


def _operands(rex: RexNode) -> RexNode:
    """The expression with plain timestamps for the time attributes that its calls take."""
    children = rex.children()
    if not children:
        return rex
    if isinstance(rex, Call) and rex.name == "$PROCTIME_MATERIALIZE$1":
        return rex
    found = rex.with_children(tuple(_plain(_operands(child)) for child in children))
    if isinstance(found, Call) and found.name == "$CAST$1" and found.type == type_of(found.operands[0]):
        # A rowtime cast to its own type: becoming a plain timestamp was all.
        return found.operands[0]
    return found


def _columns(rel: RelNode, check: Callable[[LogicalType], bool]) -> RelNode:
    """The input with the columns that pass the test as plain timestamps."""
    row = rel.row_type
    if not any(check(type_) for type_ in row.types):
        return rel
    exprs = tuple(_plain(rex) if check(rex.type) else rex for rex in identity(row))
    fields = tuple(Field(item.name, type_of(rex), item.comment) for item, rex in zip(row.fields, exprs, strict=True))
    return Project(rel, exprs, RowType(fields=fields))


def _all(rel: RelNode) -> RelNode:
    return _columns(rel, _is_time)


def _temporal(rel: TemporalJoin) -> RelNode:
    """A temporal join: the times of the left side stay times, those of the versions become plain timestamps."""
    made = _retyped(rel)
    row = made.row_type
    width = len(rel.left.row_type.fields)
    if not any(map(_is_time, row.types[width:])):
        return made
    exprs = tuple(_plain(rex) if rex.index >= width else rex for rex in identity(row))
    fields = tuple(replace(item, type=type_of(rex)) for item, rex in zip(row.fields, exprs, strict=True))
    return Project(made, exprs, RowType(fields=fields))


def _aggregate(rel: Aggregate) -> RelNode:
    source = _all(rel.input)
    fields = list(rel.columns.fields)
    for at, item in enumerate(fields):
        if isinstance(item.type, TimestampBase):
            fields[at] = replace(item, type=item.type.as_regular())
    calls = tuple(
        replace(call, type=call.type.as_regular() if isinstance(call.type, TimestampBase) else call.type)
        for call in rel.calls
    )
    return replace(rel, input=source, calls=calls, columns=RowType(fields=tuple(fields)))


def _union(rel: SetOp) -> RelNode:
    """A union whose inputs agree on what is a time attribute keeps it."""
    kinds = [tuple(_kind(type_) for type_ in source.row_type.types) for source in rel.sources]
    if len(set(kinds)) > 1:
        rel = replace(rel, sources=tuple(map(_all, rel.sources)))
    return replace(rel, columns=_kinds_of(rel.columns, rel.sources[0].row_type.types))


def _kind(type_: LogicalType) -> TimeKind:
    return type_.kind if isinstance(type_, TimestampBase) else TimeKind.REGULAR
