"""Killed executors and drivers of a run over an object store into Delta tables: every row is right in the end."""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from compiled_plan.plans.connectors.lakes import DELTA
from tests.cluster.conftest import QUICK
from tests.support.lake_jobs import LakeJob, kill
from tests.support.lakes import needs_delta
from tools.services.s3 import client_jars, hadoop_settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tools.services.server import Server

#: So many executors and so many drivers are killed.
KILLS = int(os.environ.get("KILLS", "10"))
DRIVER, EXECUTOR = "driver", "executor"
#: A kill waits for one commit of the two of a file, and so many seconds at most.
FILES, SECONDS = 4 * KILLS, 4
#: Of the checkpoint, in seconds.
LEASE = 30


def options(master: str, store: Server, bucket: str) -> list[str]:
    jars = os.pathsep.join(map(str, client_jars()))
    settings = {
        "spark.driver.extraClassPath": jars,
        "spark.executor.extraClassPath": jars,
        "spark.executor.memory": "800m",
        "spark.executor.extraJavaOptions": QUICK,
        **{f"spark.hadoop.{name}": value for name, value in hadoop_settings(store.address, bucket).items()},
    }
    words = ["--master", master, "--lease", f"{LEASE}s"]
    return words + [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]


def executors() -> list[psutil.Process]:
    """The executors of the workers that this process has started."""
    processes = []
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if any("CoarseGrainedExecutorBackend" in word for word in process.cmdline()):
                processes.append(process)
    return processes


@needs_delta
@pytest.mark.usefixtures("lakes")
@pytest.mark.deep
def test_every_row_is_right_after_many_kills(
    spark: SparkSession, s3: Server, bucket: str, cluster: str, tmp_path: Path
) -> None:
    """`KILLS` in the environment sets the number of drivers, and that of executors."""
    name = bucket.rpartition("/")[2]
    job = LakeJob(spark, tmp_path, bucket, DELTA.name, FILES, options(cluster, s3, name))
    chance, killed, process = random.Random(7), Counter[str](), job.start()
    victims = [DRIVER] * (KILLS - 1) + [EXECUTOR] * KILLS
    chance.shuffle(victims)
    try:
        for victim in [*victims, DRIVER]:
            if not job.follow(process, 1, chance.random() * SECONDS, interval=0.5):
                break
            killed[victim] += 1
            if victim == EXECUTOR:
                chance.choice(executors()).kill()
            else:
                kill(process)
                # The lease of a dead driver on another machine ends by itself.
                time.sleep(LEASE)
                process = job.start(1 if killed.total() < 2 * KILLS else FILES)
        assert process.wait(300) == 0, job.log.read_text()
    finally:
        kill(process)
    job.check()
    assert killed == {DRIVER: KILLS, EXECUTOR: KILLS}, "the run ended before its last kill"
