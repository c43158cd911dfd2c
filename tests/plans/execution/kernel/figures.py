"""Aggregates of all kinds over random rows in a stage, with the stage's figures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from tests.plans.execution.kernel.test_kernel_stage import Running, envelope, output, staged

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
OTHERS = {**FIGURES, "uid": "others", "output": "o1"}


def some(random: Random, keys: int, rows: int) -> list[dict[str, Any]]:
    """Rows with nulls in any column."""
    return [
        {
            "k": random.choice([None, *map(str, range(keys))]),
            "v": random.choice([None, *range(-5, 5), 2**62]),
            "b": random.choice([None, True, False]),
            "t": random.choice([None, "", "a", "ä" * 20]),
        }
        for _ in range(rows)
    ]


@dataclass(slots=True)
class Figures:
    """Figures of a stage's micro-batches.

    Args:
        came: the output rows of each, in order of arrival.
        shuffled: the number of shuffled rows of each.
        plan: the physical plan of the last.
        metrics: of the operators.
    """

    came: list[list[Row]] = field(default_factory=list)
    shuffled: list[int] = field(default_factory=list)
    plan: str = ""
    metrics: dict[str, Any] = field(default_factory=dict)

    @property
    def results(self) -> list[list[str]]:
        """The sorted output of each."""
        return [sorted(map(str, rows)) for rows in self.came]


def figures(
    spark: SparkSession,
    path: Path,
    host: str,
    batches: Sequence[Sequence[dict[str, Any]]],
    *,
    folds: bool,
    operators: int = 1,
) -> Figures:
    """Run a stage over micro-batches.

    Args:
        spark: the session.
        path: a new folder for input and checkpoint.
        host: the state host.
        batches: the rows of each.
        folds: whether rows of a key are combined before the shuffle.
        operators: 1, or 2, of which one gets the rows where `b` is true.
    """
    (path / "in").mkdir(parents=True)
    read = spark.readStream.schema(TYPES).json(str(path / "in"))
    frame = envelope(read, "figures", F.struct("k", "v", "b", "t").alias("c0"))
    if operators == 2:
        frame = frame.withColumn("op", F.when(F.col("c0.b"), "figures").otherwise("others"))
    handle = attached(frame, host, [FIGURES, OTHERS][:operators], folds=folds)
    running, figures = Running(output(spark, handle), path / "checkpoint"), Figures()
    try:
        for number, rows in enumerate(batches):
            hidden = path / "in" / f".{number}"
            hidden.write_text("\n".join(json.dumps(row) for row in rows))
            hidden.rename(path / "in" / f"{number}.json")
            running.query.processAllAvailable()
            figures.came.append(list(running.rows))
            figures.shuffled.append(shuffled(running))
            running.rows.clear()
        figures.plan = running.query._jsq.explainInternal(False)
    finally:
        running.query.stop()
    figures.metrics = json.loads(handle.metrics())
    for operator in figures.metrics.values():
        # A time, and estimates that depend on the order of the rows.
        del operator["busyNanos"], operator["hotKeys"]
    return figures


def attached(frame: DataFrame, host: str, operators: Sequence[dict[str, Any]], *, folds: bool) -> Any:
    """Attach a stage to rows."""
    spec: dict[str, Any] = {"name": "stage", "host": host, "timeMode": "processing", "passThrough": []}
    spec["operators"] = [staged(operator) for operator in operators]
    jvm: Any = frame.sparkSession._jvm
    return jvm.org.compiledplan.kernel.host.stage.Stage.attach(frame._jdf, json.dumps(spec), folds)


def shuffled(running: Running) -> int:
    """The number of shuffled rows in the last micro-batch."""
    query: Any = running.query._jsq
    written = [node.metrics().get("shuffleRecordsWritten") for node in _nodes(query.streamingQuery().lastExecution())]
    return sum(metric.get().value() for metric in written if metric.isDefined())


def _nodes(execution: Any) -> Iterator[Any]:
    open_ = [execution.executedPlan()]
    while open_:
        yield (node := open_.pop())
        children = node.children()
        open_.extend(children.apply(at) for at in range(children.length()))
