"""Mini-batches outside aggregates: operators, changes and refusals as in plans of Flink 2.3."""

from __future__ import annotations

from typing import Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import ProgramError, UnsupportedError

MINI_BATCHES = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "1 s",
    "table.exec.mini-batch.size": "10",
}
_FILE = "'connector' = 'filesystem', 'path' = '/t'"
DDL = f"""
CREATE TABLE t (a INT, k STRING, v INT) WITH ({_FILE}, 'format' = 'json');
CREATE TABLE clocked (a INT, k STRING, v INT, `time` AS PROCTIME()) WITH ({_FILE}, 'format' = 'json');
CREATE TABLE timed (a INT, k STRING, v INT, `time` TIMESTAMP(3), WATERMARK FOR `time` AS `time`)
  WITH ({_FILE}, 'format' = 'json');
CREATE TABLE cdc (a INT, k STRING, v INT, PRIMARY KEY (a) NOT ENFORCED) WITH ({_FILE}, 'format' = 'debezium-json');
CREATE TABLE arrays (k STRING, xs ARRAY<INT>) WITH ({_FILE}, 'format' = 'json');
CREATE TABLE append (a INT, k STRING, v INT) WITH ({_FILE}, 'format' = 'json');
CREATE TABLE retract (a INT, k STRING, v INT) WITH ('connector' = 'print');
CREATE TABLE by_k (a INT, k STRING, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka',
  'topic' = 'k', 'properties.bootstrap.servers' = 'h:1', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE by_a (a INT, k STRING, v INT, PRIMARY KEY (a) NOT ENFORCED) WITH ('connector' = 'upsert-kafka',
  'topic' = 'a', 'properties.bootstrap.servers' = 'h:1', 'key.format' = 'json', 'value.format' = 'json');
"""
DEDUPLICATE_OPTIONS = (
    "table.exec.deduplicate.insert-update-after-sensitive-enabled",
    "table.exec.deduplicate.mini-batch.compact-changes-enabled",
)
_ALL = ["INSERT", "UPDATE_BEFORE", "UPDATE_AFTER", "DELETE"]
_UPSERTS = ["INSERT", "UPDATE_AFTER", "DELETE"]


def nodes(statement: str, options: dict[str, str]) -> list[dict[str, Any]]:
    environment = TableEnvironment(options)
    environment.execute_sql(DDL)
    plan: list[dict[str, Any]] = environment.compile_plan_sql(statement).to_dict()["nodes"]
    return plan


def one_row(source: str, order: str, sink: str, conflict: str = "") -> str:
    numbered = f"SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY `time` {order}) AS r FROM {source}"
    return f"INSERT INTO {sink} SELECT a, k, v FROM ({numbered}) WHERE r = 1{conflict}"


