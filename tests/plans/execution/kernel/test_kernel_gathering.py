"""The rows of a key are brought together without a sort, and by one where they are too many."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from tests.plans.execution.kernel.test_kernel_folding import FIGURES, TYPES, some
from tests.plans.execution.kernel.test_kernel_stage import HOSTS, Folder, Running, envelope, output, staged

OPTION = "spark.compiledPlan.gatherBytes"


@pytest.fixture
def session(spark: SparkSession) -> Iterator[SparkSession]:
    jvm: Any = spark._jvm
    jvm.org.compiledplan.kernel.host.OrderNumber.register(spark._jsparkSession)
    yield spark
    spark.conf.unset(OPTION)


def run(spark: SparkSession, path: Path, host: str, batches: list[list[dict[str, Any]]]) -> tuple[list[Any], str]:
    """What comes out of each micro-batch of two operators over the same rows, and the last physical plan."""
    path.mkdir()
    folder = Folder(path / "in")
    read = spark.readStream.schema(TYPES).json(str(folder.path))
    inputs = F.struct("k", "v", "b", "t")
    one = envelope(read, "figures", inputs.alias("c0"))
    frame = one.withColumn("op", F.when(F.col("c0.b"), "figures").otherwise("others"))
    others = staged({**FIGURES, "uid": "others", "output": "o1"})
    spec = {"name": "stage", "host": host, "timeMode": "processing", "passThrough": []}
    spec["operators"] = [staged(FIGURES), others]
    jvm: Any = spark._jvm
    handle = jvm.org.compiledplan.kernel.host.Stage.attach(frame._jdf, json.dumps(spec), False)
    running = Running(output(spark, handle), path / "checkpoint")
    found = []
    try:
        for rows in batches:
            folder.add(*rows)
            found.append(sorted(map(str, running.take())))
        plan = running.query._jsq.explainInternal(False)
    finally:
        running.query.stop()
    return found, plan


@pytest.mark.parametrize("host", HOSTS)
def test_rows_of_a_key_come_together(session: SparkSession, tmp_path: Path, host: str) -> None:
    random = Random(20_261_123)
    batches = [some(random, keys, rows) for keys, rows in [(3, 40), (1, 1), (700, 900), (5, 200)]]
    gathered, plan = run(session, tmp_path / "gathered", host, batches)
    assert "Gather" in plan
    assert "Sort" not in plan
    session.conf.set(OPTION, "2000")
    assert run(session, tmp_path / "sorted", host, batches)[0] == gathered
