"""Columns of late rows, and the rules of the tables for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from compiled_plan.plans.findings import Fault
from compiled_plan.plans.inspection.declared import DECLARED
from compiled_plan.plans.inspection.placement import needs_step
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.late_rows import LateRowsNode, late_column_faults, metadata_column_faults
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.stateless import Exchange
from compiled_plan.plans.nodes.table_rules import catalog_table_faults, physical_row
from compiled_plan.plans.nodes.tables import MetadataColumn
from compiled_plan.plans.nodes.window import GlobalWindowAggregate, LocalWindowAggregate
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.trees import reached
from compiled_plan.plans.types import Field, RowType
from compiled_plan.plans.types.changelog import ChangelogMode


def reader_of(plan: CompiledPlan, node: PlanNode) -> PlanNode:
    """The node whose inputs an operator receives: the first phase of an aggregate passes its rows on."""
    if not isinstance(node, GlobalWindowAggregate):
        return node
    (below,) = plan.inputs(node)
    while isinstance(below, Exchange):
        (below,) = plan.inputs(below)
    return below


def late_times(plan: CompiledPlan, node: PlanNode) -> Mapping[int, int | None]:
    """The inputs of a node whose rows may be late, each with the column of its time; see `LateRowsNode`."""
    reader = reader_of(plan, node)
    if not isinstance(node, LateRowsNode) or not isinstance(reader, LateRowsNode | LocalWindowAggregate):
        return {}
    return reader.late_times([below.output_type for below in plan.inputs(reader)])


def late_tables(plan: CompiledPlan) -> tuple[str, ...]:
    """The names of the tables for late rows, without those that a sink writes, too."""
    nodes = [node for node in plan.nodes if isinstance(node, LateRowsNode)]
    written = {node.dynamic_table_sink.table.identifier for node in plan.sinks if isinstance(node, Sink)}
    tables = {late.table.identifier: late.table.name for node in nodes for late in node.late_rows}
    return tuple(name for identifier, name in tables.items() if identifier not in written)


def late_row(plan: CompiledPlan, node: PlanNode, index: int) -> RowType:
    """The columns of the late rows of an input: its own, and behind them those of the scans whose rows it receives.

    A name of the input hides that of a scan. A column of scans is there if all producers of the input's rows are
    scans that have it, in one type.
    """
    own = plan.inputs(reader_of(plan, node))[index]

    def above(at: int) -> list[int]:
        below = plan.node(at)
        return [] if below.keeps_state or needs_step(below) else [source.id for source in plan.inputs(at)]

    first = [plan.node(at) for at in reached([own.id], above) if not above(at)]
    rows = [dict.fromkeys(item.output_type.fields) if isinstance(item, TableSourceScan) else {} for item in first]
    shared = [Field(field.name, field.type) for field in rows[0] if all(field in row for row in rows)]
    names = own.output_type.names
    return RowType(fields=(*own.output_type.fields, *(field for field in shared if field.name not in names)))


def late_rows_faults(plan: CompiledPlan, node: PlanNode, received: ChangelogMode) -> Iterator[Fault]:
    """Faults of the tables for late rows of a node."""
    if not isinstance(node, LateRowsNode):
        return
    times, seen = late_times(plan, node), set[int]()
    for at, late in enumerate(node.late_rows):
        path = ("lateRows", at)
        if late.input not in times or late.input in seen:
            problem = "has two tables for late rows" if late.input in seen else "has no late rows"
            yield Fault((*path, "input"), f"input {late.input} {problem}", "remove the entry", late.input)
            continue
        seen.add(late.input)
        wrong = list(catalog_table_faults(late.table, (*path, "table"), DECLARED, reading=False))
        yield from wrong
        resolved = late.table.resolved_table
        if wrong or resolved is None:
            continue
        columns, place = resolved.table_schema.columns, (*path, "table", "resolvedTable", "schema", "columns")
        metadata = [item.name for item in columns if isinstance(item, MetadataColumn) and not item.is_virtual]
        name, row = ".".join(late.table.path), late_row(plan, node, late.input)
        faults = late_column_faults(name, physical_row(resolved), row, updates=not received.insert_only)
        for fault in (*faults, *metadata_column_faults(name, metadata)):
            yield Fault(place, fault.message, fault.remedy, None)
