"""Column use: the input columns that a node reads for some of its output columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    """The columns of each input that a node reads for the `wanted` output columns."""
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


def _below(columns: Iterable[int], width: int) -> Columns:
    """The columns among the first `width`."""
    return frozenset(index for index in columns if index < width)


@needed.register
def _(rel: Join | TemporalJoin, wanted: Columns) -> tuple[Columns, ...]:
    width = len(rel.left.row_type.fields)
    used = wanted | input_refs(rel.condition)
    if isinstance(rel, TemporalJoin) and rel.version is not None:
        # Without a version column, the right side is looked up at the current time.
        used |= {rel.time, width + rel.version}
    return (_below(used, width), frozenset(index - width for index in used if index >= width))


@needed.register
def _(rel: Correlate, wanted: Columns) -> tuple[Columns, ...]:
    width = len(rel.left.row_type.fields)
    read = frozenset() if rel.condition is None else input_refs(rel.condition)
    return (_below(wanted | read, width) | _outer_columns(rel), frozenset(range(len(rel.right.row_type.fields))))


def _outer_columns(rel: Correlate) -> set[int]:
    call = rel.right.call if isinstance(rel.right, TableFunctionScan) else None
    if call is None:
        return set(range(len(rel.left.row_type.fields)))
    return {node.index for node in walk(call) if isinstance(node, OuterRef) and node.name == rel.name}


@needed.register
def _(rel: Aggregate, wanted: Columns) -> tuple[Columns, ...]:
    # The second half of a split aggregate reads all groups of the first.
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
    return (_below(wanted, width) | {rel.index, *rel.window.partition},)


@needed.register
def _(rel: GroupWindowAggregate, wanted: Columns) -> tuple[Columns, ...]:
    return (_read_by_calls(rel, wanted) | {rel.index},)


@needed.register
def _(rel: Sort, wanted: Columns) -> tuple[Columns, ...]:
    return (wanted | {key.index for key in rel.keys},)


@needed.register
def _(rel: Rank, wanted: Columns) -> tuple[Columns, ...]:
    width = len(rel.input.row_type.fields)
    end = () if rel.end_column is None else (rel.end_column,)
    return (_below(wanted, width) | {*rel.partition, *(key.index for key in rel.order), *end},)


@needed.register
def _(rel: OverAggregate, wanted: Columns) -> tuple[Columns, ...]:
    width = len(rel.input.row_type.fields)
    calls = wanted_calls(rel, wanted)
    used = _below((*wanted, *(index for call in calls.values() for index in call.args)), width)
    return (used | {*rel.partition, *(key.index for key in rel.order)} if calls else used,)


def wanted_calls(rel: OverAggregate, wanted: Columns) -> dict[int, AggregateCall]:
    """The calls with a wanted result, by its column."""
    every = enumerate(rel.calls, len(rel.input.row_type.fields))
    return {at: call for at, call in every if at in wanted}


@needed.register
def _(rel: SetOp, wanted: Columns) -> tuple[Columns, ...]:
    return tuple(wanted for _ in rel.sources)


@needed.register
def _(rel: Expand, wanted: Columns) -> tuple[Columns, ...]:
    return (_refs([row[index] for row in rel.projects for index in wanted]),)
