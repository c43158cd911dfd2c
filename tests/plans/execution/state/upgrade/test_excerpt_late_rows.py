"""Excerpts of plans without their tables for late rows."""

from __future__ import annotations

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.stages.late_rows import late_sinks
from compiled_plan.plans.execution.state.upgrade.excerpt import excerpt

PROGRAM = """
CREATE TABLE late (ts TIMESTAMP(3)) WITH ('connector' = 'print');
CREATE TABLE a (k STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH (
  'connector' = 'filesystem', 'path' = 'a', 'format' = 'json', 'late.table' = 'late');
CREATE TABLE o (k STRING, n BIGINT) WITH ('connector' = 'print');
INSERT INTO o SELECT k, COUNT(*) OVER (PARTITION BY k ORDER BY ts) FROM a;
"""


def test_history_writes_no_late_rows() -> None:
    plan = TableEnvironment().compile_script(PROGRAM)
    assert len(late_sinks(plan)) == 1
    assert late_sinks(excerpt(plan, [plan.sinks[0].id])) == ()
