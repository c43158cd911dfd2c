"""Operators with pending timers migrate to another number of partitions, and end as if uninterrupted.

Timers are in lists in the partition of their keys, so moved state needs its timers set again.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.once import once
from tests.upgrades import scratch
from tests.upgrades.bench import Bench, Setting, Table, grouped
from tests.upgrades.kinds import TIMERS
from tests.upgrades.kinds.model import FIRST, SECOND, Kind

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Partitions of the two runs.
BEFORE, AFTER = 2, 3
RECORDED = scratch.recorded()


def _group(kind: Kind) -> Sequence[Kind]:
    some = [candidate for candidate in TIMERS if bool(candidate.covered_by) == bool(kind.covered_by)]
    return next(group for group in grouped(some) if kind in group)


def _ends(spark: SparkSession, folder: Path, kinds: Sequence[Kind]) -> dict[str, list[Table]]:
    """By name, the rows at the stop and at the end."""
    bench = Bench(spark, folder, kinds)
    bench.add(dict(FIRST), 1)
    bench.start(bench.plan(False), Setting(partitions=BEFORE))
    stopped = {kind.name: bench.rows(kind) for kind in kinds}
    bench.add(dict(SECOND), 2)
    bench.start(bench.plan(True), Setting("migrate", partitions=AFTER))
    _is_spread(bench.checkpoint)
    return {kind.name: [stopped[kind.name], bench.rows(kind)] for kind in kinds}


def _is_spread(checkpoint: Path) -> None:
    """Assert that the new generation has its number of partitions."""
    partitions = {len(list(stage.glob("[0-9]*"))) for stage in (checkpoint / "generations/2/state").glob("[0-9]*")}
    assert partitions == {AFTER}


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=pytest.mark.deep if kind.covered_by else pytest.mark.wide, id=kind.name)
        for kind in TIMERS
    ],
)
def test_pending_timers_survive_a_migration(
    kind: Kind, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> None:
    group = _group(kind)
    name = f"timers-{group[0].name}"
    ends = once(tmp_path_factory, name, lambda: _ends(spark, tmp_path_factory.mktemp(name), group))
    stopped, rows = ends[kind.name]
    assert [tuple(row) for row in rows] == RECORDED[kind.name]
    assert len(stopped) < len(rows), "something was still to come"
