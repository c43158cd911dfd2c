"""Rows for operators of later stages bypass the host of a stage; if a task has too many, they go through it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.batches.progress import BatchProgress
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from tests.support.files import put, table

pytestmark = pytest.mark.wide

OPTION = "spark.compiledPlan.gatherBytes"


@pytest.fixture(params=[None, 1], ids=["in memory", "sorted"])
def bound(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[int | None]:
    """Bytes that a task may buffer."""
    if request.param is not None:
        spark.conf.set(OPTION, str(request.param))
    yield request.param
    spark.conf.unset(OPTION)


def plans(seen: list[str], spark: SparkSession, _: BatchProgress) -> None:
    for query in spark.streams.active:
        streaming: Any = query
        seen.append(streaming._jsq.streamingQuery().lastExecution().executedPlan().toString())


def test_rows_joined_with_their_own_aggregate(spark: SparkSession, tmp_path: Path, bound: int | None) -> None:
    rows = [(f"k{at % 7}", at % 13, None if at % 5 == 0 else f"text {at}") for at in range(300)]
    for start in range(0, len(rows), 100):
        put(tmp_path / "r", f"{start}.json", *({"k": k, "v": v, "t": t} for k, v, t in rows[start : start + 100]))
    program = (
        table(tmp_path, "r", "k STRING, v BIGINT, t STRING")
        + table(tmp_path, "done", "k STRING, v BIGINT, t STRING, most BIGINT", "debezium-json")
        + "INSERT INTO done SELECT r.k, r.v, r.t, m.most FROM r "
        + "JOIN (SELECT k, MAX(v) AS most FROM r GROUP BY k) AS m ON r.k = m.k AND r.v = m.most;"
    )
    seen: list[str] = []
    plan = TableEnvironment().compile_script(program)
    Run(spark, plan, RunOptions(max_files_per_batch=1), report=lambda progress: plans(seen, spark, progress)).execute()
    assert seen
    assert all("AppendBypassed" in text for text in seen)
    most = {k: max(v for key, v, _ in rows if key == k) for k, _, _ in rows}
    assert result(tmp_path / "done") == Counter((k, v, t, v) for k, v, t in rows if v == most[k])


def result(folder: Path) -> Counter[tuple[object, ...]]:
    """The rows that remain after a changelog."""
    left: Counter[tuple[object, ...]] = Counter()
    for file in folder.glob("part-*"):
        for line in file.read_text().splitlines():
            change = json.loads(line)
            for side, weight in (("before", -1), ("after", 1)):
                if change.get(side) is not None:
                    left[tuple(change[side].values())] += weight
    return +left
