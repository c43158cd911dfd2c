"""The part of a plan that computes some operators' state: these, everything upstream, and sinks that discard rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from compiled_plan.plans.nodes.base import InputProperty, PlanNode
from compiled_plan.plans.nodes.late_rows import LateRowsNode
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.specs import RowKind
from compiled_plan.plans.nodes.tables import (
    CatalogTable,
    PhysicalColumn,
    PrimaryKey,
    ResolvedTable,
    TableSchema,
    TableSink,
)
from compiled_plan.plans.plan import CompiledPlan, Edge
from compiled_plan.plans.trees import reached
from compiled_plan.plans.types import LogicalType, RowType

_KINDS: tuple[RowKind, ...] = ("INSERT", "UPDATE_BEFORE", "UPDATE_AFTER", "DELETE")


def above(plan: CompiledPlan, nodes: Iterable[int]) -> frozenset[int]:
    """The ids of some nodes and all nodes upstream of them."""
    return frozenset(reached(nodes, lambda node: [below.id for below in plan.inputs(node)]))


def excerpt(plan: CompiledPlan, wanted: Collection[int]) -> CompiledPlan:
    """A plan of these operators and everything upstream."""
    ids = above(plan, wanted)
    nodes = [_without_late_rows(node) for node in plan.nodes if node.id in ids]
    edges = [edge for edge in plan.edges if edge.target in ids]
    fed = {edge.source for edge in edges}
    free = max(node.id for node in plan.nodes) + 1
    ends = [node for node in nodes if node.id in wanted and node.id not in fed and not isinstance(node, Sink)]
    sinks = list(_sinks(ends, free))
    edges += [Edge.between(node.id, sink.id) for node, sink in zip(ends, sinks, strict=True)]
    return replace(plan, nodes=(*nodes, *sinks), edges=tuple(edges))


def _without_late_rows(node: PlanNode) -> PlanNode:
    """The node without tables for late rows, which the history of an operator does not fill."""
    late = isinstance(node, LateRowsNode) and node.late_rows
    return node.model_copy(update={"late_rows": ()}) if late else node


def _sinks(ends: Iterable[PlanNode], free: int) -> Iterator[Sink]:
    for number, node in enumerate(ends):
        columns = [(field.name, field.type) for field in node.output_type.fields]
        yield blackhole(free + number, f"`warm`.`up`.`{number}`", node.output_type, columns)


def blackhole(
    node: int,
    identifier: str,
    rows: RowType,
    columns: Iterable[tuple[str, LogicalType]],
    key: tuple[str, ...] = (),
) -> Sink:
    """A sink that takes all kinds of rows, and discards them.

    Args:
        node: its id.
        identifier: the identifier of its table.
        rows: the type of its input.
        columns: names and types of the table's columns.
        key: the primary key of the table; empty for none.
    """
    schema = TableSchema(
        columns=tuple(PhysicalColumn(name=name, data_type=type_) for name, type_ in columns),
        primary_key=PrimaryKey(name="key", columns=key) if key else None,
    )
    table = ResolvedTable(schema=schema, options={"connector": "blackhole"})
    return Sink(
        id=node,
        output_type=rows,
        dynamic_table_sink=TableSink(table=CatalogTable(identifier=identifier, resolved_table=table)),
        input_changelog_mode=_KINDS,
        input_properties=(InputProperty.spread(),),
        description="",
    )
