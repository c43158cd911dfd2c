"""What is declared of connectors and formats, for the rules of the tables in plans."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from compiled_plan.plans.connectors.checks import changelog_of, metadata_faults, metadata_of, table_faults
from compiled_plan.plans.connectors.dead_letters import column_faults, dead_letter_table
from compiled_plan.plans.connectors.registry import connector_spec
from compiled_plan.plans.nodes.declared import Declared, TableFault
from compiled_plan.plans.types import LogicalType, RowType
from compiled_plan.plans.types.changelog import ChangelogMode


class _Declared:
    def faults(
        self,
        table: str,
        options: Mapping[str, str],
        columns: RowType,
        partition_keys: Collection[str] = (),
        *,
        reading: bool,
        lookup: bool = False,
        primary_key: Sequence[str] = (),
    ) -> Iterable[TableFault]:
        return table_faults(
            table, options, columns, partition_keys, reading=reading, lookup=lookup, primary_key=primary_key
        )

    def dead_letter_faults(self, table: str, columns: RowType, others: Sequence[str]) -> Iterable[TableFault]:
        return column_faults(table, columns, others)

    def is_read(self, options: Mapping[str, str]) -> bool:
        connector = connector_spec(options.get("connector"))
        return connector is None or connector.source is not None

    def metadata(self, options: Mapping[str, str]) -> Mapping[str, LogicalType] | None:
        found = metadata_of(options)
        return None if found is None else {key: item.type for key, item in found.items() if item.readable}

    def metadata_faults(
        self, table: str, options: Mapping[str, str], keys: Collection[str], *, reading: bool
    ) -> Iterable[TableFault]:
        return metadata_faults(table, options, keys, reading=reading)

    def dead_letters_to(self, options: Mapping[str, str]) -> str:
        return dead_letter_table(options)

    def changes(self, options: Mapping[str, str], *, reading: bool) -> ChangelogMode | None:
        return changelog_of(options, reading=reading)


#: The declarations in `plans.connectors`.
DECLARED: Declared = _Declared()
