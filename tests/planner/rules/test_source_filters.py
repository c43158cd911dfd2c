"""Conditions and limits pushed down into a `jdbc` source, as Flink 2.3 plans them with its connector 4.0.

`flink_source_filters.json` has queries and the push-downs of each scan in Flink's plan.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.environment import TableEnvironment

FLINK: dict[str, list[list[str]]] = json.loads(
    Path(__file__).with_name("flink_source_filters.json").read_text(encoding="utf-8")
)
_JDBC = "WITH ('connector' = 'jdbc', 'url' = 'jdbc:postgresql://h/d', 'table-name' = 'users'"
_COLUMNS = """
  id BIGINT, name STRING, age INT, ok BOOLEAN, d DECIMAL(10, 2), ts TIMESTAMP(3), dt DATE, tm TIME, f DOUBLE,
  tz TIMESTAMP_LTZ(3), c CHAR(3), v VARCHAR(5), b BYTES, small SMALLINT, PRIMARY KEY (id) NOT ENFORCED
"""
TABLES = f"""
CREATE TABLE t ({_COLUMNS}) {_JDBC});
CREATE TABLE never ({_COLUMNS}) {_JDBC}, 'filter.handling.policy' = 'never');
CREATE TABLE pt (id BIGINT, name STRING, age INT, p AS PROCTIME(), up AS UPPER(name)) {_JDBC});
CREATE TABLE wt (id BIGINT, name STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) {_JDBC});
CREATE TABLE s (id BIGINT, name STRING) WITH ('connector' = 'blackhole');
CREATE TABLE s2 (id BIGINT, name STRING) WITH ('connector' = 'blackhole');
CREATE TABLE n (c BIGINT) WITH ('connector' = 'blackhole');
CREATE TABLE k (id BIGINT, name STRING) WITH ('connector' = 'datagen');
"""


def expression(rex: dict[str, Any]) -> str:
    """`>(2, 5 INT NOT NULL)`: columns by index, constants with their type."""
    if rex["kind"] == "INPUT_REF":
        return str(rex["inputIndex"])
    if rex["kind"] == "LITERAL":
        return f"{rex['value']!r} {rex['type']}"
    return f"{rex['internalName'][1:-2]}({', '.join(map(expression, rex['operands']))})"


def abilities(plan: dict[str, Any]) -> list[list[str]]:
    """The push-downs of each scan of a plan."""
    result = []
    for source in (node["scanTableSource"] for node in plan["nodes"] if "scanTableSource" in node):
        texts = []
        for ability in source.get("abilities", ()):
            match ability["type"]:
                case "FilterPushDown":
                    texts.append(f"filter {' and '.join(map(expression, ability['predicates']))}")
                case "ProjectPushDown":
                    texts.append(f"project {ability['producedType']}")
                case "LimitPushDown":
                    texts.append(f"limit {ability['limit']}")
        result.append(texts)
    return result


@pytest.mark.sampled(2)
@pytest.mark.parametrize("query", FLINK)
def test_push_downs_into_sources_equal_flinks(query: str) -> None:
    text = f"EXECUTE {query}" if query.startswith("STATEMENT") else query
    plan = TableEnvironment().compile_script(f"{TABLES}{text};")
    assert abilities(json.loads(plan.to_json())) == FLINK[query]


def test_a_condition_that_would_grow_is_not_pushed_down() -> None:
    """An OR of many ANDs in conjunctive form has as many parts as ways to choose one of each."""
    branches = " OR ".join(f"(age = {at} AND name = 'x{at}' AND f > {at})" for at in range(20))
    plan = TableEnvironment().compile_script(f"{TABLES}INSERT INTO s SELECT id, name FROM t WHERE {branches};")
    ((first, *_),) = abilities(json.loads(plan.to_json()))
    assert first == "filter " or first.count("or(") < 40


def test_lookups_filter_by_key() -> None:
    query = """
        INSERT INTO s SELECT k.id, t.name FROM (SELECT id, PROCTIME() AS p FROM k) AS k
        JOIN t FOR SYSTEM_TIME AS OF k.p ON k.id = t.id AND t.age > 5;
    """
    plan = json.loads(TableEnvironment().compile_script(TABLES + query).to_json())
    (lookup,) = (node for node in plan["nodes"] if "lookup" in node["type"])
    assert "FilterPushDown" not in json.dumps(lookup["temporalTable"])
