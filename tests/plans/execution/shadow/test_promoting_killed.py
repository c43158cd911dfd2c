"""Promotions by processes that end at any step on disk: the old program is in force or the new one, each row once."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.shadow.report import ShadowReport
from tests.plans.execution.disk_steps import Crash, DiskSteps
from tests.plans.execution.shadow.test_promoting import WHERE, interrupt, promoted, sold
from tests.plans.execution.shadow.test_promoting_corrections import LATER, started
from tests.plans.execution.shadow.test_shadow import SOLD, TABLES, TOTALS, sale, together
from tests.plans.execution.state.checkpoint.places import Place
from tests.plans.execution.state.upgrade import test_corrections as corrections

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The second program: another state, another filter, both at once, and a call that starts empty.
CHANGES = (
    together(WHERE, SOLD),
    together(TOTALS, SOLD.replace("> 2", "> 1 AND price > 2")),
    together(TOTALS.replace("SUM(pieces)", "MAX(pieces)"), SOLD),
    together(WHERE.replace("SUM(pieces)", "COUNT(*)"), SOLD),
)


class Chain:
    """Promotions of one checkpoint after another, between two programs; `sold` has each row that either has read."""

    def __init__(self, place: Place, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
        self.place, self.chance, self.disk = place, random.Random(seed), DiskSteps(monkeypatch)
        self.number, self.ends = 0, {"before": 0, "after": 0}

    def add(self) -> None:
        self.number += 1
        self.place.add({"sales": [sale("xyz"[self.number % 3], 10 * self.number + at) for at in range(3)]})

    def once(self, most: int) -> int:
        """Promote a changed program, in processes that end; return the number of steps of the last one."""
        place, chance = self.place, self.chance
        old, new = place.compiled(TABLES, together(TOTALS, SOLD)), place.compiled(TABLES, chance.choice(CHANGES))
        self.add()
        place.run(old)
        before = len(place.heads())

        def run_on(report: ShadowReport) -> None:
            if report.rounds == 1:
                self.disk.allow()
                self.add()
                place.run(old)
                if chance.random() < 1 / 2:
                    self.add()
                    interrupt(place, old)
                self._end_early(most)

        while True:
            try:
                promoted(place, new, run_on)
                break
            except Exception:
                if self._is_new(before):
                    break
                place.run(old)
        steps = self.disk.count
        self.disk.allow()
        assert place.heads()[before:][0][1] == "promote"
        self.add()
        place.run(new)
        self.check()
        return steps

    def once_corrected(self, most: int) -> int:
        """Promote a program that corrects its table, and start it, in processes that end; return as `once`."""
        place, chance = self.place, self.chance
        change = chance.choice([*corrections.CHANGES])
        old, new = (corrections.compiled(place, statement) for statement in corrections.CHANGES[change])
        place.run(old)

        def run_on(report: ShadowReport) -> None:
            if report.rounds == 1:
                self.disk.allow()
                place.add(dict(LATER))
                place.run(old)
                self._end_early(most)

        self._end_early(most)
        while place.heads()[1:] == []:
            try:
                promoted(place, new, run_on, upgrade="correct")
            except Exception:
                if not self._is_new(1):
                    place.run(old)
        steps = self.disk.count
        self.disk.allow(chance.randrange(60) if most else None)
        with suppress(ExecutionError, Crash):
            started(place, new)
        self.disk.allow()
        place.run(new)
        name = "towns" if corrections.CHANGES[change][0] is corrections.BY_TOWN else "totals"
        fresh = corrections.from_scratch(place, corrections.CHANGES[change][1])
        assert corrections.rows(place.folder, name) == corrections.rows(place.folder, name, fresh), change
        return steps

    def _end_early(self, most: int) -> None:
        self.disk.allow(self.chance.randrange(most) if most and self.chance.random() < 3 / 4 else None)

    def _is_new(self, before: int) -> bool:
        """Return True if a process that has ended had put the new program in force."""
        # The death of a process in a micro-batch is the failure of its query.
        assert self.disk.count
        self.disk.allow()
        is_new = self.place.heads()[before:] != []
        self.ends["after" if is_new else "before"] += 1
        return is_new

    def check(self) -> None:
        expected = [(row["shop"], row["price"]) for row in self._read() if row["price"] > 2]
        assert sold(self.place) == sorted(expected)

    def _read(self) -> list[dict[str, int]]:
        files = sorted((self.place.folder / "sales").glob("*.json"))
        return [json.loads(line) for file in files for line in file.read_text().splitlines()]


@pytest.mark.parametrize("rounds", [pytest.param(2, marks=pytest.mark.wide), pytest.param(50, marks=pytest.mark.deep)])
@pytest.mark.parametrize("corrected", [False, True], ids=["plain", "corrected"])
def test_promotions_that_end_at_any_step(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, corrected: bool, rounds: int
) -> None:
    seed, ends, most = random.randrange(10**6), {"before": 0, "after": 0}, 0
    print(f"seed {seed}")
    for number in range(rounds + 1):
        place = Place(spark, tmp_path / str(number))
        place.folder.mkdir()
        if corrected:
            corrections.begin(place)
        chain = Chain(place, monkeypatch, seed + number)
        most = max(most, chain.once_corrected(most) if corrected else chain.once(most))
        ends = {name: count + chain.ends[name] for name, count in ends.items()}
        print(f"{number}: {most} steps; ends: {ends}", flush=True)
    # Of two rounds each may happen to end late, or not at all.
    assert ends["before"] or rounds == 2
