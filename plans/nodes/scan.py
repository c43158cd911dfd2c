"""Sources: table scans and constant rows."""

from __future__ import annotations

from plans.nodes.base import NO_INPUT, Enforcing, PlanNode
from plans.nodes.fields import RexJson
from plans.nodes.tables import CatalogTable, TableSource


class TableSourceScan(PlanNode):
    """Reads a table."""

    NAME = "stream-exec-table-source-scan"
    VERSION = 2
    INPUTS = NO_INPUT

    scan_table_source: Enforcing[TableSource]

    def tables(self) -> tuple[tuple[tuple[str, ...], CatalogTable], ...]:
        return ((("scanTableSource", "table"), self.scan_table_source.table),)


class TableSourceScanV1(TableSourceScan):
    """Reads a table; the form of older plans."""

    NAME = "stream-exec-table-source-scan"
    VERSION = 1


class Values(PlanNode):
    """Constant rows; no rows at all where the optimizer found a filter to be false."""

    NAME = "stream-exec-values"
    INPUTS = NO_INPUT

    tuples: tuple[tuple[RexJson, ...], ...]
