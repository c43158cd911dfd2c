"""Damaged checkpoints: a start is refused with a message, or the run gives exactly the right rows."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.plans.execution.state.checkpoint.damaging import Damage, Damaged, compacted
from tests.plans.execution.state.checkpoint.places import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

PROPER = {"refused", "failed", "went on"}

#: Damages that gave wrong rows, or errors of Java: the file, the damage and the expected outcome.
TELLING = (
    (r"sources/sales/\d+\.compact", "letter", "removed", "refused"),
    (r"sources/sales/\d+", "first line", "removed", "refused"),
    (r"sources/sales/\d+", "first line", "kept", "refused"),
    (r"sources/sales/\d+", "removed", "kept", "refused"),
    (r"offsets/7", "flipped", "removed", "refused"),
    (r"offsets/7", "swapped", "moved", "refused"),
    (r"commits/7", "letter", "removed", "refused"),
    (r"metadata", "truncated", "removed", "refused"),
    (r"compiled-plan/digests", "removed", "kept", "refused"),
    (r"compiled-plan/digests", "older", "kept", "refused"),
    (r"compiled-plan/written.json", "letter", "kept", "refused"),
    (r"compiled-plan/programs/1/description.json", "letter", "kept", "refused"),
    (r"state/0/0/5_.*\.changelog", "swapped", "moved", "failed"),
    (r"state/0/0/5_.*\.changelog", "letter", "removed", "failed"),
    (r"state/0/0/\d_.*\.zip", "empty", "removed", "went on"),
)


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Iterator[Place]:
    interval = "spark.sql.streaming.fileSource.log.compactInterval"
    before = spark.conf.get(interval)
    (tmp_path / "place").mkdir()
    yield Place(spark, tmp_path / "place")
    spark.conf.set(interval, before or "10")


@pytest.mark.wide
@pytest.mark.attack
def test_telling_damages(place: Place) -> None:
    damaged = compacted(place)
    files = damaged.files()
    outcomes = {}
    for pattern, how, checksums, _ in TELLING:
        name = next(name for name in reversed(files) if re.fullmatch(f"generations/1/{pattern}", name))
        outcomes[pattern, how, checksums] = damaged.outcome(Damage(name, how, checksums, seed=1))
    assert outcomes == {(pattern, how, checksums): outcome for pattern, how, checksums, outcome in TELLING}


@pytest.mark.attack
@pytest.mark.deep
@pytest.mark.parametrize("base", ["compacted", "set", "moved"])
def test_500_damages(base: str, place: Place) -> None:
    """167 effective ones of each base."""
    damaged = compacted(place) if base == "compacted" else Damaged(place, migrates=base == "moved")
    outcomes, faults = Counter[str](), list[tuple[Damage, str]]()
    tried = ((damage, damaged.outcome(damage)) for damage in damaged.damages(len(base)))
    for damage, outcome in islice((one for one in tried if one[1] != "none"), 167):
        outcomes[outcome if outcome in PROPER else "fault"] += 1
        if outcome not in PROPER:
            faults.append((damage, outcome))
            print(damage, outcome, flush=True)
    print(base, dict(outcomes), flush=True)
    assert not faults
