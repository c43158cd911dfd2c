"""Deduplication in Spark's `dropDuplicatesWithinWatermark`: supported plans, and deviating results."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CheckpointError, UnsupportedError
from compiled_plan.plans.execution.explain import stages_of, stages_text
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import GROUPS, NATIVE, TRANSFORM, RunOptions
from compiled_plan.plans.plan import CompiledPlan
from tests.plans.execution.test_run_ttl import AFTER, Pipeline, table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TTL = "SET 'table.exec.state.ttl' = '1 s';\n"
LONG_TTL = "SET 'table.exec.state.ttl' = '1 d';\n"
CLICKS = "id INT, page STRING, ts TIMESTAMP(3), p AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND"


def first(order: str, columns: str = "id, page", direction: str = "ASC") -> str:
    return (
        f"SELECT {columns} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY page ORDER BY {order} {direction}) AS place "
        "FROM clicks) WHERE place = 1"
    )


def program(query: str, ttl: str = TTL, format: str = "json") -> str:
    return ttl + table("clicks", CLICKS) + table("sink", "id INT, page STRING", format) + f"INSERT INTO sink {query};"


def click(number: int, page: str | None, second: int) -> dict[str, object]:
    return {"id": number, "page": page, "ts": f"2024-05-01 10:00:{second:02}.000"}


def ids(rows: list[dict[str, object]]) -> list[object]:
    return sorted(row["id"] for row in rows)  # type: ignore[type-var]


@pytest.mark.wide
@pytest.mark.parametrize("order", ["ts", pytest.param("p", marks=pytest.mark.wide)])
def test_rows_in_order_within_the_ttl_give_what_the_plan_says(spark: SparkSession, tmp_path: Path, order: str) -> None:
    pipeline = Pipeline(spark, tmp_path, program(first(order), LONG_TTL), NATIVE)
    pipeline.add("clicks", click(1, "a", 1), click(3, "b", 3), click(4, None, 4))
    pipeline.add("clicks", click(5, "a", 5), click(6, "c", 6), click(7, "b", 7), click(8, None, 8))
    assert ids(pipeline.run(max_files_per_batch=1)) == [1, 3, 4, 6]


@pytest.mark.wide
@pytest.mark.parametrize(("host", "expected"), [pytest.param(TRANSFORM, [2], marks=pytest.mark.deep), (NATIVE, [1])])
def test_the_first_row_to_arrive_wins_over_the_first_by_time(
    spark: SparkSession, tmp_path: Path, host: str, expected: list[int]
) -> None:
    pipeline = Pipeline(spark, tmp_path, program(first("ts"), LONG_TTL), host)
    pipeline.add("clicks", click(1, "a", 5))
    pipeline.add("clicks", click(2, "a", 3))
    assert ids(pipeline.run(max_files_per_batch=1)) == expected


@pytest.mark.wide
@pytest.mark.parametrize(("host", "expected"), [pytest.param(TRANSFORM, [2], marks=pytest.mark.deep), (NATIVE, [])])
def test_the_first_row_after_an_idle_gap_is_dropped(
    spark: SparkSession, tmp_path: Path, host: str, expected: list[int]
) -> None:
    pipeline = Pipeline(spark, tmp_path, program(first("p")), host)
    pipeline.add("clicks", click(1, "a", 1))
    assert ids(pipeline.run()) == [1]
    time.sleep(AFTER)
    pipeline.add("clicks", click(2, "a", 2))
    assert ids(pipeline.run()) == expected
    if host == NATIVE:
        # Now Spark's watermark includes the gap.
        pipeline.add("clicks", click(3, "b", 3))
        pipeline.run()
        pipeline.add("clicks", click(4, "a", 4))
        assert ids(pipeline.run()) == [4]


def test_a_checkpoint_belongs_to_a_host(spark: SparkSession, tmp_path: Path) -> None:
    pipeline = Pipeline(spark, tmp_path, program(first("p")), NATIVE)
    pipeline.add("clicks", click(1, "a", 1))
    pipeline.run()
    for host in (TRANSFORM, GROUPS):
        with pytest.raises(CheckpointError, match=f"the state of {NATIVE} cannot be migrated to {host}"):
            Run(spark, pipeline.plan, RunOptions(checkpoint=str(tmp_path / "checkpoint"), host=host))


def compiled(query: str, ttl: str = TTL) -> CompiledPlan:
    return TableEnvironment().compile_script(program(query, ttl, "debezium-json").replace("{folder}", "/nowhere"))


def test_the_dry_run_tells_the_differences() -> None:
    text = stages_text(stages_of(compiled(first("ts")), RunOptions(host=NATIVE)))
    for line in (
        "which row",
        "late rows",
        "eviction: one to three micro-batches after 1 s",
        "idle gaps and restarts",
    ):
        assert line in text
    assert "the plan says the first by the time column" in text
    assert "timers fire by watermark" not in text
    by_arrival = stages_text(stages_of(compiled(first("p")), RunOptions(host=NATIVE)))
    assert "the plan says the first to arrive" in by_arrival
    assert "late rows" not in by_arrival
    assert "dropDuplicatesWithinWatermark" not in stages_text(stages_of(compiled(first("ts"))))


@pytest.mark.parametrize(
    ("query", "ttl", "why"),
    [
        (first("ts", direction="DESC"), TTL, r"deduplicate.*keeps the first row of a key.*this keeps the last"),
        (first("p"), "", "the TTL of this is 0"),
        ("SELECT id, page FROM clicks", TTL, "a plan without state"),
        ("SELECT CAST(COUNT(*) AS INT), page FROM clicks GROUP BY page", TTL, "group-aggregate.*deduplication alone"),
        (
            f"SELECT MAX(id), page FROM ({first('p')}) GROUP BY page",
            TTL,
            "group-aggregate.*deduplication alone",
        ),
        (f"{first('p')} UNION ALL {first('ts')}", TTL, "one operator with state, this is the second"),
        (f"{first('p')} UNION ALL SELECT id, page FROM clicks", TTL, "rows of other INSERTs"),
    ],
)
def test_other_plans_are_refused(query: str, ttl: str, why: str) -> None:
    with pytest.raises(UnsupportedError, match=f"(?s){why}"):
        stages_of(compiled(query, ttl), RunOptions(host=NATIVE))
