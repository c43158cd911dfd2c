"""Filters are pushed to the rows that they read, and stay above operators that choose among these rows."""

from __future__ import annotations

import json

import pytest

from compiled_plan.api.environment import TableEnvironment

TABLE = "CREATE TABLE t (k INT, p INT) WITH ('connector' = 'datagen');"
SINK = "CREATE TABLE o (k INT) WITH ('connector' = 'blackhole');"


@pytest.mark.parametrize(
    ("rows", "chooses"),
    [
        ("SELECT k, p FROM t LIMIT 3", "stream-exec-limit_1"),
        ("SELECT k, p FROM t ORDER BY k LIMIT 3", "stream-exec-sort-limit_1"),
        ("SELECT k, p FROM t ORDER BY k LIMIT 3 OFFSET 2", "stream-exec-sort-limit_1"),
        ("SELECT k, MAX(p) AS p FROM t GROUP BY k", "stream-exec-group-aggregate_1"),
    ],
)
def test_a_filter_stays_above(rows: str, chooses: str) -> None:
    script = f"{TABLE}{SINK}INSERT INTO o SELECT k FROM ({rows}) WHERE p > 1;"
    nodes = json.loads(TableEnvironment().compile_script(script).to_json())["nodes"]
    kinds = [node["type"] for node in nodes]
    conditions = [at for at, node in enumerate(nodes) if node.get("condition")]
    assert conditions and min(conditions) > kinds.index(chooses), [node["description"] for node in nodes]
