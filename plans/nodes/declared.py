"""Queries of table rules to the declarations of connectors, which are in a higher layer; see `inspection.declared`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from compiled_plan.plans.types import LogicalType, RowType
from compiled_plan.plans.types.changelog import ChangelogMode


@dataclass(frozen=True, slots=True)
class TableFault:
    """A fault of a table."""

    message: str
    remedy: str
    option: str = ""  # the wrong option; empty if an option is missing or columns are at fault
    supported: bool = True  # False if Flink has the feature and it is not supported here
    #: True if Flink may know it from a user's jar: a plan with it can be edited, not run.
    foreign: bool = False


class Declared(Protocol):
    """The declarations of connectors, looked up by the options of a table."""

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
        """Faults that prevent reading or writing a table."""

    def dead_letter_faults(self, table: str, columns: RowType, others: Sequence[str]) -> Iterable[TableFault]:
        """Faults that prevent a table with these columns, and `others` of metadata, from taking dead letters."""

    def is_read(self, options: Mapping[str, str]) -> bool:
        """Return True if the table can be scanned, or its connector is unknown."""

    def metadata(self, options: Mapping[str, str]) -> Mapping[str, LogicalType] | None:
        """Types of the readable metadata by the connector's key; None if the connector is unknown."""

    def metadata_faults(
        self, table: str, options: Mapping[str, str], keys: Collection[str], *, reading: bool
    ) -> Iterable[TableFault]:
        """Faults that prevent reading or writing metadata, by key."""

    def dead_letters_to(self, options: Mapping[str, str]) -> str:
        """The name of the table's dead-letter table; empty if there is none."""

    def changes(self, options: Mapping[str, str], *, reading: bool) -> ChangelogMode | None:
        """The changelog mode of a table that is read or written; None if its options do not determine it."""
