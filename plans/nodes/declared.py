"""What the rules of tables ask about connectors, whose declarations stand above the plan; `inspection` answers."""

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
    option: str = ""  # the option that is wrong; empty where one is missing or it is about columns
    supported: bool = True  # False where Flink has it and it does not run here
    #: True where Flink may know it, from a jar of the user's: a plan with it can be edited, not run.
    foreign: bool = False


class Declared(Protocol):
    """The declarations of connectors, asked by the options of a table."""

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
        """All that keeps a table from being read or written."""

    def dead_letter_faults(self, table: str, columns: RowType, others: Sequence[str]) -> Iterable[TableFault]:
        """All that keeps a table with these columns, and others of metadata, from taking dead letters."""

    def is_read(self, options: Mapping[str, str]) -> bool:
        """Whether the table can be read as a whole; True where its connector is not known."""

    def metadata(self, options: Mapping[str, str]) -> Mapping[str, LogicalType] | None:
        """The metadata that can be read, by the connector's name for it; None where the connector is not known."""

    def metadata_faults(
        self, table: str, options: Mapping[str, str], keys: Collection[str], *, reading: bool
    ) -> Iterable[TableFault]:
        """All that keeps a table from giving or taking metadata, by its keys."""

    def dead_letters_to(self, options: Mapping[str, str]) -> str:
        """The table of the program for records that cannot be read; empty for none."""

    def changes(self, options: Mapping[str, str], *, reading: bool) -> ChangelogMode | None:
        """The kinds of rows that the table gives or takes; None where its options do not say."""
