"""Sources: table scans and constant rows."""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan.plans.findings import Fault, refusal
from compiled_plan.plans.nodes.base import INSERTS, NO_INPUT, Inputs, PlanNode
from compiled_plan.plans.nodes.fields import RexJson
from compiled_plan.plans.nodes.model import Enforcing
from compiled_plan.plans.nodes.rules import expressions, output
from compiled_plan.plans.nodes.table_rules import (
    catalog_table_faults,
    dead_letter_faults,
    metadata_faults,
    source_faults,
    source_row,
)
from compiled_plan.plans.nodes.tables import CatalogTable, ReadingMetadata, TableSource, WatermarkPushDown
from compiled_plan.plans.types.changelog import ChangelogMode


class TableSourceScan(PlanNode):
    """Scan of a table through its connector."""

    NAME = "stream-exec-table-source-scan"
    TITLE = "Read {table}"
    VERSION = 2
    INPUTS = NO_INPUT
    TAIL = ("dead_letters",)

    scan_table_source: Enforcing[TableSource]
    #: The table for unreadable records; Flink ignores the field.
    dead_letters: CatalogTable | None = None

    @property
    def watermark(self) -> WatermarkPushDown | None:
        """The watermark that is pushed into the source; None if there is none."""
        watermarks = (ability for ability in self.scan_table_source.abilities if isinstance(ability, WatermarkPushDown))
        return next(watermarks, None)

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        source = self.scan_table_source
        wrong = [
            *catalog_table_faults(source.table, ("scanTableSource", "table"), inputs.declared, reading=True),
            *source_faults(source, ("scanTableSource",), inputs.declared),
        ]
        yield from wrong
        keys = [
            key for ability in source.abilities if isinstance(ability, ReadingMetadata) for key in ability.metadata_keys
        ]
        if not wrong:
            yield from metadata_faults(source.table, keys, ("scanTableSource",), inputs.declared, reading=True)
        name = inputs.declared.dead_letters_to(source.table.options)
        if name and self.dead_letters is None:
            message = f"dead letters for the table {name!r}, which the plan does not have"
            yield refusal(("scanTableSource", "table"), message, "compile it again")
        if self.dead_letters is not None:
            yield from dead_letter_faults(self.dead_letters, ("deadLetters",), inputs.declared)
        table = source.table.resolved_table
        fit = all(fault.editable for fault in wrong)
        row = source_row(table, source.abilities) if fit and table is not None else None
        if row is not None:
            yield from output(self.output_type, row.types, "the table")

    def tables(self) -> tuple[tuple[tuple[str, ...], CatalogTable], ...]:
        letters = () if self.dead_letters is None else ((("deadLetters",), self.dead_letters),)
        return ((("scanTableSource", "table"), self.scan_table_source.table), *letters)


class TableSourceScanV1(TableSourceScan):
    """Scan of a table in older plans."""

    NAME = "stream-exec-table-source-scan"
    VERSION = 1


class Values(PlanNode):
    """Constant rows; empty if the optimizer reduced a filter to FALSE."""

    NAME = "stream-exec-values"
    TITLE = "Constant rows"
    INPUTS = NO_INPUT

    tuples: tuple[tuple[RexJson, ...], ...]

    def sends(self, received: ChangelogMode) -> ChangelogMode:
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
