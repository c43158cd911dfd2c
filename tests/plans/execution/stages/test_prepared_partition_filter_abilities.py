"""Abilities of sources and sinks in plans of Flink: results equal Flink 2.3's for the same plans."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.plan import CompiledPlan
from tests.support.files import put, table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.wide
def test_partitions_that_were_pushed_into_a_source_are_read_and_no_others(spark: SparkSession, tmp_path: Path) -> None:
    for part in ("b=1", "b=2", "b=__DEFAULT_PARTITION__"):
        put(tmp_path / "given" / part, "1.json", {"a": len(part)})
    plan = TableEnvironment().compile_script(
        f"CREATE TABLE given (a INT, b INT) PARTITIONED BY (b) WITH ('connector' = 'filesystem', "
        f"'path' = '{tmp_path / 'given'}', 'format' = 'json');"
        + table(tmp_path, "found", "a INT, b INT")
        + "INSERT INTO found SELECT a, b FROM given;"
    )
    results = {}
    cases: dict[str, list[dict[str, Any]]] = {"some": [{"b": "2"}, {"b": None}], "none": [], "all": [{}]}
    for name, partitions in cases.items():
        data = plan.to_dict()
        source = data["nodes"][0]["scanTableSource"]
        source["abilities"] = [{"type": "PartitionPushDown", "partitions": partitions}, *source.get("abilities", [])]
        Run(spark, CompiledPlan.from_dict(data), RunOptions()).execute()
        files = sorted((tmp_path / "found").glob("part-*"))
        results[name] = [json.loads(line).get("b") for file in files for line in file.read_text().splitlines()]
        shutil.rmtree(tmp_path / "found", ignore_errors=True)
    assert sorted(results["some"], key=str) == [2, None]
    assert results["none"] == []
    assert len(results["all"]) == 3


def test_static_partitions_and_named_columns_are_in_the_rows(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path / "given", "1.json", {"a": 5, "c": "x"})
    partitioned = (
        f"CREATE TABLE found (a INT, b INT, c STRING) PARTITIONED BY (b) WITH ('connector' = 'filesystem', "
        f"'path' = '{tmp_path / 'found'}', 'format' = 'json');"
    )
    program = table(tmp_path, "given", "a INT, c STRING") + partitioned
    plan = TableEnvironment().compile_script(f"{program} INSERT INTO found PARTITION (b = 2) (c) SELECT c FROM given;")
    data = plan.to_dict()
    data["nodes"][-1]["dynamicTableSink"]["abilities"] = [
        {"type": "Partitioning", "partition": {"b": "2"}},
        {"type": "TargetColumnWriting", "targetColumns": [[2], [1]]},
    ]
    Run(spark, CompiledPlan.from_dict(data), RunOptions()).execute()
    (file,) = (tmp_path / "found" / "b=2").glob("part-*")
    assert json.loads(file.read_text()) == {"a": None, "c": "x"}
