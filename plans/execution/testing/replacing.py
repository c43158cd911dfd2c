"""Replacement of a plan's tables by those of a test."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from compiled_plan.plans.connectors.checks import changelog_of
from compiled_plan.plans.connectors.specs.testing import SPEC
from compiled_plan.plans.inspection.lineage.table_identity import options_of
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.late_rows import LateRowsNode
from compiled_plan.plans.nodes.lookup import LookupJoin
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.tables import (
    CatalogTable,
    FilterPushDown,
    MetadataColumn,
    ReadingMetadata,
    SourceAbility,
)
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.types import LogicalType
from compiled_plan.plans.types.changelog import ChangelogMode


def table_id(table: CatalogTable) -> str:
    """Catalog, database and name, separated by dots."""
    return ".".join(table.path)


@dataclass(frozen=True, slots=True)
class PlanTables:
    """The tables of a plan by `table_id`, as it declares them.

    Args:
        sources: the tables that it scans; their metadata has the types in which they emit it.
        lookups: the tables that it looks up.
        sinks: the tables that it writes.
    """

    sources: Mapping[str, CatalogTable]
    lookups: Mapping[str, CatalogTable]
    sinks: Mapping[str, CatalogTable]

    @classmethod
    def of(cls, plan: CompiledPlan) -> PlanTables:
        sources = [node.scan_table_source for node in plan.nodes if isinstance(node, TableSourceScan)]
        metadata: dict[str, dict[str, LogicalType]] = {}
        for source in sources:
            metadata.setdefault(table_id(source.table), {}).update(_metadata_types(source.abilities))
        scans = (_with_types(source.table, metadata[table_id(source.table)]) for source in sources)
        joined = (node.temporal_table.lookup_table_source.table for node in plan.nodes if isinstance(node, LookupJoin))
        written = [node.dynamic_table_sink.table for node in plan.nodes if isinstance(node, Sink)]
        written += (late.table for node in plan.nodes if isinstance(node, LateRowsNode) for late in node.late_rows)
        scanned, looked_up, sinks = (
            {table_id(table): table for table in tables} for tables in (scans, joined, written)
        )
        return cls(scanned, looked_up, sinks)


def replaced(plan: CompiledPlan, test: str) -> CompiledPlan:
    """The plan with tables of a test instead of its own.

    Args:
        plan: the plan.
        test: the name of the test in this process.
    """
    sources = PlanTables.of(plan).sources
    return plan.with_nodes([_replaced(node, sources, test) for node in plan.nodes])


def _replaced(node: PlanNode, sources: Mapping[str, CatalogTable], test: str) -> PlanNode:
    match node:
        case TableSourceScan():
            source = node.scan_table_source
            inserts = changelog_of(source.table.options, reading=True) in (None, ChangelogMode.INSERT)
            # Filters that a changelog's source was given have no effect, and operators above apply them.
            abilities = tuple(item for item in source.abilities if inserts or not isinstance(item, FilterPushDown))
            table = _table(sources[table_id(source.table)], test)
            update = {"table": table, "abilities": abilities}
            return node.model_copy(update={"scan_table_source": source.model_copy(update=update), "dead_letters": None})
        case LookupJoin():
            temporal = node.temporal_table
            lookup = temporal.lookup_table_source
            lookup = lookup.model_copy(update={"table": _table(lookup.table, test)})
            return node.model_copy(
                update={"temporal_table": temporal.model_copy(update={"lookup_table_source": lookup})}
            )
        case Sink():
            sink = node.dynamic_table_sink
            sink = sink.model_copy(update={"table": _table(sink.table, test)})
            return node.model_copy(update={"dynamic_table_sink": sink})
        case LateRowsNode() if node.late_rows:
            late = (item.model_copy(update={"table": _table(item.table, test)}) for item in node.late_rows)
            return node.model_copy(update={"late_rows": tuple(late)})
    return node


def _metadata_types(abilities: Sequence[SourceAbility]) -> Mapping[str, LogicalType]:
    """The types in which a source emits its metadata, by key; the plan casts them to the declared ones."""
    types: dict[str, LogicalType] = {}
    for ability in abilities:
        if isinstance(ability, ReadingMetadata) and ability.metadata_keys:
            produced = ability.produced_type.types[-len(ability.metadata_keys) :]
            types |= zip(ability.metadata_keys, produced, strict=True)
    return types


def _with_types(table: CatalogTable, metadata: Mapping[str, LogicalType]) -> CatalogTable:
    """A table whose metadata columns have these types."""
    resolved = table.resolved_table
    if resolved is None or not metadata:
        return table
    columns = [
        column.model_copy(update={"data_type": metadata[column.key]})
        if isinstance(column, MetadataColumn) and column.key in metadata
        else column
        for column in resolved.table_schema.columns
    ]
    schema = resolved.table_schema.model_copy(update={"columns": tuple(columns)})
    return table.model_copy(update={"resolved_table": resolved.model_copy(update={"table_schema": schema})})


def _table(table: CatalogTable, test: str) -> CatalogTable:
    resolved = table.resolved_table
    if resolved is None:
        return table
    columns = "\x1f".join(column.name for column in table.stored_columns)
    options = {
        "connector": SPEC.name,
        "id": table_id(table),
        "replaces": json.dumps(options_of(table)),
        "test": test,
        "columns": columns,
    }
    return table.model_copy(update={"resolved_table": resolved.model_copy(update={"options": options})})
