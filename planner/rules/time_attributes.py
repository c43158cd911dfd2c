"""Materialization of time attributes into plain timestamps: in joins, groups, calls and sinks.

A rowtime stays one through projections, filters, unions, ranks and into a sink; a processing time is read from the
clock where it is used.

Source: Flink's "Time Attributes" page; the casts in Flink's plans.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compiled_plan.planner.algebra.expressions import is_call
from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.algebra.nodes import (
    Aggregate,
    Barrier,
    Correlate,
    Expand,
    Filter,
    Join,
    Project,
    Rank,
    RelNode,
    Scan,
    SetOp,
    Sink,
    Sort,
    TableFunctionScan,
    Values,
    WatermarkAssigner,
)
from compiled_plan.planner.algebra.plain_times import plain, with_plain_columns, with_plain_operands
from compiled_plan.planner.algebra.rows import identity, join_row_type, named_row
from compiled_plan.planner.algebra.timed import IntervalJoin, OverAggregate, TemporalJoin
from compiled_plan.planner.algebra.traverse import map_expressions, rewrite_all, share
from compiled_plan.planner.algebra.windows import GroupWindowAggregate, WindowTable
from compiled_plan.planner.diagnostics.internal import unknown_node
from compiled_plan.planner.options.settings import Settings
from compiled_plan.planner.rules.helpers.time_bounds import time_bounds
from compiled_plan.planner.rules.helpers.window_aggregates import as_window_aggregate
from compiled_plan.planner.rules.helpers.window_columns import Windows
from compiled_plan.planner.rules.helpers.window_joins import as_window_join, as_window_rank
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.rex import Call, InputRef, RexNode, transform, type_of
from compiled_plan.plans.types import LogicalType, RowType, TimeKind, TimestampBase
from compiled_plan.plans.types.temporal import is_attribute, is_proctime, time_kind


def materialize_time(trees: Sequence[RelNode], settings: Settings) -> tuple[RelNode, ...]:
    """The statements with time attributes cast where plain timestamps are required; equal subtrees are shared."""
    windows = Windows()
    return share(rewrite_all(trees, lambda rel: _materialized(rel, windows)))


def _materialized(rel: RelNode, windows: Windows) -> RelNode:
    if isinstance(rel, Project | Filter | Join):
        rel = _retyped(rel)
    match rel:
        case Project():
            exprs = tuple(rex if _stays(rex) else with_plain_operands(rex) for rex in rel.exprs)
            return replace(rel, exprs=exprs, columns=_kinds_of(rel.columns, tuple(map(type_of, exprs))))
        case Filter():
            return replace(rel, condition=with_plain_operands(rel.condition))
        case Join():
            windowed = as_window_join(rel, windows)
            if windowed is not None:
                return windowed
            bounds = time_bounds(rel)
            if bounds is not None:
                return IntervalJoin(rel.left, rel.right, rel.kind, rel.condition, bounds)
            return _retyped(replace(rel, left=with_plain_columns(rel.left), right=with_plain_columns(rel.right)))
        case Correlate():
            return _retyped(rel)
        case TemporalJoin():
            return _temporal(rel)
        case Aggregate():
            return as_window_aggregate(rel, windows) or _aggregate(rel)
        case GroupWindowAggregate():
            return _group_window(rel)
        case WindowTable():
            return _window_table(rel)
        case Rank():
            rel = replace(rel, columns=_kinds_of(rel.columns, rel.input.row_type.types))
            return as_window_rank(rel, windows) or rel
        case Expand():
            return _expansion(rel)
        case OverAggregate():
            return replace(rel, columns=_kinds_of(rel.columns, rel.input.row_type.types))
        case SetOp():
            return _union(rel)
        case Sink():
            return replace(rel, input=with_plain_columns(rel.input, is_proctime))
        case Barrier() | Scan() | Sort() | TableFunctionScan() | Values() | WatermarkAssigner():
            return rel
    raise unknown_node("materializing time attributes", rel)


def _stays(rex: RexNode) -> bool:
    """Return True if a value keeps its type: a column, or the rowtime that a source computes."""
    return isinstance(rex, InputRef) or is_call(rex, "$REINTERPRET$1")


def _retyped(rel: RelNode) -> RelNode:
    """The node with the time kinds of its column references taken from its inputs."""
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
    """The row with the time kinds of `types`; columns behind those are unchanged."""
    fields = [replace(item, type=_kind_of(item.type, like)) for item, like in zip(row.fields, types, strict=False)]
    return RowType(fields=(*fields, *row.fields[len(fields) :]))


def _expansion(rel: Expand) -> RelNode:
    retyped = _retyped(rel)
    assert isinstance(retyped, Expand)
    return replace(retyped, columns=_kinds_of(retyped.columns, tuple(map(type_of, retyped.projects[0]))))


def _temporal(rel: TemporalJoin) -> RelNode:
    """A temporal join: times of the left side stay attributes, those of the versions become plain timestamps."""
    retyped = _retyped(rel)
    row = retyped.row_type
    width = len(rel.left.row_type.fields)
    if not any(map(is_attribute, row.types[width:])):
        return retyped
    exprs = tuple(plain(rex) if rex.index >= width else rex for rex in identity(row))
    fields = tuple(replace(item, type=type_of(rex)) for item, rex in zip(row.fields, exprs, strict=True))
    return Project(retyped, exprs, RowType(fields=fields))


def _aggregate(rel: Aggregate) -> RelNode:
    fields = tuple(replace(item, type=item.type.as_regular()) for item in rel.columns.fields)
    calls = tuple(replace(call, type=call.type.as_regular()) for call in rel.calls)
    return replace(rel, input=with_plain_columns(rel.input), calls=calls, columns=RowType(fields=fields))


def _window_table(rel: WindowTable) -> RelNode:
    _check_time(rel.window.kind.value, rel.input.row_type, rel.index)
    return rel


def _group_window(rel: GroupWindowAggregate) -> RelNode:
    """The aggregate with plain timestamps for grouped and aggregated times, except the time of its windows."""
    row = rel.input.row_type
    read = {*rel.grouping, *(index for call in rel.calls for index in call.args)}
    if not any(is_attribute(row.types[index]) for index in read):
        return rel
    # The windows' time attribute follows the plain columns.
    time = InputRef(rel.index, row.types[rel.index])
    exprs = (*map(plain, identity(row)), time)
    source = Project(rel.input, exprs, named_row((*row.names, row.names[rel.index]), tuple(map(type_of, exprs))))
    calls = tuple(replace(call, type=call.type.as_regular()) for call in rel.calls)
    count = len(rel.grouping) + len(calls)
    fields = (
        *(replace(item, type=item.type.as_regular()) for item in rel.columns.fields[:count]),
        *rel.columns.fields[count:],
    )
    return replace(rel, input=source, calls=calls, index=len(exprs) - 1, columns=RowType(fields=fields))


def _check_time(consumer: str, row: RowType, index: int) -> None:
    """Raise for windows over a column that is no time attribute any more.

    Raises:
        ProgramError: it is a plain timestamp.
    """
    if not is_attribute(row.types[index]):
        raise ProgramError(
            f"{consumer} requires the time column to be a time attribute, but {row.names[index]} is "
            f"{row.types[index].text()}",
            remedy="make the windows before what turns the time attribute into a plain timestamp (a join, a GROUP BY, "
            "an expression)",
        )


def _union(rel: SetOp) -> RelNode:
    """A union keeps time attributes that its inputs agree on; a rowtime of the first input is one for all."""
    kinds = [tuple(map(time_kind, source.row_type.types)) for source in rel.sources]
    mixed = {at for at, column_kinds in enumerate(zip(*kinds, strict=True)) if len(set(column_kinds)) > 1}
    if mixed:
        rel = replace(rel, sources=tuple(_agreed(source, kinds, mixed) for source in rel.sources))
    return replace(rel, columns=_kinds_of(rel.columns, rel.sources[0].row_type.types))


def _agreed(source: RelNode, kinds: Sequence[tuple[TimeKind, ...]], mixed: set[int]) -> RelNode:
    """An input of a union with one time kind in each column where the inputs differ."""
    row = source.row_type
    exprs: list[RexNode] = list(identity(row))
    for at in mixed:
        rowtimes = kinds[0][at] is TimeKind.ROWTIME and not any(
            row_kinds[at] is TimeKind.PROCTIME for row_kinds in kinds
        )
        type_ = row.types[at]
        if not rowtimes:
            exprs[at] = plain(exprs[at])
        elif isinstance(type_, TimestampBase) and not type_.is_time_attribute:
            exprs[at] = Call("$CAST$1", (exprs[at],), replace(type_, precision=3, kind=TimeKind.ROWTIME), "SPECIAL")
    if tuple(exprs) == identity(row):
        return source
    return Project(source, tuple(exprs), named_row(row.names, tuple(map(type_of, exprs))))
