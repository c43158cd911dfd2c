"""Prepared plans: checked, with tables and stages, but nothing started yet.

All refusals happen here, before a checkpoint or an output is touched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from compiled_plan.plans.connectors.checks import changelog_of
from compiled_plan.plans.connectors.dead_letters import puts_aside
from compiled_plan.plans.execution import operators  # noqa: F401 - registers the lowerings
from compiled_plan.plans.execution.interfaces.connectors import TableSpec, resolved_table, table_of
from compiled_plan.plans.execution.operators.base import emits_by_processing_time, has_event_time, is_keyed
from compiled_plan.plans.execution.stages.late_rows import LateSink, late_sinks
from compiled_plan.plans.execution.stages.layout import Layout, Port, dead_port, lay_out
from compiled_plan.plans.functions.naming import check_resolved
from compiled_plan.plans.inspection.placement import calls_of, needs_step
from compiled_plan.plans.inspection.rules import check_runs
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.scan import TableSourceScan, Values
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.stateless import Calc
from compiled_plan.plans.nodes.table_rules import physical_row
from compiled_plan.plans.nodes.tables import (
    CatalogTable,
    FilterPushDown,
    MetadataColumn,
    PartitionPushDown,
    ProjectPushDown,
    ReadingMetadata,
    ResolvedTable,
    WritingMetadata,
)
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.rex import Call, InputRef, Literal, RexNode, walk
from compiled_plan.plans.trees import reached
from compiled_plan.plans.types import BOOLEAN, STRING, LogicalType, RowType
from compiled_plan.plans.types.changelog import ChangelogMode


@dataclass(frozen=True, slots=True)
class SourceTable:
    """A table that is read once, shared by all its scans in the plan.

    Args:
        id: the id of its first scan.
        scans: all its scans.
        table: the table for its connector.
    """

    id: int
    scans: tuple[TableSourceScan, ...]
    table: TableSpec


@dataclass(frozen=True, slots=True)
class PreparedPlan:
    """A plan ready to run; its `sinks` include those of late rows."""

    plan: CompiledPlan
    layout: Layout
    tables: Mapping[int, SourceTable]
    values: Mapping[int, Values]
    sinks: tuple[Sink, ...]
    late: tuple[LateSink, ...] = ()

    @property
    def event_time(self) -> bool:
        """True if rows carry watermarks because an operator waits for them."""
        return bool(self.layout.event_time)

    @property
    def reads_watermark(self) -> bool:
        """True if a projection or filter calls CURRENT_WATERMARK."""
        return any(call.name == "$CURRENT_WATERMARK$1" for node in self.plan.nodes for call in calls_of(node))

    @property
    def emits_by_processing_time(self) -> bool:
        """True if rows are emitted by processing time, without input."""
        return any(emits_by_processing_time(node, self.plan) for node in self.plan.nodes)

    def starts(self, source: int) -> tuple[int, ...]:
        """The plan nodes whose rows a source produces: the scans of a table, or a values node."""
        return tuple(scan.id for scan in self.tables[source].scans) if source in self.tables else (source,)


def is_materialising(node: PlanNode) -> bool:
    """Return True for a sink with state of its own, the upsert materializer."""
    return isinstance(node, Sink) and bool(node.require_upsert_materialize)


def consumers(plan: CompiledPlan, producer: int) -> tuple[Port, ...]:
    """The inputs that receive a node's rows; for a materialising sink's own rows its writing end."""
    if isinstance(plan.node(producer), Sink):
        return (Port(producer, 0, writes=True),)
    ids = dict.fromkeys(consumer.id for consumer in plan.consumers(producer))
    inputs = ((consumer, port, below.id) for consumer in ids for port, below in enumerate(plan.inputs(consumer)))
    return tuple(
        Port(consumer, port, writes=_has_no_state(plan.node(consumer)))
        for consumer, port, below in inputs
        if below == producer
    )


def _has_no_state(node: PlanNode) -> bool:
    return isinstance(node, Sink) and not is_materialising(node)


def is_target(plan: CompiledPlan, port: Port) -> bool:
    """Return True if a flow between stages ends here: at a keyed operator, a node with Python calls, or a sink."""
    node = plan.node(port.node)
    return is_keyed(node) or isinstance(node, Sink) or needs_step(node)


def prepare(plan: CompiledPlan) -> PreparedPlan:
    """Check a plan and lay it out.

    Raises:
        UnsupportedError: a node, table or option that cannot run; names it.
    """
    check_runs(plan)
    check_resolved(plan)
    sinks = tuple(node for node in plan.nodes if isinstance(node, Sink))
    tables = _tables(plan)
    values = {node.id: node for node in plan.nodes if isinstance(node, Values)}
    producers: dict[int, frozenset[Port]] = {}
    for source, table in tables.items():
        producers[source] = frozenset().union(*(_targets(plan, scan.id) for scan in table.scans))
        if puts_aside(table.table.options):
            producers[source] |= {dead_port(source)}
    for source in values:
        producers[source] = _targets(plan, source)
    sources = frozenset(producers)
    late = late_sinks(plan)
    for node in plan.nodes:
        if is_keyed(node) or is_materialising(node) or needs_step(node):
            producers[node.id] = _targets(plan, node.id)
    producers = _with_late_rows(producers, late)
    event_time = frozenset(
        node.id
        for node in plan.nodes
        if has_event_time(node, plan) or (isinstance(node, Sink) and node.waits_for_watermarks)
    )
    steps = frozenset(node.id for node in plan.nodes if needs_step(node))
    layout = lay_out(producers, sources, event_time, steps)
    return PreparedPlan(plan, layout, tables, values, (*sinks, *(item.sink for item in late)), late)


def _with_late_rows(producers: Mapping[int, frozenset[Port]], late: Sequence[LateSink]) -> dict[int, frozenset[Port]]:
    """The targets of producers, with the columns beside inputs whose late rows are written, and their sinks."""
    beside = {replace(item.port, late=False): item.port for item in late}
    written: dict[int, set[Port]] = {}
    for item in late:
        written.setdefault(item.port.node, set()).add(item.written)
    return {
        producer: ports | {beside[port] for port in ports if port in beside} | written.get(producer, set())
        for producer, ports in producers.items()
    }


def _targets(plan: CompiledPlan, producer: int) -> frozenset[Port]:
    def onward(port: Port) -> tuple[Port, ...]:
        return () if is_target(plan, port) else consumers(plan, port.node)

    return frozenset(port for port in reached(consumers(plan, producer), onward) if is_target(plan, port))


def _tables(plan: CompiledPlan) -> dict[int, SourceTable]:
    groups: dict[tuple[object, ...], list[TableSourceScan]] = {}
    for node in plan.nodes:
        if isinstance(node, TableSourceScan):
            groups.setdefault(_way_to_read(node), []).append(node)
    tables = {}
    for scans in groups.values():
        keys: dict[str, LogicalType] = {}
        used: set[int] = set()
        for scan in scans:
            columns = scan_columns(scan)
            keys |= dict(columns.metadata)
            used |= columns.used
        table = table_spec(scans[0], tuple(keys.items()))
        wanted = frozenset(table.columns.names[at] for at in used)
        filters, letters = _filters(plan, scans[0]) if len(scans) == 1 else (), dead_letter_table(scans[0])
        table = replace(table, wanted=wanted, filters=filters, dead_letters=letters)
        tables[scans[0].id] = SourceTable(scans[0].id, tuple(scans), table)
    return tables


def _way_to_read(scan: TableSourceScan) -> tuple[object, ...]:
    """Equal for scans that one stream serves: of one table, as it was declared at one time."""
    resolved = resolved_table(scan)
    spec, options = table_spec(scan), sorted((resolved.options or {}).items())
    metadata = tuple(
        (column.key, column.data_type) for column in resolved.table_schema.columns if isinstance(column, MetadataColumn)
    )
    return spec.identifier, tuple(options), spec.columns, spec.partition_keys, spec.primary_key, metadata


def _filters(plan: CompiledPlan, scan: TableSourceScan) -> tuple[tuple[RexNode, tuple[int | None, ...]], ...]:
    """Predicates that are true for all used rows of a scan: its filters, and that of a Calc as its only consumer."""
    columns = scan_columns(scan)
    filters = list(columns.filters)
    above = plan.consumers(scan)
    if len(above) == 1 and isinstance(above[0], Calc) and not above[0].keeps_state:
        condition = above[0].condition
        filters += [] if condition is None else [(condition, columns.paths + ((),) * len(columns.metadata))]
    return tuple((rex, tuple(path[0] if len(path) == 1 else None for path in paths)) for rex, paths in filters)


def table_spec(node: TableSourceScan | Sink, metadata: tuple[tuple[str, LogicalType], ...] = ()) -> TableSpec:
    """The table of a scan or sink for its connector."""
    written = _written_metadata(node) if isinstance(node, Sink) else metadata
    return spec_of(table_of(node), resolved_table(node), node.id, written)


def dead_letter_table(scan: TableSourceScan) -> TableSpec | None:
    """The table for dead letters of a scan."""
    table = scan.dead_letters
    if table is None or table.resolved_table is None:
        return None
    spec = spec_of(table, table.resolved_table, scan.id)
    return replace(spec, sink=f"dead letters in {spec.identifier}")


def spec_of(
    table: CatalogTable, resolved: ResolvedTable, node: int, metadata: tuple[tuple[str, LogicalType], ...] = ()
) -> TableSpec:
    """A table for its connector."""
    key = resolved.table_schema.primary_key
    return TableSpec(
        identifier=".".join(table.path),
        columns=physical_row(resolved),
        options=dict(resolved.options or {}),
        metadata=metadata,
        partition_keys=resolved.partition_keys,
        primary_key=tuple(key.columns) if key else (),
        node=node,
    )


def sink_tables(sinks: Sequence[Sink]) -> dict[int, TableSpec]:
    """The tables of sinks, by node; several sinks of one table are numbered."""
    tables: dict[int, TableSpec] = {}
    for sink in sinks:
        table = table_spec(sink)
        before = sum(sink_table.identifier == table.identifier for sink_table in tables.values())
        tables[sink.id] = replace(table, sink=f"{table.identifier}#{before + 1}" if before else table.identifier)
    return tables


def _written_metadata(node: Sink) -> tuple[tuple[str, LogicalType], ...]:
    """The metadata in a sink's rows, after the columns that its table stores."""
    for ability in node.dynamic_table_sink.abilities:
        if isinstance(ability, WritingMetadata):
            types = ability.consumed_type.types[-len(ability.metadata_keys) :]
            return tuple(zip(ability.metadata_keys, types, strict=True))
    return ()


