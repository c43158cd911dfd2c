"""Tables for late rows in the comparison of plans: they are outputs, and no state."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.inspection.diff.model import Change
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.plan import CompiledPlan

PROGRAM = """
CREATE TABLE late (ts TIMESTAMP(3), note STRING) WITH ('connector' = 'print');
CREATE TABLE a (k STRING, note STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH (
  'connector' = 'filesystem', 'path' = 'a', 'format' = 'json'{option});
CREATE TABLE o (k STRING, n BIGINT) WITH ('connector' = 'print');
INSERT INTO o {query};
"""
QUERIES = {
    "over": "SELECT k, COUNT(*) OVER (PARTITION BY k ORDER BY ts) FROM a",
    "first row": "SELECT k, n FROM (SELECT k, CAST(1 AS BIGINT) AS n, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) "
    "AS r FROM a) WHERE r = 1",
    "window": "SELECT k, COUNT(*) FROM TABLE(TUMBLE(TABLE a, DESCRIPTOR(ts), INTERVAL '1' DAY)) "
    "GROUP BY k, window_start, window_end",
}


def compiled(query: str, option: str = "") -> CompiledPlan:
    return TableEnvironment().compile_script(PROGRAM.format(option=option, query=query))


@pytest.mark.parametrize("name", QUERIES)
def test_a_table_for_late_rows_is_an_output(name: str) -> None:
    without, with_table = compiled(QUERIES[name]), compiled(QUERIES[name], ", 'late.table' = 'late'")
    for old, new, change in (
        (without, with_table, Change.ADDED),
        (with_table, without, Change.REMOVED),
        (with_table, with_table, Change.KEPT),
    ):
        diff = diff_plans(old, new)
        assert diff.verdict is Verdict.FULL
        assert [edit.change for edit in diff.operators] == [Change.KEPT]
        assert [(edit.name, edit.change) for edit in diff.sinks] == [("o", Change.KEPT), ("late", change)]
