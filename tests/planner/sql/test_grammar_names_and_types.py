"""Result types of functions and clauses in SQL, and refusals: the answers of Flink 2.3."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError

TABLES = """
CREATE TABLE s (k STRING, v INT, w BIGINT, d DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
  WITH ('connector' = 'datagen');
CREATE TABLE named (PI INT) WITH ('connector' = 'datagen');
CREATE TABLE twice (k STRING, t1 TIMESTAMP(3), t2 TIMESTAMP(3)) WITH ('connector' = 'print')
"""


@pytest.fixture
def env():
    env = TableEnvironment()
    for statement in TABLES.split(";"):
        env.execute_sql(statement)
    return env


@pytest.mark.parametrize(
    ("expression", "name", "type_"),
    [
        ("PI", "PI", "DOUBLE NOT NULL"),
        ("pi", "pi", "DOUBLE NOT NULL"),
        ("Pi * 2", "EXPR$0", "DOUBLE NOT NULL"),
        ("PI()", "EXPR$0", "DOUBLE NOT NULL"),
        ("PI FROM named", "PI", "DOUBLE NOT NULL"),
        ("`PI` FROM named", "PI", "INT"),
        ("named.PI FROM named", "PI", "INT"),
        ("PI.v FROM s AS PI", "v", "INT"),
        ("1 AS PI", "PI", "INT NOT NULL"),
        ("ELT(1, 'a', 'bcd')", "EXPR$0", "VARCHAR(3)"),
        ("ELT(v, 'a', 'b')", "EXPR$0", "CHAR(1)"),
        ("ELT(1, k, 'bcd')", "EXPR$0", "STRING"),
        ("ELT(1, X'01', X'0203')", "EXPR$0", "VARBINARY(2)"),
        ("ELT(1, CAST('a' AS VARCHAR(5)), CAST('a' AS VARCHAR(7)))", "EXPR$0", "VARCHAR(7)"),
        ("ARRAY_AGG(v) IGNORE NULLS", "EXPR$0", "ARRAY<INT>"),
        ("LAG(v) IGNORE NULLS OVER (ORDER BY ts)", "EXPR$0", "INT"),
        ("ARRAY_AGG(v) RESPECT NULLS OVER (ORDER BY ts)", "EXPR$0", "ARRAY<INT>"),
    ],
)
def test_a_type(env, expression, name, type_):
    query = f"SELECT {expression}" if " FROM " in expression else f"SELECT {expression} FROM s"
    (column,) = env.sql_query(query).get_schema().columns
    assert (column.name, str(column.data_type).replace("VARCHAR(2147483647)", "STRING")) == (name, type_)


@pytest.mark.parametrize("nulls", ["IGNORE NULLS", "RESPECT NULLS"])
@pytest.mark.parametrize("over", ["", " OVER (PARTITION BY k ORDER BY ts)"])
@pytest.mark.parametrize(
    "call", ["FIRST_VALUE(v)", "LAST_VALUE(v)", "SUM(v)", "COUNT(v)", "MAX(v)", "AVG(v)", "LISTAGG(k)", "STDDEV_POP(v)"]
)
def test_aggregates_that_take_no_nulls_clause(env, call, over, nulls):
    with pytest.raises(CompiledPlanError, match="IGNORE NULLS and RESPECT NULLS cannot follow"):
        env.sql_query(f"SELECT {call} {nulls}{over} FROM s" + ("" if over else " GROUP BY k"))


@pytest.mark.parametrize("expression", ["ELT(d, 'a')", "ELT(1)", "ELT(1, 1, 2)", "ELT(1, 'a', X'01')", "s.PI", "`PI`"])
def test_refused(env, expression):
    with pytest.raises(CompiledPlanError):
        env.sql_query(f"SELECT {expression} FROM s")


def test_two_rowtime_columns_go_into_a_sink_without_a_rowtime_inserter(env):
    insert = "INSERT INTO twice SELECT k, ts, ts FROM s"
    with pytest.raises(CompiledPlanError, match="2 rowtime columns"):
        env.compile_plan_sql(insert)
    for value in ("DISABLED", "disabled"):
        env.execute_sql(f"SET 'table.exec.sink.rowtime-inserter' = '{value}'")
        sink = env.compile_plan_sql(insert).to_dict()["nodes"][-1]
        assert sink["configuration"]["table.exec.sink.rowtime-inserter"] == value
