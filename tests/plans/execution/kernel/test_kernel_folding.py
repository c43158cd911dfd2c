"""Rows of a key that become one before they are shuffled give what they give one by one."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from tests.plans.execution.kernel.test_kernel_stage import HOSTS, Folder, Running, envelope, output, staged

CALLS: list[dict[str, Any]] = [
    {"function": "$COUNT$1", "args": []},
    {"function": "$COUNT$1", "args": [1]},
    {"function": "$SUM$1", "args": [1], "filter": 2},
    {"function": "$$SUM0$1", "args": [1], "filter": 2},
    {"function": "$MIN$1", "args": [1]},
    {"function": "$MAX$1", "args": [3]},
    {"function": "$AVG$1", "args": [1]},
    {"function": "$COUNT$1", "args": [1], "distinct": True},
    {"function": "$SUM$1", "args": [1], "distinct": True, "filter": 2},
]
TYPES = "k STRING, v BIGINT, b BOOLEAN, t STRING"
RESULTS = "k STRING, a BIGINT, b BIGINT, c BIGINT, d BIGINT, e BIGINT, f STRING, g BIGINT, h BIGINT, i BIGINT"
FIGURES: dict[str, Any] = {
    "uid": "figures",
    "type": "group-aggregate",
    "ports": [{"column": "c0", "key": [0]}],
    "output": "o0",
    "outputSchema": RESULTS,
    "ttl": [0],
    "grouping": [0],
    "aggs": CALLS,
}


@pytest.fixture
def session(spark: SparkSession) -> SparkSession:
    jvm: Any = spark._jvm
    jvm.org.compiledplan.kernel.host.OrderNumber.register(spark._jsparkSession)
    return spark


def run(spark: SparkSession, path: Path, host: str, batches: list[list[dict[str, Any]]], *, folds: bool) -> Any:
    """What comes out of each micro-batch, and the figures of the stage."""
    path.mkdir()
    folder = Folder(path / "in")
    read: DataFrame = spark.readStream.schema(TYPES).json(str(folder.path))
    frame = envelope(read, "figures", F.struct("k", "v", "b", "t").alias("c0"))
    spec = {"name": "stage", "host": host, "timeMode": "processing", "passThrough": [], "operators": [staged(FIGURES)]}
    jvm: Any = spark._jvm
    handle = jvm.org.compiledplan.kernel.host.Stage.attach(frame._jdf, json.dumps(spec), folds)
    running = Running(output(spark, handle), path / "checkpoint")
    found = []
    try:
        for rows in batches:
            folder.add(*rows)
            found.append([(row.kind, row.ord, row.path, tuple(row.o0)) for row in running.take()])
    finally:
        running.query.stop()
    return found, json.loads(handle.metrics())


def some(random: Random, keys: int, rows: int) -> list[dict[str, Any]]:
    """Rows in which anything may be null."""
    return [
        {
            "k": random.choice([None, *map(str, range(keys))]),
            "v": random.choice([None, *range(-5, 5), 2**62]),
            "b": random.choice([None, True, False]),
            "t": random.choice([None, "", "a", "ä" * 20]),
        }
        for _ in range(rows)
    ]


@pytest.mark.parametrize("host", HOSTS)
def test_folded_rows_give_what_rows_give(session: SparkSession, tmp_path: Path, host: str) -> None:
    random = Random(20_261_122)
    batches = [some(random, keys, rows) for keys, rows in [(3, 40), (1, 1), (200, 60), (5, 200)]]
    folded = run(session, tmp_path / "folded", host, batches, folds=True)
    assert folded == run(session, tmp_path / "plain", host, batches, folds=False)


def test_folding_ends_where_rows_share_no_keys(session: SparkSession, tmp_path: Path) -> None:
    rows = [{"k": str(at if at < 9000 else at % 7), "v": at, "b": True, "t": "x"} for at in range(12_000)]
    folded = run(session, tmp_path / "folded", HOSTS[0], [rows], folds=True)
    assert folded == run(session, tmp_path / "plain", HOSTS[0], [rows], folds=False)
    assert folded[1]["figures"]["rowsIn"] == 12_000


@pytest.mark.deep
def test_what_is_held_is_given_on_when_it_takes_too_much(session: SparkSession, tmp_path: Path) -> None:
    keys, rows = 300_000, 900_000
    path = tmp_path / "in"
    some = session.range(0, rows, 1, 1).selectExpr(
        f"CAST(pmod(hash(id), {keys}) AS STRING) AS k", "id AS v", "id % 3 = 0 AS b", "CAST(id % 10 AS STRING) AS t"
    )
    some.write.json(str(path))
    frame = envelope(
        session.readStream.schema(TYPES).json(str(path)), "figures", F.struct("k", "v", "b", "t").alias("c0")
    )
    spec = {
        "name": "stage",
        "host": HOSTS[0],
        "timeMode": "processing",
        "passThrough": [],
        "operators": [staged(FIGURES)],
    }
    jvm: Any = session._jvm
    handle = jvm.org.compiledplan.kernel.host.Stage.attach(frame._jdf, json.dumps(spec), True)
    running = Running(output(session, handle), tmp_path / "checkpoint")
    try:
        found = {tuple(row.o0)[:4] for row in running.take()}
    finally:
        running.query.stop()
    expected = some.groupBy("k").agg(F.count("*"), F.count("v"), F.sum(F.when(F.col("b"), F.col("v"))))
    assert found == {tuple(row) for row in expected.collect()}
    assert json.loads(handle.metrics())["figures"]["rowsIn"] == rows
