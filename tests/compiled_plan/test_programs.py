from __future__ import annotations

from pathlib import Path

import pytest

import compiled_plan as cp
from compiled_plan.plans.errors import PlanError, ProgramError

SCRIPT = """
CREATE TABLE t (a INT, b STRING) WITH ('connector' = 'datagen', 'number-of-rows' = '3');
CREATE TABLE s (b STRING, n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO s SELECT b, COUNT(*) FROM t GROUP BY b;
"""


def test_compile_write_and_load_a_script(tmp_path: Path) -> None:
    plan = cp.compile_sql(SCRIPT, {"table.exec.state.ttl": "2 h"})
    plan.write_to_file(tmp_path / "plan.json")
    loaded = cp.load_plan(tmp_path / "plan.json")
    assert loaded == plan
    assert isinstance(loaded, cp.CompiledPlan)
    assert "state: groupAggregateState, ttl 2 h" in loaded.explain()


def test_errors_are_named(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match="no INSERT"):
        cp.compile_sql("SET 'a' = 'b'")
    with pytest.raises(PlanError, match="no such plan file"):
        cp.load_plan(tmp_path / "none.json")


def test_a_loaded_plan_is_type_checked(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    text = cp.compile_sql(SCRIPT).to_json()
    path.write_text(text.replace('"grouping" : [ 0 ]', '"grouping" : [ 7 ]'), encoding="utf-8")
    assert path.read_text(encoding="utf-8") != text
    with pytest.raises(PlanError, match="no column 7"):
        cp.load_plan(path)


def test_a_schema_for_editors_stays_in_files_and_out_of_smile(tmp_path: Path) -> None:
    """Flink, which reads Smile, refuses the field."""
    path = tmp_path / "plan.json"
    plan = cp.compile_sql(SCRIPT)
    path.write_text(plan.to_json().replace("{", '{ "$schema" : "s.json",', 1), encoding="utf-8")
    loaded = cp.load_plan(path)
    assert '"$schema" : "s.json"' in loaded.as_json_string() and loaded.as_smile_bytes() == plan.as_smile_bytes()
