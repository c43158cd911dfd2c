"""Programs in Spark's `flatMapGroupsWithState`: TTLs by its timeouts, and no event time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.explain import stages_of
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import GROUPS, RunOptions
from tests.plans.execution.test_run_ttl import JOIN, TTL_SECONDS, Pipeline, check_sides_forget
from tests.support.files import put, table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CLICKS = "page STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND"


@pytest.mark.wide
def test_each_side_of_a_join_expires_by_its_own_ttl(spark: SparkSession, tmp_path: Path) -> None:
    pipeline = Pipeline(spark, tmp_path, JOIN, GROUPS)
    pipeline.ttl(leftState=f"{int(TTL_SECONDS * 1000)} ms", rightState="0 ms")
    check_sides_forget(pipeline)


def test_unused_watermarks_are_accepted(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path / "clicks", "1.json", {"page": "a", "ts": "2024-05-01 10:00:00.000"})
    plan = TableEnvironment().compile_script(
        table(tmp_path, "clicks", CLICKS)
        + table(tmp_path, "pages", "page STRING, n BIGINT", "debezium-json")
        + "INSERT INTO pages SELECT page, COUNT(*) FROM clicks GROUP BY page;"
    )
    assert Run(spark, plan, RunOptions(host=GROUPS)).execute().batches == 1


def test_plans_in_event_time_are_refused(tmp_path: Path) -> None:
    plan = TableEnvironment().compile_script(
        table(tmp_path, "clicks", CLICKS)
        + table(tmp_path, "counts", "ws TIMESTAMP(3), n BIGINT")
        + "INSERT INTO counts SELECT window_start, COUNT(*) FROM "
        + "TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end;"
    )
    with pytest.raises(UnsupportedError, match=f"a plan with watermarks cannot run on the host {GROUPS}"):
        stages_of(plan, RunOptions(host=GROUPS))
