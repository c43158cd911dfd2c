"""The way back to Flink over Kafka: Flink reads on from the exported offsets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.state.flink.exports import Export, ExportOptions
from compiled_plan.plans.plan import CompiledPlan
from tests.savepoints.back import back_jobs
from tests.savepoints.flink import FIRST, open_ended, stop_plan
from tests.savepoints.trial import content_of
from tests.support.topics import Message, Topics
from tests.upgrades.kinds.model import TABLES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tools.services.server import Server


@pytest.mark.wide
@pytest.mark.slow
def test_every_job_compiles() -> None:
    jobs = [*back_jobs()]
    assert len({job.name for job in jobs}) == len(jobs)
    for job in jobs:
        assert job.plan(Path("/jobs")).nodes


def rows(*numbers: int) -> list[Message]:
    return [Message(json.dumps({"k": "ab"[n % 2], "n": n}), partition=n % 3) for n in numbers]


@pytest.mark.deep
def test_flink_reads_on_from_the_exported_offsets(spark: SparkSession, kafka: Server, tmp_path: Path) -> None:
    topics = Topics(spark, kafka)
    topic = topics.make("numbers-to-flink", 3)
    topics.send(topic, rows(1, 2, 3, 4, 5))
    source = (
        f"CREATE TABLE numbers (k STRING, n BIGINT) WITH ('connector' = 'kafka', 'topic' = '{topic}', "
        f"{topics.options}, 'format' = 'json', 'scan.startup.mode' = 'earliest-offset');"
    )
    sink = TABLES["wide"].replace("{folder}", str(tmp_path))
    query = "INSERT INTO wide SELECT k, SUM(n), COUNT(*) FROM numbers GROUP BY k;"
    plan = TableEnvironment().compile_script(source + sink + query)
    Run(spark, plan, RunOptions(checkpoint=str(tmp_path / "checkpoint"), available_now=True)).execute()
    export = Export(spark, str(tmp_path / "checkpoint"), ExportOptions())
    export.write(tmp_path / "savepoint")
    topics.send(topic, rows(6, 7, 8))
    restored = {"execution.state-recovery.path": (tmp_path / "savepoint").as_uri()}
    continued = CompiledPlan.from_json(open_ended(plan, tmp_path))
    stop_plan(continued, 3, tmp_path / "stopped", options=restored, sinks=tmp_path / FIRST)
    content = content_of([tmp_path / "wide", tmp_path / FIRST / "wide"], False)
    assert content == {("a", 20, 4): 1, ("b", 16, 4): 1}
