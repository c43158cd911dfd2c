"""Column pruning of relational nodes over pruned inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch

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
    SortKey,
    TableFunctionScan,
    Values,
    WatermarkAssigner,
)
from compiled_plan.planner.algebra.rex import OuterRef
from compiled_plan.planner.algebra.timed import OverAggregate, TemporalJoin
from compiled_plan.planner.algebra.traverse import map_expressions
from compiled_plan.planner.algebra.windows import GroupWindowAggregate, WindowTable
from compiled_plan.planner.catalog.tables import CatalogTable, ColumnKind
from compiled_plan.planner.diagnostics.internal import unknown_node
from compiled_plan.planner.rules.helpers.needed_columns import Columns, wanted_calls
from compiled_plan.plans.connectors.registry import connector_spec
from compiled_plan.plans.rex import InputRef, RexNode, transform
from compiled_plan.plans.types import RowType

Place = Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Pruned:
    """A pruned node, and the new positions of the old columns."""

    rel: RelNode
    place: Place


def pruned_scan(rel: Scan, wanted: Columns, order: list[int] | None, keeps_key: Callable[[Scan], bool]) -> Pruned:
    """A scan of the `wanted` columns: physical ones in the order of use, then metadata ones as declared.

    It also reads columns that only its table for late rows has, which end in a projection above it.
    """
    late = frozenset() if rel.late is None else _late_columns(rel, rel.late.table) - wanted
    if late:
        wider = pruned_scan(rel, wanted | late, order, keeps_key)
        read, chosen = wider.rel.row_type, ordered(wanted, order or ())
        places = [wider.place[index] for index in chosen]
        fields = tuple(read.fields[at] for at in places)
        refs = tuple(InputRef(at, field.type) for at, field in zip(places, fields, strict=True))
        project = Project(wider.rel, refs, RowType(fields=fields))
        return Pruned(project, {index: at for at, index in enumerate(chosen)})
    if keeps_key(rel):
        wanted = wanted | _key_columns(rel)
    connector = connector_spec(rel.table.option("connector"))
    whole = connector is not None and connector.source is not None and not connector.source.projects
    if len(wanted) == len(rel.row_type.fields) or whole:
        return Pruned(rel, _same_places(rel))
    metadata = {column.name for column in rel.table.columns if column.kind is ColumnKind.METADATA}
    names = rel.row_type.names
    chosen = ordered(wanted, order or ())
    chosen.sort(key=lambda index: names[index] in metadata)
    fields = tuple(rel.row_type.fields[index] for index in chosen)
    scan = replace(rel, columns=RowType(fields=fields))
    return Pruned(scan, {index: at for at, index in enumerate(chosen)})


def _same_places(rel: RelNode) -> Place:
    return {index: index for index in range(len(rel.row_type.fields))}


def ordered(wanted: Columns, order: Sequence[int]) -> list[int]:
    """The wanted columns, those of `order` first."""
    first = [index for index in order if index in wanted]
    return [*first, *(index for index in sorted(wanted) if index not in first)]


def _late_columns(rel: Scan, table: CatalogTable) -> Columns:
    names = rel.row_type.names
    return frozenset(names.index(column.name) for column in table.physical if column.name in names)


def _key_columns(rel: Scan) -> Columns:
    names = rel.row_type.names
    return frozenset(names.index(name) for name in rel.table.primary_key if name in names)


@singledispatch
def rebuild(rel: RelNode, inputs: tuple[Pruned, ...], needs: tuple[Columns, ...], wanted: Columns) -> Pruned:
    """Rebuild a node over pruned inputs, and prune its own columns if possible.

    Args:
        rel: the node before pruning.
        inputs: its pruned inputs.
        needs: the columns that it reads of each input, before pruning.
        wanted: the node's columns that its consumers read.
    """
    raise unknown_node("pruning columns", rel)


@rebuild.register(Sink)
@rebuild.register(Barrier)
def _unpruned(rel: RelNode, inputs: tuple[Pruned, ...], needs: tuple[Columns, ...], wanted: Columns) -> Pruned:
    whole = rel.with_inputs(tuple(_exactly(item, child) for item, child in zip(inputs, rel.inputs, strict=True)))
    return Pruned(whole, _same_places(rel))


def _exactly(item: Pruned, old: RelNode) -> RelNode:
    """The input with all its old columns in their old positions."""
    return _trimmed(item, range(len(old.row_type.fields))).rel


def _trimmed(item: Pruned, columns: Sequence[int]) -> Pruned:
    """The input with exactly these of its old columns, in this order."""
    now = [item.place[index] for index in columns]
    place = {index: at for at, index in enumerate(columns)}
    row = item.rel.row_type
    if now == list(range(len(row.fields))):
        return Pruned(item.rel, place)
    exprs = tuple(InputRef(index, row.types[index]) for index in now)
    fields = tuple(row.fields[index] for index in now)
    return Pruned(Project(item.rel, exprs, RowType(fields=fields)), place)


def _narrow(item: Pruned, need: Columns) -> Pruned:
    """The input without columns that this reader does not need."""
    need = need or frozenset(list(item.place)[:1])
    if len(need) == len(item.rel.row_type.fields):
        return item
    return _trimmed(item, sorted(need, key=lambda index: item.place[index]))


def _moved(rex: RexNode, place: Callable[[int], int]) -> RexNode:
    return transform(rex, lambda node: InputRef(place(node.index), node.type) if isinstance(node, InputRef) else node)


@rebuild.register
def _(rel: Project, inputs: tuple[Pruned, ...], needs: tuple[Columns, ...], wanted: Columns) -> Pruned:
    return projected(rel, inputs[0], sorted(wanted))


def projected(rel: Project, source: Pruned, wanted: Sequence[int]) -> Pruned:
    """A projection to its `wanted` columns, in this order."""
    exprs = tuple(_moved(rel.exprs[index], source.place.__getitem__) for index in wanted)
    fields = tuple(rel.columns.fields[index] for index in wanted)
    project = Project(source.rel, exprs, RowType(fields=fields))
    return Pruned(project, {index: at for at, index in enumerate(wanted)})


@rebuild.register
def _(rel: Filter, inputs: tuple[Pruned, ...], needs: tuple[Columns, ...], wanted: Columns) -> Pruned:
    (source,) = inputs
    return Pruned(Filter(source.rel, _moved(rel.condition, source.place.__getitem__)), source.place)


@rebuild.register
def _(rel: WatermarkAssigner, inputs: tuple[Pruned, ...], needs: tuple[Columns, ...], wanted: Columns) -> Pruned:
    (source,) = inputs
    back = {new: old for old, new in source.place.items()}
    fields = tuple(rel.columns.fields[back[at]] for at in range(len(source.rel.row_type.fields)))
    watermark = _moved(rel.watermark, source.place.__getitem__)
    assigner = WatermarkAssigner(source.rel, source.place[rel.index], watermark, RowType(fields=fields))
    return Pruned(assigner, source.place)


@rebuild.register
def _(rel: Join | TemporalJoin, inputs: tuple[Pruned, ...], needs: tuple[Columns, ...], wanted: Columns) -> Pruned:
    left, right = (_narrow(item, need) for item, need in zip(inputs, needs, strict=True))
    old, new = len(rel.left.row_type.fields), len(left.rel.row_type.fields)
    place = dict(left.place) | {index + old: at + new for index, at in right.place.items()}
    if isinstance(rel, TemporalJoin):
        version = None if rel.version is None else right.place[rel.version]
        rel = replace(rel, time=left.place.get(rel.time, rel.time), version=version)
    join = replace(rel, left=left.rel, right=right.rel, condition=_moved(rel.condition, place.__getitem__))
    return Pruned(join, dict(left.place) if rel.kind in (JoinKind.SEMI, JoinKind.ANTI) else place)


@rebuild.register
def _(rel: Correlate, inputs: tuple[Pruned, ...], needs: tuple[Columns, ...], wanted: Columns) -> Pruned:
    left = _narrow(inputs[0], needs[0])
    old, new = len(rel.left.row_type.fields), len(left.rel.row_type.fields)
    place = dict(left.place) | {old + at: new + at for at in range(len(rel.right.row_type.fields))}

    def outward(node: RexNode) -> RexNode:
        if isinstance(node, OuterRef) and node.name == rel.name:
            return replace(node, index=left.place[node.index])
        return node

    right = map_expressions(rel.right, lambda rex: transform(rex, outward))
    condition = None if rel.condition is None else _moved(rel.condition, place.__getitem__)
    return Pruned(replace(rel, left=left.rel, right=right, condition=condition), place)


@rebuild.register
def _(rel: Aggregate, inputs: tuple[Pruned, ...], needs: tuple[Columns, ...], wanted: Columns) -> Pruned:
    return _aggregated(rel, _narrow(inputs[0], needs[0]), wanted)


@rebuild.register
def _(rel: GroupWindowAggregate, inputs: tuple[Pruned, ...], needs: tuple[Columns, ...], wanted: Columns) -> Pruned:
    source = _narrow(inputs[0], needs[0])
    return _aggregated(replace(rel, index=source.place[rel.index]), source, wanted)


@rebuild.register
def _(rel: WindowTable, inputs: tuple[Pruned, ...], needs: tuple[Columns, ...], wanted: Columns) -> Pruned:
    source = _narrow(inputs[0], needs[0])
    old, new = len(rel.input.row_type.fields), len(source.rel.row_type.fields)
    window = replace(rel.window, partition=tuple(source.place[index] for index in rel.window.partition))
    table = WindowTable(source.rel, window, source.place[rel.index])
    return Pruned(table, dict(source.place) | {old + at: new + at for at in range(3)})


def _aggregated(rel: Aggregate | GroupWindowAggregate, source: Pruned, wanted: Columns) -> Pruned:
    """The aggregate over its pruned input, without unused calls."""
    count = len(rel.grouping)
    used_calls = [at for at in range(len(rel.calls)) if at + count in wanted]
    calls = tuple(rel.calls[at].moved(source.place.__getitem__) for at in used_calls)
    # The window properties follow the calls and stay.
    behind = range(count + len(rel.calls), len(rel.columns.fields))
    fields = tuple(rel.columns.fields[at] for at in (*range(count), *(count + at for at in used_calls), *behind))
    grouping = tuple(source.place[index] for index in rel.grouping)
    place = {at: at for at in range(count)} | {count + at: count + new for new, at in enumerate(used_calls)}
    place |= {at: count + len(used_calls) + new for new, at in enumerate(behind)}
    return Pruned(replace(rel, input=source.rel, grouping=grouping, calls=calls, columns=RowType(fields=fields)), place)


def _keys(keys: Sequence[SortKey], place: Place) -> tuple[SortKey, ...]:
    return tuple(replace(key, index=place[key.index]) for key in keys)


@rebuild.register
def _(rel: Sort, inputs: tuple[Pruned, ...], needs: tuple[Columns, ...], wanted: Columns) -> Pruned:
    source = _narrow(inputs[0], needs[0])
    return Pruned(replace(rel, input=source.rel, keys=_keys(rel.keys, source.place)), source.place)


@rebuild.register
def _(rel: Rank, inputs: tuple[Pruned, ...], needs: tuple[Columns, ...], wanted: Columns) -> Pruned:
    source = _narrow(inputs[0], needs[0])
    old, new = len(rel.input.row_type.fields), len(source.rel.row_type.fields)
    numbered = rel.rank_column is not None and old in wanted
    fields = source.rel.row_type.fields + ((rel.columns.fields[old],) if numbered else ())
    pruned = replace(
        rel,
        input=source.rel,
        partition=tuple(source.place[index] for index in rel.partition),
        order=_keys(rel.order, source.place),
        end_column=None if rel.end_column is None else source.place[rel.end_column],
        rank_column=rel.rank_column if numbered else None,
        columns=RowType(fields=fields),
    )
    return Pruned(pruned, dict(source.place) | ({old: new} if numbered else {}))


@rebuild.register
def _(rel: OverAggregate, inputs: tuple[Pruned, ...], needs: tuple[Columns, ...], wanted: Columns) -> Pruned:
    source = _narrow(inputs[0], needs[0])
    old, new = len(rel.input.row_type.fields), len(source.rel.row_type.fields)
    used_calls = wanted_calls(rel, wanted)
    if not used_calls:
        return source
    calls = tuple(
        replace(call, args=tuple(source.place[arg] if arg < old else arg - old + new for arg in call.args))
        for call in used_calls.values()
    )
    pruned = replace(
        rel,
        input=source.rel,
        partition=tuple(source.place[index] for index in rel.partition),
        order=_keys(rel.order, source.place),
        calls=calls,
        columns=RowType(fields=(*source.rel.row_type.fields, *(rel.columns.fields[at] for at in used_calls))),
    )
    return Pruned(pruned, dict(source.place) | {at: new + number for number, at in enumerate(used_calls)})


@rebuild.register
def _(rel: SetOp, inputs: tuple[Pruned, ...], needs: tuple[Columns, ...], wanted: Columns) -> Pruned:
    columns = sorted(wanted)
    sources = tuple(_trimmed(item, columns).rel for item in inputs)
    fields = tuple(rel.columns.fields[index] for index in columns)
    pruned = replace(rel, sources=sources, columns=RowType(fields=fields))
    return Pruned(pruned, {index: at for at, index in enumerate(columns)})


@rebuild.register
def _(rel: Expand, inputs: tuple[Pruned, ...], needs: tuple[Columns, ...], wanted: Columns) -> Pruned:
    columns = sorted(wanted | {rel.expand_id})
    (source,) = inputs
    projects = tuple(tuple(_moved(row[index], source.place.__getitem__) for index in columns) for row in rel.projects)
    fields = tuple(rel.columns.fields[index] for index in columns)
    expand = Expand(source.rel, projects, RowType(fields=fields), columns.index(rel.expand_id))
    return Pruned(expand, {index: at for at, index in enumerate(columns)})


@rebuild.register
def _leaf(
    rel: Values | TableFunctionScan, inputs: tuple[Pruned, ...], needs: tuple[Columns, ...], wanted: Columns
) -> Pruned:
    return Pruned(rel, _same_places(rel))
