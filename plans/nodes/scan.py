"""Sources: table scans and constant rows."""

from __future__ import annotations

from collections.abc import Iterator

from plans.connectors.declarations import Changes
from plans.findings import Fault
from plans.nodes.base import INSERTS, NO_INPUT, Enforcing, PlanNode
from plans.nodes.fields import RexJson
from plans.nodes.rules import Inputs, expressions, output
from plans.nodes.table_rules import catalog_table_faults, changes_of, source_faults, source_row
from plans.nodes.tables import CatalogTable, TableSource


class TableSourceScan(PlanNode):
    """Reads a table."""

    NAME = "stream-exec-table-source-scan"
    VERSION = 2
    INPUTS = NO_INPUT

    scan_table_source: Enforcing[TableSource]

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        source = self.scan_table_source
        wrong = [
            *catalog_table_faults(source.table, ("scanTableSource", "table"), reading=True),
            *source_faults(source, ("scanTableSource",)),
        ]
        yield from wrong
        table = source.table.resolved_table
        fit = all(fault.editable for fault in wrong)
        row = source_row(table, source.abilities) if fit and table is not None else None
        if row is not None:
            yield from output(self.output_type, row.types, "the table")

    def sends(self, received: Changes) -> Changes:
        return changes_of(self.scan_table_source.table, reading=True) or INSERTS

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

    def sends(self, received: Changes) -> Changes:
        return INSERTS

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        yield from output(self.output_type, self.output_type.types, "it")
        count = len(self.output_type.fields)
        for at, row in enumerate(self.tuples):
            if len(row) != count:
                message = f"a row of {len(row)} values, and the output type has {count} fields"
                yield Fault(("tuples", at), message, "one value for each field", len(row))
            else:
                yield from expressions(row, (), self.output_type.types, ("tuples", at))
