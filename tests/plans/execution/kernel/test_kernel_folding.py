"""Rows of a key that are combined before the shuffle give the same results as one by one."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from tests.plans.execution.kernel.figures import FIGURES, TYPES, attached, figures, shuffled, some
from tests.plans.execution.kernel.test_kernel_stage import TRANSFORM, Running, envelope, output


@pytest.fixture
def session(spark: SparkSession) -> SparkSession:
    jvm: Any = spark._jvm
    jvm.org.compiledplan.kernel.host.input.OrderNumber.register(spark._jsparkSession)
    return spark


@pytest.mark.wide
def test_combined_rows_give_the_same_results(session: SparkSession, tmp_path: Path) -> None:
    random = Random(20_261_122)
    batches = [some(random, keys, rows) for keys, rows in [(3, 40), (1, 1), (200, 60), (5, 200)]]
    folded = figures(session, tmp_path / "folded", TRANSFORM, batches, folds=True)
    plain = figures(session, tmp_path / "plain", TRANSFORM, batches, folds=False)
    assert (folded.results, folded.metrics) == (plain.results, plain.metrics)
    assert folded.shuffled == [len({row["k"] for row in rows}) for rows in batches]
    assert plain.shuffled == [len(rows) for rows in batches]


@pytest.mark.wide
def test_combining_stops_if_rows_share_no_keys(session: SparkSession, tmp_path: Path) -> None:
    rows = [{"k": str(at if at < 9000 else at % 7), "v": at, "b": True, "t": "x"} for at in range(12_000)]
    folded = figures(session, tmp_path / "folded", TRANSFORM, [rows], folds=True)
    plain = figures(session, tmp_path / "plain", TRANSFORM, [rows], folds=False)
    assert (folded.results, folded.metrics) == (plain.results, plain.metrics)
    assert folded.metrics["figures"]["rowsIn"] == 12_000
    assert folded.shuffled == [12_000]


@pytest.mark.wide
@pytest.mark.parametrize("keys", [1, pytest.param(40, marks=pytest.mark.deep)])
def test_many_different_values_of_few_keys_are_combined(session: SparkSession, tmp_path: Path, keys: int) -> None:
    rows = [{"k": str(at % keys), "v": at % 9_000, "b": at % 2 == 0, "t": "x"} for at in range(20_000)]
    folded = figures(session, tmp_path / "folded", TRANSFORM, [rows, rows[:100]], folds=True)
    plain = figures(session, tmp_path / "plain", TRANSFORM, [rows, rows[:100]], folds=False)
    assert (folded.results, folded.metrics) == (plain.results, plain.metrics)
    assert folded.shuffled == [keys, min(keys, 100)]


@pytest.mark.deep
def test_combined_rows_are_flushed_when_they_take_too_much_memory(session: SparkSession, tmp_path: Path) -> None:
    keys, rows = 300_000, 900_000
    path = tmp_path / "in"
    some_rows = session.range(0, rows, 1, 1).selectExpr(
        f"CAST(pmod(hash(id), {keys}) AS STRING) AS k", "id AS v", "id % 3 = 0 AS b", "CAST(id % 10 AS STRING) AS t"
    )
    # Of a file that one task reads, so that a key combined twice was flushed in between.
    some_rows.write.option("compression", "gzip").json(str(path))
    read = session.readStream.schema(TYPES).json(str(path))
    handle = attached(
        envelope(read, "figures", F.struct("k", "v", "b", "t").alias("c0")), TRANSFORM, [FIGURES], folds=True
    )
    running = Running(output(session, handle), tmp_path / "checkpoint")
    try:
        taken_rows = {tuple(row.o0)[:4] for row in running.take()}
        went = shuffled(running)
    finally:
        running.query.stop()
    expected = some_rows.groupBy("k").agg(F.count("*"), F.count("v"), F.sum(F.when(F.col("b"), F.col("v"))))
    assert taken_rows == {tuple(row) for row in expected.collect()}
    assert json.loads(handle.metrics())["figures"]["rowsIn"] == rows
    assert len(taken_rows) < went < rows
