"""Init files: allowed statements, and their errors."""

from __future__ import annotations

import pytest

from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.planner.sql.initializing import initialize
from compiled_plan.plans.errors import CompiledPlanError

TABLE = "CREATE TABLE t (a INT) WITH ('connector' = 'datagen')"


def test_statements_of_an_init_file() -> None:
    context = PlanningContext.new()
    text = (
        "-- shared\nSET 'table.exec.state.ttl' = '1 h'; SET 'x' = 'y'; RESET 'x'; CREATE DATABASE d; USE d;"
        f"{TABLE}; CREATE TEMPORARY VIEW v AS SELECT a FROM t; DROP VIEW IF EXISTS w; ALTER DATABASE d SET ('k' = 'v')"
    )
    initialize(context, text, "tables.sql")
    assert context.catalog.names() == ["t", "v"]
    assert (context.config.value("table.exec.state.ttl"), context.config.get("x")) == ("1 h", None)
    assert context.catalog.current_database == "d"


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("SELECT a FROM t", "a query cannot stand in an init file"),
        ("INSERT INTO t SELECT 1", "INSERT cannot stand in an init file"),
        ("EXECUTE STATEMENT SET BEGIN INSERT INTO t SELECT 1; END", "a statement set cannot stand in an init file"),
        ("COMPILE PLAN 'p.json' FOR INSERT INTO t SELECT 1", "COMPILE PLAN cannot stand in an init file"),
        ("EXECUTE PLAN 'p.json'", "EXECUTE PLAN cannot stand in an init file"),
        ("EXPLAIN SELECT a FROM t", "EXPLAIN cannot stand in an init file"),
        ("SHOW TABLES", "SHOW cannot stand in an init file"),
        ("DESCRIBE t", "DESCRIBE cannot stand in an init file"),
        ("CREATE TABLE u AS SELECT a FROM t", "CREATE TABLE ... AS"),
        ("CALL p()", "the statement CALL is not supported"),
        ("CREATE TABL u (a INT)", "SQL parse failed"),
        ("CREATE VIEW v AS SELECT b FROM t", "column 'b' not found"),
        ("USE nope", "there is no database 'nope'"),
        ("SET 'table.exec.state.ttl' = 'forever'", "invalid value 'forever'"),
    ],
)
def test_refused_with_file_line_and_column(statement: str, message: str) -> None:
    context = PlanningContext.new()
    with pytest.raises(CompiledPlanError) as caught:
        initialize(context, f"{TABLE};\n  {statement};\n", "shared/tables.sql")
    assert message in caught.value.message
    assert caught.value.where.startswith("shared/tables.sql, line 2, column ")
    assert "^" in caught.value.where


def test_a_file_with_a_query_does_nothing() -> None:
    context = PlanningContext.new()
    with pytest.raises(CompiledPlanError):
        initialize(context, f"{TABLE}; SELECT a FROM t", "tables.sql")
    assert context.catalog.names() == []
