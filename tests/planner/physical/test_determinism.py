"""TRY_RESOLVE: lookups that store their rows, and refused functions, as Flink 2.3 decides."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.nodes.lookup import LookupJoin

SETUP = """
SET 'table.optimizer.non-deterministic-update.strategy' = 'TRY_RESOLVE';
CREATE TABLE dim (id INT, name STRING, age INT, PRIMARY KEY (id) NOT ENFORCED)
  WITH ('connector' = 'jdbc', 'url' = 'jdbc:derby:memory:x', 'table-name' = 'dim');
CREATE TABLE dim2 (id INT, name STRING, age INT)
  WITH ('connector' = 'jdbc', 'url' = 'jdbc:derby:memory:x', 'table-name' = 'dim');
CREATE TABLE cdc (a INT, b BIGINT, c STRING, p AS PROCTIME(), PRIMARY KEY (a) NOT ENFORCED)
  WITH ('connector' = 'filesystem', 'path' = '/in', 'format' = 'debezium-json');
CREATE TABLE cdc2 (a INT, b BIGINT, c STRING, p AS PROCTIME())
  WITH ('connector' = 'filesystem', 'path' = '/in', 'format' = 'debezium-json');
CREATE TABLE ups (a INT, b BIGINT, c STRING, p AS PROCTIME(), PRIMARY KEY (a) NOT ENFORCED)
  WITH ('connector' = 'upsert-kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'x', 'key.format' = 'json',
  'value.format' = 'json');
CREATE TABLE cdcm (a INT, b BIGINT, ts TIMESTAMP_LTZ(3) METADATA FROM 'value.ingestion-timestamp')
  WITH ('connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'x', 'format' = 'debezium-json');
CREATE TABLE ins (a INT, b BIGINT, c STRING, p AS PROCTIME())
  WITH ('connector' = 'filesystem', 'path' = '/in', 'format' = 'json');
CREATE TABLE by_key (a INT, b STRING, PRIMARY KEY (a) NOT ENFORCED)
  WITH ('connector' = 'upsert-kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'x', 'key.format' = 'json',
  'value.format' = 'json');
CREATE TABLE by_row (a INT, b STRING) WITH ('connector' = 'filesystem', 'path' = '/out', 'format' = 'debezium-json');
"""
JOIN = "JOIN dim FOR SYSTEM_TIME AS OF t.p AS d ON t.a = d.id"
GROUPED = "(SELECT a, MAX(c) AS c, PROCTIME() AS p FROM ins GROUP BY a)"
#: A query with a lookup, and the upsert key by which the lookup stores its rows; None if it stores none.
LOOKUPS = {
    f"by_key SELECT t.a, d.name FROM cdc t {JOIN}": None,
    f"by_row SELECT t.a, d.name FROM cdc t {JOIN}": (0,),
    f"by_row SELECT d.id, t.c FROM cdc t {JOIN}": None,
    f"by_row SELECT d.id, t.c FROM cdc t {JOIN.replace('dim', 'dim2')}": (0,),
    f"by_row SELECT t.a, d.name FROM ins t {JOIN}": None,
    f"by_row SELECT t.a, d.name FROM cdc2 t LEFT {JOIN} AND d.age > 5 AND t.b > 3": (),
    f"by_row SELECT t.a, d.name FROM ups t LEFT {JOIN}": (0,),
    f"by_row SELECT t.a, d.name FROM {GROUPED} t {JOIN}": (0,),
}
ALLOWED = [
    "by_key SELECT a, UUID() FROM cdc",
    "by_row SELECT a, UUID() FROM ins",
    "by_key SELECT a, c FROM cdc WHERE RAND() > 0.5",
    "by_key SELECT a, MAX(u) FROM (SELECT a, UUID() AS u FROM ins) GROUP BY a",
    "by_row SELECT a, MAX(u) FROM (SELECT a, UUID() AS u FROM ins) GROUP BY a",
]
REFUSED = {
    "by_row SELECT a, UUID() FROM cdc": "column EXPR.1",
    "by_row SELECT a, UUID() FROM ups": "column EXPR.1",
    "by_row SELECT a, c FROM cdc WHERE RAND() > 0.5": "a condition over updated rows",
    f"by_row SELECT t.a, d.name || UUID() FROM cdc t {JOIN}": "column EXPR.1",
    "by_row SELECT t.a, x.n FROM ins t LEFT JOIN (SELECT a, UUID() AS n FROM cdc) x ON t.a = x.a": "column n",
    "by_row SELECT t.a, x.c FROM ins t LEFT JOIN cdc2 x ON t.a = x.a AND RAND() > 0.1": "a condition",
    "by_key SELECT a, MAX(u) FROM (SELECT a, UUID() AS u FROM cdc2) GROUP BY a": "column u",
    "by_row SELECT a, CAST(ts AS STRING) FROM cdcm": "metadata .ts. of",
    "by_row SELECT a, c FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b DESC) AS r "
    "FROM (SELECT a, b, UUID() AS c FROM cdc)) WHERE r <= 2": "column c",
}


@pytest.mark.parametrize(("query", "key"), LOOKUPS.items())
def test_a_lookup_stores_its_rows_where_a_retraction_depends_on_them(query: str, key: tuple[int, ...] | None) -> None:
    plan = TableEnvironment().compile_script(f"{SETUP}INSERT INTO {query};")
    (node,) = (node for node in plan.nodes if isinstance(node, LookupJoin))
    assert node.require_upsert_materialize is (key is not None)
    assert [entry.name for entry in node.state or ()] == ([] if key is None else ["lookupJoinState"])
    if key is not None:
        assert node.input_upsert_key == key
        assert ("upsertMaterialize=[true], upsertKey=[[0]]" in node.description) is (key == (0,))


@pytest.mark.parametrize("query", ALLOWED)
def test_a_value_that_no_retraction_repeats_may_change(query: str) -> None:
    program = f"{SETUP}INSERT INTO {query};"
    plan, ignoring = (
        TableEnvironment().compile_script(text) for text in (program, program.replace("TRY_RESOLVE", "IGNORE"))
    )
    assert [node.description for node in plan.nodes] == [node.description for node in ignoring.nodes]


@pytest.mark.parametrize(("query", "message"), REFUSED.items())
def test_a_value_that_a_retraction_repeats_must_not_change(query: str, message: str) -> None:
    with pytest.raises(CompiledPlanError, match=message):
        TableEnvironment().compile_script(f"{SETUP}INSERT INTO {query};")
    TableEnvironment().compile_script(f"{SETUP}INSERT INTO {query};".replace("TRY_RESOLVE", "IGNORE"))
