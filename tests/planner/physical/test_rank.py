from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.plan import CompiledPlan

DDL = """
CREATE TABLE t (a INT, k STRING, ts TIMESTAMP(3), p AS PROCTIME(), WATERMARK FOR ts AS ts)
  WITH ('connector' = 'filesystem', 'path' = '/t', 'format' = 'json');
CREATE TABLE cdc (id INT, k STRING, v INT, PRIMARY KEY (id) NOT ENFORCED)
  WITH ('connector' = 'filesystem', 'path' = '/c', 'format' = 'debezium-json');
CREATE TABLE ints (v INT) WITH ('connector' = 'print');
CREATE TABLE pairs (v INT, n BIGINT) WITH ('connector' = 'print');
CREATE TABLE texts (v STRING, n BIGINT) WITH ('connector' = 'print');
"""
NUMBERED = "SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY {order}) AS r FROM {table}"


def compiled(statement: str) -> CompiledPlan:
    environment = TableEnvironment()
    environment.execute_sql(DDL)
    return environment.compile_plan_sql(statement)


def node(statement: str, kind: str) -> dict[str, object]:
    return next(node.to_dict() for node in compiled(statement).nodes if node.kind == kind)


def ranked(order: str, condition: str, columns: str = "a", table: str = "t", sink: str = "ints") -> str:
    return f"INSERT INTO {sink} SELECT {columns} FROM ({NUMBERED.format(order=order, table=table)}) WHERE {condition}"


@pytest.mark.parametrize(
    ("order", "rowtime", "last"),
    [("ts DESC", True, True), ("ts ASC", True, False), ("p DESC", False, True), ("p ASC", False, False)],
)
def test_the_first_or_last_row_by_time_is_a_deduplicate(order: str, rowtime: bool, last: bool) -> None:
    deduplicate = node(ranked(order, "r = 1"), "deduplicate")
    assert (deduplicate["isRowtime"], deduplicate["keepLastRow"]) == (rowtime, last)
    assert deduplicate.get("outputInsertOnly", False) is not last
    assert deduplicate["generateUpdateBefore"] is last


def test_the_first_row_by_another_column_is_a_retracting_rank() -> None:
    rank = node(ranked("a ASC", "r = 1"), "rank")
    assert rank["outputRowNumber"] is False
    assert rank["generateUpdateBefore"] is True
    sink = node(ranked("a ASC", "r = 1"), "sink")
    assert sink["inputChangelogMode"] == ["INSERT", "UPDATE_BEFORE", "UPDATE_AFTER", "DELETE"]


@pytest.mark.parametrize(
    ("condition", "span"),
    [
        ("r <= 3", {"type": "Constant", "start": 1, "end": 3}),
        ("r < 3", {"type": "Constant", "start": 1, "end": 2}),
        ("3 >= r AND r > 1", {"type": "Constant", "start": 2, "end": 3}),
        ("r BETWEEN 2 AND 5", {"type": "Constant", "start": 2, "end": 5}),
        ("r <= a", {"type": "Variable", "endIndex": 0}),
    ],
)
def test_the_range_of_ranks(condition: str, span: dict[str, object]) -> None:
    assert node(ranked("a DESC", condition), "rank")["rankRange"] == span


def test_an_unread_rank_column_is_dropped() -> None:
    assert node(ranked("a DESC", "r <= 3"), "rank")["outputRowNumber"] is False
    assert node(ranked("a DESC", "r <= 3", "a, r", sink="pairs"), "rank")["outputRowNumber"] is True
    plan = compiled(ranked("a DESC", "r = 2", "a, r", sink="pairs"))
    assert "2 AS r" in next(item.description for item in reversed(plan.nodes) if item.kind == "calc")


def test_the_rank_strategy_identifies_changing_rows_by_content_or_key() -> None:
    assert node(ranked("v DESC", "r <= 2", "id", "cdc"), "rank")["rankStrategy"] == {"type": "Retract"}
    counts = "(SELECT k, id, COUNT(*) AS c FROM cdc GROUP BY k, id)"
    assert node(ranked("c DESC", "r <= 2", "id", counts), "rank")["rankStrategy"] == {"type": "Retract"}
    growing = "(SELECT k, a, COUNT(*) AS c FROM t GROUP BY k, a)"
    statement = ranked("c DESC", "r <= 2", "a", growing)
    assert node(statement, "rank")["rankStrategy"] == {"type": "UpdateFast", "primaryKeys": [0, 1]}
    assert node(statement, "group-aggregate")["generateUpdateBefore"] is False
    falling = ranked("c ASC", "r <= 2", "a", growing)
    assert node(falling, "rank")["rankStrategy"] == {"type": "Retract"}


def test_a_rank_of_rows_that_can_be_deleted_retracts() -> None:
    counts = "(SELECT k, id, COUNT(*) AS c FROM cdc GROUP BY k, id)"
    assert node(ranked("id DESC", "r <= 2", "id", counts), "rank")["rankStrategy"] == {"type": "Retract"}


def test_order_by_with_limit_over_growing_counts() -> None:
    sort_limit = node(
        "INSERT INTO texts SELECT k, COUNT(*) AS c FROM t GROUP BY k ORDER BY c DESC LIMIT 2", "sort-limit"
    )
    assert sort_limit["rankStrategy"] == {"type": "UpdateFast", "primaryKeys": [0]}


def test_a_filter_between_makes_a_count_shrink() -> None:
    having = "(SELECT k, a, COUNT(*) AS c FROM t GROUP BY k, a HAVING COUNT(*) < 9)"
    assert node(ranked("c DESC", "r <= 2", "a", having), "rank")["rankStrategy"] == {"type": "Retract"}


def test_limit_with_offset() -> None:
    limit = node("INSERT INTO ints SELECT a FROM t LIMIT 3 OFFSET 2", "limit")
    assert limit["rankRange"] == {"type": "Constant", "start": 3, "end": 5}
    assert limit["generateUpdateBefore"] is False


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO ints SELECT a FROM t ORDER BY a",
        "INSERT INTO ints SELECT a FROM (SELECT a, RANK() OVER (PARTITION BY k ORDER BY a) r FROM t) WHERE r <= 2",
    ],
)
def test_unsupported_rankings_are_refused(statement: str) -> None:
    with pytest.raises(UnsupportedError):
        compiled(statement)
