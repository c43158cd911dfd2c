"""The columns of its inputs that a node reads to give some of its own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch

from compiled_plan.planner.algebra.nodes import (
    Aggregate,
    AggregateCall,
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
from compiled_plan.planner.algebra.rex import OuterRef
from compiled_plan.planner.algebra.timed import OverAggregate, TemporalJoin
from compiled_plan.planner.algebra.windows import GroupWindowAggregate, WindowTable
from compiled_plan.planner.diagnostics.internal import unknown_node
from compiled_plan.plans.rex import RexNode, input_refs, walk

Columns = frozenset[int]


@singledispatch
def needed(rel: RelNode, wanted: Columns) -> tuple[Columns, ...]:
    """The columns of each input that a node reads to give the wanted ones."""
    raise unknown_node("pruning columns", rel)


@needed.register(Sink)
@needed.register(Barrier)
def _everything(rel: RelNode, wanted: Columns) -> tuple[Columns, ...]:
    return tuple(frozenset(range(len(child.row_type.fields))) for child in rel.inputs)


@needed.register(Scan)
@needed.register(Values)
@needed.register(TableFunctionScan)
def _nothing(rel: RelNode, wanted: Columns) -> tuple[Columns, ...]:
    return ()


def _refs(exprs: Sequence[RexNode]) -> Columns:
    return frozenset().union(*map(input_refs, exprs)) if exprs else frozenset()


@needed.register
def _(rel: Project, wanted: Columns) -> tuple[Columns, ...]:
    return (_refs([rel.exprs[index] for index in wanted]),)


@needed.register
def _(rel: Filter, wanted: Columns) -> tuple[Columns, ...]:
    return (wanted | input_refs(rel.condition),)


@needed.register
def _(rel: WatermarkAssigner, wanted: Columns) -> tuple[Columns, ...]:
    return (wanted | {rel.index} | input_refs(rel.watermark),)


@needed.register
def _(rel: Join, wanted: Columns) -> tuple[Columns, ...]:
    width = len(rel.left.row_type.fields)
    used = wanted | input_refs(rel.condition)
    return (
        frozenset(index for index in used if index < width),
        frozenset(index - width for index in used if index >= width),
    )


@needed.register
def _(rel: TemporalJoin, wanted: Columns) -> tuple[Columns, ...]:
    width = len(rel.left.row_type.fields)
    used = wanted | input_refs(rel.condition)
    # The moment at which a version is asked for is no column.
    mine, theirs = (set(), set()) if rel.version is None else ({rel.time}, {rel.version})
    return (
        frozenset(index for index in used if index < width) | mine,
        frozenset(index - width for index in used if index >= width) | theirs,
    )


@needed.register
def _(rel: Correlate, wanted: Columns) -> tuple[Columns, ...]:
    width = len(rel.left.row_type.fields)
    used = {index for index in wanted if index < width} | _outer_columns(rel)
    if rel.condition is not None:
        used |= {index for index in input_refs(rel.condition) if index < width}
    return (frozenset(used), frozenset(range(len(rel.right.row_type.fields))))


def _outer_columns(rel: Correlate) -> set[int]:
    call = rel.right.call if isinstance(rel.right, TableFunctionScan) else None
    if call is None:
        return set(range(len(rel.left.row_type.fields)))
    return {node.index for node in walk(call) if isinstance(node, OuterRef) and node.name == rel.name}


@needed.register
def _(rel: Aggregate, wanted: Columns) -> tuple[Columns, ...]:
    # The second half of a split aggregate takes all groups of the first.
    groups = range(len(rel.input.grouping)) if rel.split and isinstance(rel.input, Aggregate) else ()
    return (_read_by_calls(rel, wanted) | frozenset(groups),)


def _read_by_calls(rel: Aggregate | GroupWindowAggregate, wanted: Columns) -> Columns:
    """The columns that the grouping and the wanted calls read."""
    used = set(rel.grouping)
    for at, call in enumerate(rel.calls):
        if at + len(rel.grouping) in wanted:
            used.update(call.args)
            used.update(() if call.filter is None else (call.filter,))
    return frozenset(used)


@needed.register
def _(rel: WindowTable, wanted: Columns) -> tuple[Columns, ...]:
    width = len(rel.input.row_type.fields)
    return (frozenset(index for index in wanted if index < width) | {rel.index, *rel.window.partition},)


@needed.register
def _(rel: GroupWindowAggregate, wanted: Columns) -> tuple[Columns, ...]:
    return (_read_by_calls(rel, wanted) | {rel.index},)


@needed.register
def _(rel: Sort, wanted: Columns) -> tuple[Columns, ...]:
    return (wanted | {key.index for key in rel.keys},)


@needed.register
def _(rel: Rank, wanted: Columns) -> tuple[Columns, ...]:
    width = len(rel.input.row_type.fields)
    used = {index for index in wanted if index < width} | set(rel.partition) | {key.index for key in rel.order}
    return (frozenset(used | ({rel.end_column} if rel.end_column is not None else set())),)


@needed.register
def _(rel: OverAggregate, wanted: Columns) -> tuple[Columns, ...]:
    width = len(rel.input.row_type.fields)
    calls = wanted_calls(rel, wanted)
    used = {index for index in wanted if index < width}
    if calls:
        used |= set(rel.partition) | {key.index for key in rel.order}
    for call in calls.values():
        used.update(index for index in call.args if index < width)
    return (frozenset(used),)


def wanted_calls(rel: OverAggregate, wanted: Columns) -> dict[int, AggregateCall]:
    """The calls whose values are read, by their column."""
    every = enumerate(rel.calls, len(rel.input.row_type.fields))
    return {at: call for at, call in every if at in wanted}


@needed.register
def _(rel: SetOp, wanted: Columns) -> tuple[Columns, ...]:
    return tuple(wanted for _ in rel.sources)


@needed.register
def _(rel: Expand, wanted: Columns) -> tuple[Columns, ...]:
    return (_refs([row[index] for row in rel.projects for index in wanted]),)
