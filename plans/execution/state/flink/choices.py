"""Choices of an import or export: positions at which sources start, operators that start empty."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.state.flink.report import Outcome
from compiled_plan.plans.inspection.named_operators import NamedOperator, suggested
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.tables import CatalogTable
from compiled_plan.plans.plan import CompiledPlan

#: The value of `--reset` for all operators.
_ALL = "all"


class Fate(NamedTuple):
    """The outcome of an operator's state, with the reason and the remedy."""

    outcome: Outcome
    why: str = ""
    remedy: str = ""


class ChosenSource(NamedTuple):
    """A scan, its table, and the value of `--start`; empty to continue at its position."""

    scan: TableSourceScan
    name: str
    table: CatalogTable
    start: str


@dataclass(frozen=True, slots=True)
class Choices:
    """The options that imports and exports share.

    Args:
        starts: positions of sources by table; see `positions.reading.position_of`. An export knows "earliest" alone.
        reset: uids of operators that start empty; "all" for all whose state is refused.
    """

    starts: Mapping[str, str] = field(default_factory=dict)
    reset: frozenset[str] = frozenset()

    def check_reset(self, uids: Collection[str], holder: str) -> None:
        """Raise if `--reset` names an operator without state; `holder` is the plan or the checkpoint.

        Raises:
            CheckpointError: names the operator, and those with state.
        """
        unknown = self.reset - {_ALL, *uids}
        if unknown:
            raise CheckpointError(
                f"--reset {min(unknown)}: no operator of the {holder} has state and this uid",
                remedy=suggested(min(unknown), map(NamedOperator, uids)),
            )

    def refused(self, why: str, remedy: str) -> Fate:
        """The fate of state that cannot be converted."""
        if _ALL in self.reset:
            return Fate(Outcome.EMPTY, f"--reset {_ALL}: {why}")
        return Fate(Outcome.REFUSED, why, remedy)

    def sources(self, plan: CompiledPlan) -> list[ChosenSource]:
        """The sources of a plan.

        Raises:
            CheckpointError: `--start` names a table that the plan does not read; names those that it reads.
        """
        scans = [node for node in plan.in_order if isinstance(node, TableSourceScan)]
        tables = [scan.scan_table_source.table for scan in scans]
        unknown = self.starts.keys() - {table.name for table in tables}
        if unknown:
            raise CheckpointError(
                f"--start {min(unknown)}: the plan reads no table of this name",
                remedy=f"tables that it reads: {', '.join(sorted(table.name for table in tables))}",
            )
        return [
            ChosenSource(scan, table.name, table, self.starts.get(table.name, ""))
            for scan, table in zip(scans, tables, strict=True)
        ]
