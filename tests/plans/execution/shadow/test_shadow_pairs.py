"""Shadow runs of random pairs of programs: nothing differs that the difference of the plans does not name."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.shadow.report import Outcome
from compiled_plan.plans.execution.shadow.rounds import Limits
from compiled_plan.plans.execution.shadow.shadow import shadow
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from tests.upgrades.chance.pairs import pair
from tests.upgrades.chance.rows import halves
from tests.upgrades.programs import write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SEED = int(os.environ.get("UPGRADE_SEED", "1"))
#: Pairs of `make test-wide`: of both verdicts, in event time and without.
FIXED = (54, 78, 97, 112)


def unnamed(spark: SparkSession, folder: Path, seeds: Sequence[int]) -> list[str]:
    """The reports of pairs that differ otherwise than named."""
    problems, outcomes = list[str](), Counter[str]()
    for seed in seeds:
        some, place = pair(seed), folder / str(seed)
        if some.diff.verdict not in (Verdict.FULL, Verdict.PARTIAL):
            outcomes["refused"] += 1
            continue
        rows, checkpoint = halves(Random(seed)), str(place / "checkpoint")
        write(place, 0, rows[0])
        Run(spark, some.old.compiled(place), RunOptions(checkpoint=checkpoint, available_now=True)).execute()
        write(place, 1, rows[1])
        try:
            report = shadow(spark, some.new.compiled(place), RunOptions(checkpoint=checkpoint), Limits())
        except UnsupportedError:
            # Each of the programs reads a table that the other one does not.
            outcomes["refused"] += 1
            continue
        outcomes[report.outcome.value] += 1
        assert report.rows_in
        if report.outcome is Outcome.OTHERWISE:
            problems.append("\n".join([str(some), *report.lines()]))
        print(f"seed {seed}, {some.diff.verdict.value}: {report.outcome.value}, {report.seconds:.1f} s", flush=True)
    print(dict(outcomes), flush=True)
    return problems


@pytest.mark.wide
def test_random_changes(spark: SparkSession, tmp_path: Path) -> None:
    assert unnamed(spark, tmp_path, FIXED) == []


@pytest.mark.deep
def test_many_random_changes(spark: SparkSession, tmp_path: Path) -> None:
    count = int(os.environ.get("UPGRADE_PAIRS", "200"))
    assert unnamed(spark, tmp_path, range(SEED, SEED + count)) == []