def node_of(plan: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    return next(node for node in plan if kind in node["type"])


@pytest.mark.parametrize("value", ["true", "false"])
@pytest.mark.parametrize("order", ["ASC", "DESC"])
@pytest.mark.parametrize(("source", "mode"), [("clocked", "ProcTime"), ("timed", "RowTime")])
@pytest.mark.parametrize(
    ("sink", "conflict", "kinds"),
    [
        ("retract", "", _ALL),
        ("by_k", "", _UPSERTS),
        ("by_a", " ON CONFLICT DO DEDUPLICATE", _ALL),
    ],
)
def test_a_deduplication_sends_updates(
    source: str, mode: str, order: str, sink: str, conflict: str, kinds: list[str], value: str
) -> None:
    plan = nodes(one_row(source, order, sink, conflict), MINI_BATCHES | dict.fromkeys(DEDUPLICATE_OPTIONS, value))
    deduplicate, last = node_of(plan, "deduplicate"), plan[-1]
    assert deduplicate["outputInsertOnly"] is False
    assert deduplicate["generateUpdateBefore"] is ("UPDATE_BEFORE" in kinds)
    assert last["inputChangelogMode"] == kinds
    assert last.get("requireUpsertMaterialize", False) is bool(conflict)
    assert node_of(plan, "mini-batch-assigner")["miniBatchInterval"] == {"interval": 1000, "mode": mode}


@pytest.mark.parametrize("source", ["clocked", "timed"])
def test_the_first_row_is_no_insert_for_an_append_sink(source: str) -> None:
    with pytest.raises((ProgramError, UnsupportedError), match="doesn't support consuming update and delete changes"):
        nodes(one_row(source, "ASC", "append"), MINI_BATCHES)
    off = MINI_BATCHES | {"table.exec.mini-batch.enabled": "false"}
    plan = nodes(one_row(source, "ASC", "append"), off)
    assert node_of(plan, "deduplicate")["outputInsertOnly"] is True
    assert not [node for node in plan if "mini-batch-assigner" in node["type"]]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT * FROM t", "table-source-scan sink"),
        ("SELECT a, k, v FROM clocked WHERE a > 1", "table-source-scan calc sink"),
        ("SELECT * FROM t UNION ALL SELECT a, k, v FROM clocked", "table-source-scan table-source-scan union sink"),
        ("SELECT * FROM cdc", "table-source-scan sink"),
        (
            "SELECT a, k, SUM(v) OVER (PARTITION BY k ORDER BY `time`) FROM clocked",
            "table-source-scan calc exchange over-aggregate calc sink",
        ),
        (
            "SELECT a, k, SUM(v) OVER (PARTITION BY k ORDER BY `time`) FROM timed",
            "table-source-scan watermark-assigner RowTime exchange over-aggregate calc sink",
        ),
        ("SELECT a, k, v FROM timed", "table-source-scan watermark-assigner ProcTime calc sink"),
        (
            "SELECT a, k, v FROM timed UNION ALL SELECT * FROM t",
            "table-source-scan watermark-assigner ProcTime calc table-source-scan ProcTime union sink",
        ),
        (
            "SELECT a, k, v FROM t WHERE a IN (SELECT MAX(a) FROM clocked GROUP BY k)",
            "table-source-scan exchange table-source-scan calc exchange group-aggregate calc exchange join sink",
        ),
        ("SELECT * FROM t LIMIT 3", "table-source-scan ProcTime exchange limit sink"),
        (
            "SELECT x, k, 1 FROM arrays CROSS JOIN UNNEST(xs) AS u (x)",
            "table-source-scan ProcTime correlate calc sink",
        ),
        (
            "SELECT a, k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS r FROM t) WHERE r <= 2",
            "table-source-scan ProcTime exchange rank sink",
        ),
        (
            "SELECT x.a, x.k, y.v FROM t AS x JOIN clocked AS y ON x.a = y.a",
            "table-source-scan ProcTime exchange table-source-scan ProcTime exchange join calc sink",
        ),
    ],
)
def test_sources_mark_mini_batches_if_an_operator_gains_from_them(query: str, expected: str) -> None:
    plan = nodes(f"INSERT INTO retract {query}", MINI_BATCHES)
    kinds = [
        node["miniBatchInterval"]["mode"] if "miniBatchInterval" in node else node["type"][len("stream-exec-") : -2]
        for node in plan
    ]
    assert " ".join(kinds) == expected


def test_one_statement_that_gains_makes_all_sources_mark_mini_batches() -> None:
    environment = TableEnvironment(MINI_BATCHES)
    environment.execute_sql(DDL)
    statements = environment.create_statement_set()
    statements.add_insert_sql("INSERT INTO append SELECT * FROM t")
    statements.add_insert_sql(one_row("clocked", "ASC", "retract"))
    kinds = [node.kind for node in statements.compile_plan().nodes]
    assert kinds.count("mini-batch-assigner") == 2


def test_mini_batches_without_a_duration_are_refused() -> None:
    endless = {"table.exec.mini-batch.enabled": "true"}
    with pytest.raises(ProgramError) as caught:
        nodes("INSERT INTO retract SELECT * FROM t LIMIT 3", endless)
    assert "table.exec.mini-batch.allow-latency" in caught.value.where
    assert nodes("INSERT INTO retract SELECT * FROM t", endless)


def test_the_shortest_duration_is_a_millisecond() -> None:
    plan = nodes(
        "INSERT INTO retract SELECT * FROM t LIMIT 3",
        MINI_BATCHES | {"table.exec.mini-batch.allow-latency": "1 ms"},
    )
    assert node_of(plan, "mini-batch-assigner")["miniBatchInterval"]["interval"] == 1
