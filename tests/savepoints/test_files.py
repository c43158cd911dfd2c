"""Files in savepoints of a real Flink: none is read twice, one that is read in part is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.running.plans import CompiledPlan
from tests.savepoints.flink import stop_plan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.deep, pytest.mark.spark]

_PROGRAM = """
CREATE TABLE growing (k STRING, n INT) WITH
  ('connector' = 'filesystem', 'path' = '{folder}/growing', 'format' = 'json', 'source.monitor-interval' = '100 ms');
CREATE TABLE ending (k STRING, n INT) WITH
  ('connector' = 'filesystem', 'path' = '{folder}/ending', 'format' = 'json');
CREATE TABLE totals (k STRING, n BIGINT) WITH ('connector' = 'print');
INSERT INTO totals SELECT k, SUM(n) FROM (SELECT * FROM growing UNION ALL SELECT * FROM ending) GROUP BY k;
"""


def write(file: Path, rows: int) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text("".join(json.dumps({"k": file.parent.name, "n": 1}) + "\n" for _ in range(rows)))


def compiled(folder: Path) -> CompiledPlan:
    return TableEnvironment().compile_script(_PROGRAM.replace("{folder}", str(folder)))


def test_files_that_flink_has_read_are_not_read_again(spark: SparkSession, tmp_path: Path) -> None:
    """A folder that grows, and one of which Flink has read all files that it had."""
    for table in ("growing", "ending"):
        for name in ("a.json", "b ü.json"):
            write(tmp_path / table / name, 5)
    plan, checkpoint = compiled(tmp_path), tmp_path / "checkpoint"
    savepoint = stop_plan(plan, 20, tmp_path / "savepoints")
    report = plan.import_state(savepoint, checkpoint)
    assert {source.table: source.position for source in report.sources} == {
        "growing": "2 files read",
        "ending": "all files read",
    }
    write(tmp_path / "growing" / "c.json", 5)
    lines: list[str] = []
    Run(spark, plan, RunOptions(checkpoint=str(checkpoint), available_now=True), lines.append).execute()
    assert lines == ["-U[growing, 10]", "+U[growing, 15]"]


def test_a_file_that_is_read_in_part_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "growing" / "a.json", 1_500_000)
    write(tmp_path / "ending" / "a.json", 1)
    plan = compiled(tmp_path)
    savepoint = stop_plan(plan, 1000, tmp_path / "savepoints", quiet=False)
    with pytest.raises(
        CheckpointError, match=r"growing: Flink has read a part of the file .*growing/a\.json"
    ) as refusal:
        plan.import_state(savepoint, tmp_path / "checkpoint")
    assert "start" in refusal.value.remedy
    assert not (tmp_path / "checkpoint").exists()
