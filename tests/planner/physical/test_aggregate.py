from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment

TABLES = """
CREATE TABLE t (k INT, v INT) WITH ('connector' = 'filesystem', 'path' = '/in', 'format' = 'json');
CREATE TABLE results (a BIGINT, b INT) WITH ('connector' = 'blackhole');
"""
COUNTS = "(SELECT k, COUNT(*) AS c, MAX(v) AS m FROM t GROUP BY k)"
PAIRS = "(SELECT k, v, COUNT(*) AS c FROM t GROUP BY k, v)"


@pytest.mark.parametrize(
    ("query", "retractions"),
    [
        # the group key is what is counted, so a row moves between groups and its value is retracted
        (f"SELECT c, MIN(k) FROM {COUNTS} GROUP BY c", (True,)),
        (f"SELECT c, MAX(m) FROM {COUNTS} GROUP BY c", (True,)),
        # the group stays the same, and a count only grows
        (f"SELECT CAST(k AS BIGINT), CAST(MAX(c) AS INT) FROM {PAIRS} GROUP BY k", (False,)),
        (f"SELECT CAST(k AS BIGINT), CAST(MIN(c) AS INT) FROM {PAIRS} GROUP BY k", (True,)),
    ],
)
def test_aggregates_retract_if_an_update_can_move_a_value(query: str, retractions: tuple[bool, ...]) -> None:
    plan = TableEnvironment().compile_script(f"{TABLES} INSERT INTO results {query};")
    actual = [node.agg_call_need_retractions for node in plan.nodes if node.type.startswith("stream-exec-group-agg")]
    assert actual[-1] == retractions
