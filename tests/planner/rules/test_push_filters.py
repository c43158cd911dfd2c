"""Filters are pushed to the rows that they read, and stay above operators that choose among these rows."""

from __future__ import annotations

import json

import pytest

from compiled_plan.environment import TableEnvironment

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


def test_a_condition_of_an_anti_join_does_not_filter_the_left_side() -> None:
    """A row that does not satisfy it has no match, and stays."""
    tables = f"{TABLE}CREATE TABLE b (k INT) WITH ('connector' = 'datagen');{SINK}"
    query = "SELECT k FROM t WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.k = t.k AND t.p > 5)"
    nodes = json.loads(TableEnvironment().compile_script(f"{tables}INSERT INTO o {query};").to_json())["nodes"]
    join = next(node for node in nodes if node["type"] == "stream-exec-join_1")
    assert join["joinSpec"]["joinType"] == "ANTI" and "(p > 5)" in join["description"]
    assert [node["type"] for node in nodes if node.get("condition")] == [], [node["description"] for node in nodes]
