"""Operators with pending timers migrate to another number of partitions, and end as if uninterrupted.

The first half of the rows leaves pending rows in each: an open window, a click whose rate is not
final, a row that may still match. Timers are in lists in the partition of their keys, so moved state
needs its timers set again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.plans.inspection.judging.verdicts import Verdict
from tests.support.once import once
from tests.upgrades.bench import Bench, Setting, Table, scratch
from tests.upgrades.kinds.matches import near, rated, rising
from tests.upgrades.kinds.model import FIRST, SECOND, Elsewhere, Kind
from tests.upgrades.kinds.over import over
from tests.upgrades.kinds.windows import HOUR, SESSION, joined, ranked, windows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_HOP = HOUR.replace("TUMBLE", "HOP").replace("'1' HOUR", "'30' MINUTE, INTERVAL '1' HOUR")
_CUMULATE = HOUR.replace("TUMBLE", "CUMULATE").replace("'1' HOUR", "'20' MINUTE, INTERVAL '1' HOUR")
_RANGE = " RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW"
#: Partitions of the two runs.
BEFORE, AFTER = 2, 5
QUERIES = {
    "tumbling-windows": windows("SUM(price)"),
    "hopping-windows": windows("SUM(price)", window=_HOP),
    "cumulating-windows": windows("SUM(price)", window=_CUMULATE),
    "sessions": windows("SUM(price)", window=SESSION.format(45)),
    "window-join": joined("guests").replace("c.shop, guests", "c.shop, guests * 1000 + price"),
    "window-outer-join": joined("COALESCE(guests, -1)", "FULL JOIN").replace("c.shop,", "COALESCE(c.shop, v.shop),"),
    "window-top-n": ranked("price"),
    "window-deduplication": ranked("price", order="at1 DESC"),
    "over-all-rows": over("SUM(price)", table="clicks", order="at1", then="").replace(",  FROM", " FROM"),
    "over-an-hour": over("SUM(price)", table="clicks", order="at1", frame=_RANGE, then="").replace(",  FROM", " FROM"),
    "interval-join": near("price", 30),
    "interval-outer-join": near("COALESCE(guests, -1)", 4, "LEFT JOIN"),
    "temporal-join": rated("price * rate"),
    "temporal-outer-join": rated("COALESCE(rate, -1)", kind="LEFT JOIN"),
    "match": rising(),
    "sort": "SELECT shop, price FROM clicks ORDER BY at1",
}
_UPSERTS = "SET 'table.exec.source.cdc-events-duplicate' = 'true';\n"
KINDS = tuple(
    Kind(
        name,
        "nothing",
        query,
        query,
        Verdict.FULL,
        Elsewhere.RESTORED,
        Elsewhere.ABSENT,
        tables=(_UPSERTS, _UPSERTS) if "rates" in query else ("", ""),
    )
    for name, query in QUERIES.items()
)
#: Few per plan: planning and compiling grow faster than the plan.
GROUPS = [KINDS[at : at + 5] for at in range(0, len(KINDS), 5)]


@pytest.fixture
def ends(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[Table]]:
    """By name, the rows at the stop, at the end, and at the end of an uninterrupted run."""

    def of(name: str) -> list[Table]:
        group = next(some for some in GROUPS if name in {kind.name for kind in some})
        ends = once(tmp_path_factory, f"timers-{group[0].name}", lambda: _ends(spark, tmp_path_factory, group))
        tables: list[Table] = ends[name]
        return tables

    return of


def _ends(spark: SparkSession, folders: pytest.TempPathFactory, kinds: Sequence[Kind]) -> dict[str, list[Table]]:
    moved = Bench(spark, folders.mktemp("moved"), kinds)
    moved.add(dict(FIRST), 1)
    moved.start(moved.plan(False), Setting(partitions=BEFORE))
    stopped = {kind.name: moved.rows(kind) for kind in kinds}
    moved.add(dict(SECOND), 2)
    moved.start(moved.plan(True), Setting("migrate", partitions=AFTER))
    _is_spread(moved.checkpoint)
    whole = Bench(spark, folders.mktemp("whole"), kinds)
    scratch(whole)
    return {kind.name: [stopped[kind.name], moved.rows(kind), whole.rows(kind)] for kind in kinds}


def _is_spread(checkpoint: Path) -> None:
    """Assert that the new generation has its number of partitions."""
    partitions = {len(list(stage.glob("[0-9]*"))) for stage in (checkpoint / "generations/2/state").glob("[0-9]*")}
    assert partitions == {AFTER}


@pytest.mark.parametrize("name", QUERIES)
def test_pending_timers_survive_a_migration(name: str, ends: Callable[[str], list[Table]]) -> None:
    stopped, got, right = ends(name)
    assert got == right
    assert len(stopped) < len(got), "something was still to come"
