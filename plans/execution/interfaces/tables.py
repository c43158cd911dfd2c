"""The tables of scans and sinks."""

from __future__ import annotations

from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.tables import CatalogTable, ResolvedTable


def table_of(node: TableSourceScan | Sink) -> CatalogTable:
    """The table that a scan reads or a sink writes."""
    spec = node.scan_table_source if isinstance(node, TableSourceScan) else node.dynamic_table_sink
    return spec.table


def resolved_table(node: TableSourceScan | Sink) -> ResolvedTable:
    """Schema and options of the table of a scan or sink."""
    found = table_of(node).resolved_table
    assert found is not None
    return found
