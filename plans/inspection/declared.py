"""Declarations of connectors and formats, for the rules of the tables in plans."""

from __future__ import annotations

from collections.abc import Mapping

from compiled_plan.plans.connectors.checks import changelog_of, metadata_faults, metadata_of, table_faults
from compiled_plan.plans.connectors.dead_letters import column_faults, dead_letter_table
from compiled_plan.plans.connectors.registry import connector_spec
from compiled_plan.plans.nodes.declared import Declared
from compiled_plan.plans.types import LogicalType


class _Declared:
    faults = staticmethod(table_faults)
    dead_letter_faults = staticmethod(column_faults)
    metadata_faults = staticmethod(metadata_faults)
    dead_letters_to = staticmethod(dead_letter_table)
    changes = staticmethod(changelog_of)

    @staticmethod
    def is_read(options: Mapping[str, str]) -> bool:
        connector = connector_spec(options.get("connector"))
        return connector is None or connector.source is not None

    @staticmethod
    def metadata(options: Mapping[str, str]) -> Mapping[str, LogicalType] | None:
        columns = metadata_of(options)
        return None if columns is None else {key: item.type for key, item in columns.items() if item.readable}


#: The declarations in `plans.connectors`.
DECLARED: Declared = _Declared()
