from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.types import TimeKind, TimestampBase

DDL = """
CREATE TABLE o (id INT, cust STRING, ts TIMESTAMP(3), proc AS PROCTIME(), WATERMARK FOR ts AS ts)
  WITH ('connector' = 'filesystem', 'path' = '/o', 'format' = 'json');
CREATE TABLE p (id INT, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
  WITH ('connector' = 'filesystem', 'path' = '/p', 'format' = 'json');
CREATE TABLE times (id INT, t TIMESTAMP(3)) WITH ('connector' = 'print');
CREATE TABLE zoned (id INT, t TIMESTAMP_LTZ(3)) WITH ('connector' = 'print');
CREATE TABLE ids (id INT) WITH ('connector' = 'print');
"""


def compiled(statement: str) -> CompiledPlan:
    environment = TableEnvironment()
    environment.execute_sql(DDL)
    return environment.compile_plan_sql(statement)


def kinds(plan: CompiledPlan, node: str) -> list[TimeKind]:
    row = next(item for item in plan.nodes if item.kind == node).output_type
    return [type_.kind for type_ in row.children() if isinstance(type_, TimestampBase)]


def descriptions(plan: CompiledPlan) -> str:
    return "\n".join(item.description for item in plan.nodes)


def test_a_rowtime_reaches_a_sink_unchanged() -> None:
    plan = compiled("INSERT INTO times SELECT id, ts FROM o")
    assert kinds(plan, "sink") == [TimeKind.ROWTIME]


def test_a_processing_time_is_materialized_for_a_sink() -> None:
    plan = compiled("INSERT INTO zoned SELECT id, proc FROM o")
    assert kinds(plan, "sink") == [TimeKind.REGULAR]
    assert "PROCTIME_MATERIALIZE(proc)" in descriptions(plan)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT o.id, o.ts FROM o JOIN p ON o.id = p.id",
        "SELECT id, MAX(ts) FROM o GROUP BY id",
        "SELECT id, ts + INTERVAL '1' HOUR FROM o",
        "SELECT id, CAST(ts AS TIMESTAMP(3)) FROM o",
        "SELECT id, CAST(ts AS TIMESTAMP(3)) FROM p UNION ALL SELECT id, ts FROM o",
    ],
)
def test_a_rowtime_becomes_a_plain_timestamp_behind_these_operators(query: str) -> None:
    assert kinds(compiled(f"INSERT INTO times {query}"), "sink") == [TimeKind.REGULAR]


@pytest.mark.parametrize("second_input", ["SELECT id, ts FROM p", "SELECT id, CAST(ts AS TIMESTAMP(3)) FROM p"])
def test_a_union_has_the_rowtime_of_its_first_input(second_input: str) -> None:
    plan = compiled(f"INSERT INTO times SELECT id, ts FROM o UNION ALL {second_input}")
    assert kinds(plan, "union") == kinds(plan, "sink") == [TimeKind.ROWTIME]


def test_a_rank_above_a_join_has_plain_timestamps() -> None:
    number = "ROW_NUMBER() OVER (PARTITION BY o.id ORDER BY o.ts DESC) AS r"
    ranked = f"SELECT o.id, o.ts, {number} FROM o JOIN p ON o.id = p.id"
    plan = compiled(f"INSERT INTO times SELECT id, ts FROM ({ranked}) WHERE r = 1")
    assert kinds(plan, "rank") == [TimeKind.REGULAR]
    assert kinds(plan, "sink") == [TimeKind.REGULAR]


def test_a_filter_on_a_rowtime_compares_its_value() -> None:
    plan = compiled("INSERT INTO ids SELECT id FROM o WHERE ts > TIMESTAMP '2020-01-01 00:00:00'")
    assert "where=[(CAST(ts AS TIMESTAMP(3)) > 2020-01-01" in descriptions(plan)


def test_a_rowtime_has_milliseconds_whatever_its_column_has() -> None:
    environment = TableEnvironment()
    environment.execute_sql(
        DDL + "CREATE TABLE seconds (id INT, ts TIMESTAMP(0), WATERMARK FOR ts AS ts) "
        "WITH ('connector' = 'filesystem', 'path' = '/s', 'format' = 'json');"
    )
    plan = environment.compile_plan_sql("INSERT INTO times SELECT id, ts FROM seconds")
    row = next(item for item in plan.nodes if item.kind == "watermark-assigner").output_type
    assert [type_.precision for type_ in row.children() if isinstance(type_, TimestampBase)] == [3]


def test_a_rowtime_is_plain_before_it_is_cast_to_another_type() -> None:
    plan = compiled("INSERT INTO times SELECT id, CAST(CAST(ts AS STRING) AS TIMESTAMP(3)) FROM o")
    assert "CAST(CAST(CAST(ts AS TIMESTAMP(3)) AS VARCHAR(2147483647)) AS TIMESTAMP(3))" in descriptions(plan)


def test_columns_are_read_in_the_order_of_a_projection_above_the_watermark() -> None:
    plan = compiled("INSERT INTO zoned SELECT id, proc FROM o")
    assert "Calc(select=[id, PROCTIME() AS proc, ts])" in descriptions(plan)
