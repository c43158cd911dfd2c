"""Random changes of random programs: the results have the differences that the verdict names, and no others.

A pair is a program, and the same after one to three changes; the old one runs until a random point of its
input, and the new one continues, sometimes with other partitions or another host. If it is fully compatible, the
sinks must equal the new program's results from scratch; if partially compatible, what follows from these and the
verdict (see `expected`). Incompatible or unknown changes are refused by name and change nothing on disk.

A few fixed pairs run with `make test-wide`, and many with `make test-deep`: `UPGRADE_SEED` is the seed of the
first, `UPGRADE_PAIRS` their number; a failure prints the seed of its pair.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Sequence
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
#: Pairs of `make test-wide`: together they edit every property that changes a result, in event time and without.
FIXED = (54, 78, 79, 85, 97, 112, 125, 127)


def tried(spark: SparkSession, folder: Path, seeds: Sequence[int]) -> list[str]:
    """Errors of the pairs of a run."""
    pairs = [pair(seed) for seed in seeds]
    print(f"\n{len(pairs)} pairs from seed {seeds[0]} (UPGRADE_SEED)\n{figures(pairs)}", flush=True)
    problems: list[str] = []
    for number, group in enumerate(grouped(pairs, Random(seeds[0]))):
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
    """Number of pairs by operator and verdict, and by basis of comparison."""
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


def test_the_fixed_pairs_edit_all_properties() -> None:
    pairs = [pair(seed) for seed in FIXED]
    edits = [edit for pair in pairs for operator in pair.diff.operators for edit in operator.edits]
    properties = {edit.property.split()[-1] for edit in edits if edit.verdict is Verdict.PARTIAL}
    assert properties >= {"aggregates", "bounds", "columns", "condition", "filter", "ranks", "type"}
    assert {(pair.diff.verdict, pair.timed) for pair in pairs} == {
        (verdict, timed) for verdict in (Verdict.FULL, Verdict.PARTIAL) for timed in (False, True)
    }


@pytest.mark.wide
def test_random_changes(spark: SparkSession, tmp_path: Path) -> None:
    assert tried(spark, tmp_path, FIXED) == []


@pytest.mark.deep
def test_many_random_changes(spark: SparkSession, tmp_path: Path) -> None:
    count = int(os.environ.get("UPGRADE_PAIRS", "500"))
    assert tried(spark, tmp_path, range(SEED, SEED + count)) == []
