"""Random changes of random programs: what the verdict calls right is right, and what it names differs, nothing else.

A pair is a program, and what it becomes by one to three changes; it runs the old one until a random moment of its
input, and goes on with the new one, on other partitions or another host at times. What is fully compatible holds in the
end what the new program gives from scratch; what is partially compatible, what follows from that and from what the
verdict names (see `expected`). What is incompatible or unknown is refused by name and changes nothing on disk.

`UPGRADE_SEED` is that of the first pair, `UPGRADE_PAIRS` how many there are; a failure prints the seed of its pair.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from compiled_plan.plans.inspection.judging.verdicts import Verdict
from tests.upgrades.chance.pairs import Pair, pair
from tests.upgrades.chance.shapes import OPERATORS
from tests.upgrades.chance.trial import grouped, not_refused, refused, wrong

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SEED = int(os.environ.get("UPGRADE_SEED", "1"))


def tried(spark: SparkSession, folder: Path, count: int) -> list[str]:
    """What is wrong with the pairs of a run."""
    pairs = [pair(seed) for seed in range(SEED, SEED + count)]
    print(f"\n{count} pairs from seed {SEED} (UPGRADE_SEED)\n{figures(pairs)}", flush=True)
    problems: list[str] = []
    for number, group in enumerate(grouped(pairs, Random(SEED))):
        begun = time.monotonic()
        new = wrong(spark, folder / f"group-{number}", group)
        took = time.monotonic() - begun
        print(f"group {number}, {len(group.pairs)} pairs, {group}: {took:.0f} s, {len(new)} wrong", flush=True)
        print("\n".join(new), flush=True)
        problems += new
    for number, group in enumerate(refused(pairs)):
        begun = time.monotonic()
        new = not_refused(spark, folder / f"refused-{number}", group)
        took = time.monotonic() - begun
        print(f"refused {number}, {len(group.pairs)} pairs: {took:.0f} s, {len(new)} wrong", flush=True)
        print("\n".join(new), flush=True)
        problems += new
    return problems


def figures(pairs: list[Pair]) -> str:
    """How many pairs there are of each operator and verdict, and by what their sinks are judged."""
    verdicts = Counter((pair.old.statements[0].shape.operator, pair.diff.verdict) for pair in pairs)
    lines = [
        f"  {operator}: " + ", ".join(f"{verdicts[operator, verdict]} {verdict.value}" for verdict in Verdict)
        for operator in sorted(OPERATORS)
    ]
    bases = Counter(
        (pair.diff.verdict.value, expectation.basis.value) for pair in pairs for expectation in pair.expected.values()
    )
    total = Counter(pair.diff.verdict.value for pair in pairs)
    return "\n".join([*lines, f"  in all: {dict(total)}; sinks: {dict(bases)}"])


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


def test_random_changes(spark: SparkSession, tmp_path: Path) -> None:
    assert tried(spark, tmp_path, 25) == []


@pytest.mark.deep
def test_many_random_changes(spark: SparkSession, tmp_path: Path) -> None:
    assert tried(spark, tmp_path, int(os.environ.get("UPGRADE_PAIRS", "500"))) == []
