"""Random changes of random programs: nothing is silently wrong, and what the verdict calls right is right.

A pair is a program, and what it becomes by one to three changes; it runs the old one until a random moment of its
input, and goes on with the new one, on other partitions or another host at times. Where no verdict above a sink is
below fully compatible, the sink holds what the new program gives from scratch; where one is, it may differ. What is
incompatible or unknown is refused by name and changes nothing on disk.

`UPGRADE_SEED` is that of the first pair, `UPGRADE_PAIRS` how many there are; a failure prints the seed of its pair.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.options import GROUPS, TRANSFORM
from compiled_plan.plans.inspection.diff.model import Verdict
from tests.upgrades.bench import Setting, Table, contents, run, table_of
from tests.upgrades.chance.pairs import Pair, pair
from tests.upgrades.chance.rows import halves
from tests.upgrades.chance.shapes import OPERATORS
from tests.upgrades.programs import merged, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SEED = int(os.environ.get("UPGRADE_SEED", "1"))
#: Pairs that run together, as parts of one plan that share nothing.
TOGETHER = 13
_MODES = {Verdict.FULL: "migrate", Verdict.PARTIAL: "migrate-partial"}


@dataclass(frozen=True)
class Group:
    """Pairs that run together: of one verdict and one clock, or all of their plan would have the worst of all."""

    pairs: tuple[Pair, ...]
    old: Setting
    new: Setting

    def __str__(self) -> str:
        """How it ran."""
        return (
            f"{self.old.host} in {self.old.partitions} -> {self.new.host} in {self.new.partitions}, {self.new.upgrade}"
        )


def grouped(pairs: Sequence[Pair], draw: Random) -> Iterator[Group]:
    """All pairs that go on, in groups."""
    for verdict in (Verdict.FULL, Verdict.PARTIAL):
        for timed in (False, True):
            some = [each for each in pairs if each.diff.verdict is verdict and each.timed == timed]
            for at in range(0, len(some), TOGETHER):
                hosts = [TRANSFORM if timed else draw.choice((TRANSFORM, GROUPS)) for _ in range(2)]
                # By itself a start moves state only where it must.
                upgrade = "check" if verdict is Verdict.FULL and draw.random() < 0.5 else _MODES[verdict]
                old = Setting(host=hosts[0], partitions=draw.choice((1, 2, 3)))
                new = Setting(upgrade=upgrade, host=hosts[1], partitions=draw.choice((1, 2, 2, 4)))
                yield Group(tuple(some[at : at + TOGETHER]), old, new)


@dataclass
class Place:
    """A folder in which a group runs."""

    spark: SparkSession
    folder: Path
    group: Group

    def add(self, *parts: int) -> None:
        """The first half of the rows of all pairs, the second, or both."""
        for each in self.group.pairs:
            rows = halves(Random(each.seed))
            for part in parts:
                write(self.folder / each.name, part, rows[part])

    def start(self, new: bool, setting: Setting) -> None:
        """The old or the new programs, over what is there."""
        plans = {
            each.name: (each.new if new else each.old).compiled(self.folder / each.name) for each in self.group.pairs
        }
        run(self.spark, merged(plans), self.folder / "checkpoint", setting)

    def rows(self, each: Pair, sink: str) -> Table:
        """What a sink of a pair holds."""
        return table_of(self.folder / each.name / sink, keyed=sink.startswith("keyed"))


def wrong(spark: SparkSession, folder: Path, group: Group) -> list[str]:
    """What is not as the verdicts say."""
    upgraded, scratch = (Place(spark, folder / name, group) for name in ("upgraded", "scratch"))
    try:
        upgraded.add(0)
        upgraded.start(False, group.old)
        upgraded.add(1)
        upgraded.start(True, group.new)
        scratch.add(0, 1)
        scratch.start(True, Setting())
    except CompiledPlanError as fault:
        if len(group.pairs) == 1:
            return [f"{group}\n{group.pairs[0]}\n{fault}"]
        # One of them: each by itself says which.
        alone = [Group((each,), group.old, group.new) for each in group.pairs]
        found = [text for at, each in enumerate(alone) for text in wrong(spark, folder / f"alone-{at}", each)]
        return found or [f"together, but none alone: {', '.join(str(each.seed) for each in group.pairs)}\n{fault}"]
    found = []
    for each in group.pairs:
        for sink in each.equal:
            got, right = upgraded.rows(each, sink), scratch.rows(each, sink)
            if got != right:
                found.append(f"{group}\n{each}\n{sink} has\n  {got}\nnot\n  {right}")
    return found


def refusal(spark: SparkSession, folder: Path, each: Pair) -> list[str]:
    """What is wrong with how a pair is refused: it starts, names nothing, or changes something."""
    place = Place(spark, folder, Group((each,), Setting(), Setting(upgrade="migrate-partial")))
    place.add(0)
    place.start(False, place.group.old)
    place.add(1)
    before = contents(folder)
    try:
        place.start(True, place.group.new)
    except CompiledPlanError as fault:
        named = [part.uid for part in each.diff.operators if part.verdict.rank >= Verdict.UNKNOWN.rank]
        named += [part.name for part in each.diff.sources if part.verdict.rank >= Verdict.UNKNOWN.rank]
        named += [part.name for part in each.diff.sinks if part.verdict.rank >= Verdict.UNKNOWN.rank]
        silent = not any(name in str(fault) for name in named)
        changed = contents(folder) != before
        return [f"{each}\nsilent: {silent}, changed: {changed}\n{fault}"] if silent or changed else []
    return [f"{each}\nis not refused"]


def tried(spark: SparkSession, folder: Path, count: int, refusals: int) -> list[str]:
    """All pairs of a run, and of those that are refused some."""
    pairs = [pair(seed) for seed in range(SEED, SEED + count)]
    counts = Counter(each.diff.verdict.value for each in pairs)
    print(f"{count} pairs from seed {SEED}: {dict(counts)}", flush=True)
    found: list[str] = []
    for number, group in enumerate(grouped(pairs, Random(SEED))):
        found += wrong(spark, folder / f"group-{number}", group)
        print(f"group {number}, {len(group.pairs)} pairs, {group}: {len(found)} wrong so far", flush=True)
    refused = [each for each in pairs if each.diff.verdict not in _MODES][:refusals]
    for each in refused:
        found += refusal(spark, folder / each.name, each)
    for text in found:
        print(text, flush=True)
    return found


def test_every_operator_has_a_shape() -> None:
    assert {
        "group-aggregate",
        "join",
        "multi-join",
        "deduplicate",
        "rank",
        "changelog-normalize",
        "sink",
        "over-aggregate",
        "window-aggregate",
        "window-join",
        "window-rank",
        "window-deduplicate",
        "interval-join",
        "temporal-join",
        "match",
        "temporal-sort",
    } == OPERATORS


def test_a_seed_makes_the_same_pair_again() -> None:
    assert [pair(seed) for seed in (3, 40)] == [pair(seed) for seed in (3, 40)]


@pytest.mark.deep
def test_random_changes(spark: SparkSession, tmp_path: Path) -> None:
    assert tried(spark, tmp_path, 25, 1) == []


@pytest.mark.deep
def test_many_random_changes(spark: SparkSession, tmp_path: Path) -> None:
    assert tried(spark, tmp_path, int(os.environ.get("UPGRADE_PAIRS", "500")), 40) == []
