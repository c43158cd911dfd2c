"""Kinds of change without a query: the quick engine of tests migrates state as a start on a checkpoint does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.plans.execution.interfaces.connectors import DELETE, INSERT, UPDATE_AFTER, UPDATE_BEFORE
from compiled_plan.plans.execution.state.upgrade.refusing import UpgradeError
from compiled_plan.plans.execution.testing.engine import TableRows
from compiled_plan.plans.execution.testing.quick import QuickEngine
from compiled_plan.plans.execution.testing.replacing import PlanTables
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.nodes.tables import CatalogTable
from compiled_plan.testing.running import read_columns
from compiled_plan.testing.values import internal_row
from tests.upgrades import scratch
from tests.upgrades.bench import COLUMNS, Table, table_from
from tests.upgrades.kinds import KINDS
from tests.upgrades.kinds.model import FIRST, SECOND, Kind, Row
from tests.upgrades.programs import compiled

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RECORDED = scratch.recorded()
_FOLDER = Path("/data")
_ACCEPTED = (Verdict.FULL, Verdict.PARTIAL)
_PLAIN = [kind for kind in KINDS if not kind.needs_query]
_ENDS = (UPDATE_BEFORE, DELETE)


class QuickBench:
    """One kind on an engine without a query."""

    def __init__(self, spark: SparkSession, kind: Kind) -> None:
        self.kind, self.engine = kind, QuickEngine(spark, 0)
        self.read: set[str] = set()
        self.changes: list[tuple[dict[str, Any], int]] = []

    def run(self, rows: Mapping[str, Sequence[Row]], *, new: bool) -> None:
        """Run the old or the new program over rows; a table that was not read before has all rows so far."""
        tables = PlanTables.of(plan := compiled(self.kind, new, _FOLDER))
        self.engine.start(plan, bounded=True, migrates=new, accepts_partial=True)
        folders = {name: Path(table.options["path"]).name for name, table in tables.sources.items()}
        late = {*folders.values()} - self.read if new else set()
        self.engine.feed(
            {
                name: _rows(tables.sources[name], [*(FIRST[folder] if folder in late else ()), *rows[folder]])
                for name, folder in folders.items()
            }
        )
        self.read |= {*folders.values()}
        for name, chunks in self.engine.take().items():
            table = tables.sinks[name]
            for chunk in chunks if table.name == self.kind.sink else ():
                names = [column.name for column in table.stored_columns]
                for kind, *values in zip(chunk.kinds, *chunk.columns, strict=True):
                    self.changes.append((dict(zip(names, values, strict=True)), -1 if kind in _ENDS else 1))

    def rows(self) -> Table:
        """The rows of the sink, which may have had other columns."""
        names = [name for name in COLUMNS if any(name in row for row, _ in self.changes)]
        rows = [(tuple(row.get(name) for name in names), sign) for row, sign in self.changes]
        return table_from(rows, keyed=self.kind.keyed)


def _rows(table: CatalogTable, rows: Iterable[Row]) -> TableRows:
    row_type, keys = read_columns(table)
    kinds, values = [], []
    for kind, row in _events(rows):
        kinds.append(kind)
        values.append(internal_row({name: row[name] for name in row if row_type.field_named(name)}, row_type))
    return TableRows(kinds, range(len(kinds)), values, keys)


def _events(rows: Iterable[Row]) -> Iterator[tuple[int, Row]]:
    for row in rows:
        if "op" not in row:
            yield INSERT, row
            continue
        before, after = row["before"], row["after"]
        if before is not None:
            yield (DELETE if after is None else UPDATE_BEFORE), before
        if after is not None:
            yield (INSERT if before is None else UPDATE_AFTER), after


@pytest.mark.sampled(6)
@pytest.mark.parametrize("kind", [kind for kind in _PLAIN if kind.verdict in _ACCEPTED], ids=lambda kind: kind.name)
def test_the_state_goes_on(kind: Kind, spark: SparkSession) -> None:
    bench = QuickBench(spark, kind)
    bench.run(FIRST, new=False)
    bench.run(SECOND, new=True)
    assert bench.rows() == (RECORDED[kind.name] if kind.result is None else sorted(kind.result, key=str))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("kind", [kind for kind in _PLAIN if kind.verdict not in _ACCEPTED], ids=lambda kind: kind.name)
def test_a_start_is_refused(kind: Kind, spark: SparkSession) -> None:
    bench = QuickBench(spark, kind)
    bench.run(FIRST, new=False)
    with pytest.raises(UpgradeError, match=kind.names):
        bench.run(SECOND, new=True)
