"""Operators that Flink leaves out because of unique keys: `flink_unique_keys.json` has those of its plans."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compiled_plan.environment import TableEnvironment

RECORDED = json.loads((Path(__file__).parent / "flink_unique_keys.json").read_text())
_FILES = "WITH ('connector' = 'filesystem', 'path' = '/d', 'format' ="
_COLUMNS = "id2 INT, k INT, v INT, d DOUBLE, s STRING, PRIMARY KEY (id) NOT ENFORCED"
SETUP = f"""
CREATE TABLE i (id INT NOT NULL, {_COLUMNS}) {_FILES} 'json');
CREATE TABLE u (id INT, {_COLUMNS}) {_FILES} 'debezium-json');
CREATE TABLE c2 (a INT, b INT, k INT, v INT, PRIMARY KEY (a, b) NOT ENFORCED) {_FILES} 'debezium-json');
CREATE TABLE w (id INT, k INT, ts TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED, WATERMARK FOR ts AS ts)
  {_FILES} 'debezium-json');
CREATE TABLE cc (id INT, k INT, c AS k + 1, PRIMARY KEY (id) NOT ENFORCED) {_FILES} 'debezium-json');
CREATE VIEW vw AS SELECT id AS vid, k AS vk FROM cc WHERE k > 1;
CREATE TABLE n (a INT, b INT, k INT, v INT) {_FILES} 'json');
CREATE TABLE o (x STRING, y STRING) {_FILES} 'debezium-json');
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("query", RECORDED)
def test_operators_are_those_of_flink(query: str) -> None:
    env = TableEnvironment()
    env.execute_sql(SETUP)
    cast = f"SELECT CAST(e1 AS STRING), CAST(e2 AS STRING) FROM ({query}) AS q(e1, e2)"
    plan = env.compile_plan_sql(f"INSERT INTO o {cast}")
    assert " ".join(node.kind for node in plan.nodes) == RECORDED[query]