@dataclass(frozen=True, slots=True)
class ScanColumns:
    """The columns and rows of its table that a scan produces.

    Args:
        paths: its columns, as paths into the physical columns.
        metadata: the keys and types of its metadata columns, which follow.
        filters: predicates on rows, each with the paths of the columns that it references.
    """

    paths: tuple[tuple[int, ...], ...]
    metadata: tuple[tuple[str, LogicalType], ...]
    filters: tuple[tuple[RexNode, tuple[tuple[int, ...], ...]], ...] = ()

    @property
    def used(self) -> frozenset[int]:
        """Positions of the physical columns that it needs."""
        referred = (paths[at][0] for rex, paths in self.filters for at in _references(rex))
        return frozenset((*(path[0] for path in self.paths), *referred))


def _references(rex: RexNode) -> frozenset[int]:
    return frozenset(part.index for part in walk(rex) if isinstance(part, InputRef))


def scan_columns(scan: TableSourceScan) -> ScanColumns:
    """The columns and rows of a scan according to its abilities (ProjectPushDown, ReadingMetadata, FilterPushDown)."""
    source, row = scan.scan_table_source, scan.output_type
    keys: tuple[str, ...] = ()
    stored = physical_row(resolved_table(scan))
    all_paths = tuple((at,) for at in range(len(stored.fields)))
    paths: tuple[tuple[int, ...], ...] = all_paths
    filters: list[tuple[RexNode, tuple[tuple[int, ...], ...]]] = []
    changes = changelog_of(resolved_table(scan).options or {}, reading=True)
    for ability in source.abilities:
        if isinstance(ability, ProjectPushDown):
            paths = ability.projected_fields
        elif isinstance(ability, ReadingMetadata):
            keys = ability.metadata_keys
        elif isinstance(ability, FilterPushDown):
            if changes != ChangelogMode.INSERT:
                # A retraction may fail the predicate although its row passed: operators above need both.
                continue
            # A source may have accepted them, so that nothing above filters again. Among the other abilities that run,
            # limits only let a source omit rows early, and `stages.watermarks` computes the watermarks.
            filters += [(predicate, paths) for predicate in ability.predicates]
        elif isinstance(ability, PartitionPushDown):
            filters.append((in_partitions(ability, stored), all_paths))
    types = [type_.as_regular() for type_ in row.types]
    return ScanColumns(paths, tuple(zip(keys, types[len(paths) :], strict=True)), tuple(filters))


def in_partitions(ability: PartitionPushDown, columns: RowType) -> RexNode:
    """The predicate that selects the rows of the listed partitions.

    Args:
        ability: the partitions, each by the text of its values; null for the partition of null.
        columns: the physical columns of the table.
    """
    choices = [_in_partition(partition, columns) for partition in ability.partitions]
    return _joined("$OR$1", choices, of_none=False)


def _in_partition(partition: Mapping[str, str | None], columns: RowType) -> RexNode:
    return _joined("$AND$1", [_holds(columns, name, value) for name, value in partition.items()], of_none=True)


def _holds(columns: RowType, name: str, value: str | None) -> RexNode:
    at = columns.names.index(name)
    column = InputRef(at, columns.types[at])
    if value is None:
        return Call("$IS NULL$1", (column,), BOOLEAN, "POSTFIX")
    cast = Call("$CAST$1", (Literal(value, STRING),), column.type, "SPECIAL")
    return Call("$=$1", (column, cast), BOOLEAN, "BINARY")


def _joined(name: str, parts: list[RexNode], *, of_none: bool) -> RexNode:
    if not parts:
        return Literal(of_none, BOOLEAN)
    return reduce(lambda left, right: Call(name, (left, right), BOOLEAN, "BINARY"), parts)
