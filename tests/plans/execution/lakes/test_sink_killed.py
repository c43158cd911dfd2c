"""A run that merges into a table of a lake and is killed again and again: every key is right in the end."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.plans.connectors.lakes import DELTA, ICEBERG
from tests.support.lake_jobs import LakeJob, kill
from tests.support.lakes import needs_delta, needs_iceberg

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.usefixtures("lakes"), pytest.mark.deep]
KILLS = int(os.environ.get("KILLS", "20"))
#: A kill waits for at most two commits of the four that two files bring.
FILES = 2 * KILLS


def was_killed(job: LakeJob, chance: random.Random) -> bool:
    """Kill a run shortly after a commit of either table; return False if it ended before."""
    process = job.start()
    try:
        return job.follow(process, chance.randrange(1, 3), chance.random() * 0.6)
    finally:
        kill(process)


@pytest.mark.parametrize(
    "connector", [pytest.param(DELTA.name, marks=needs_delta), pytest.param(ICEBERG.name, marks=needs_iceberg)]
)
def test_every_key_is_right_after_many_kills(spark: SparkSession, tmp_path: Path, connector: str) -> None:
    """`KILLS` in the environment sets their number."""
    job, chance = LakeJob(spark, tmp_path, str(tmp_path), connector, FILES, ["--master", "local[1]"]), random.Random(7)
    killed = sum(was_killed(job, chance) for _ in range(KILLS))
    code = job.start(FILES).wait(300)
    assert (code, job.log.read_text()) == (0, "")
    job.check()
    assert killed >= KILLS * 0.9, "a run ended before its kill"
