"""A version of Spark without real-time mode refuses it before anything is written."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.spark_versions import spark_version
from tests.support.commands import process

INSTALLED = spark_version(metadata.version("pyspark"))
PROGRAM = """
CREATE TABLE numbers (id INT) WITH ('connector' = 'datagen', 'number-of-rows' = '1');
CREATE TABLE lines (id INT) WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'json');
INSERT INTO lines SELECT id FROM numbers;
"""


@pytest.mark.spark
@pytest.mark.skipif(INSTALLED.real_time, reason=f"Spark {INSTALLED} has real-time mode")
def test_a_run_is_refused_before_it_writes(tmp_path: Path) -> None:
    plan, checkpoint, out = tmp_path / "plan.json", tmp_path / "checkpoint", tmp_path / "out"
    plan.write_text(TableEnvironment().compile_script(PROGRAM.format(folder=out)).to_json())
    said = process("execute_plan", plan, "--checkpoint", checkpoint, "--trigger", "real-time")
    assert said.returncode == 1
    assert f"Spark {metadata.version('pyspark')} has none for plans; Spark 4.3 has it" in said.stderr
    assert not checkpoint.exists()
    assert not out.exists()
