"""ALTER: the order of statements, views over changed tables, and messages.

`tests/compiled_plan/test_environment_statements.py` compares the statements with Flink.
"""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError

TABLES = """
CREATE TABLE t (a INT, b STRING, c AS a + 1) WITH ('connector' = 'datagen');
CREATE TABLE s (a INT, b STRING) WITH ('connector' = 'print');
"""


@pytest.fixture
def env():
    env = TableEnvironment()
    env.execute_sql(TABLES)
    return env


def scanned(plan):
    scan = next(node for node in plan.nodes if node.kind == "table-source-scan")
    return [column.name for column in scan.scan_table_source.table.resolved_table.table_schema.columns]


def test_what_was_compiled_before_sees_the_table_of_before(env):
    inserts = env.create_statement_set().add_insert_sql("INSERT INTO s SELECT a, b FROM t")
    env.execute_sql("ALTER TABLE t ADD d INT FIRST; ALTER TABLE s SET ('print-identifier' = 'x')")
    assert scanned(inserts.compile_plan()) == ["a", "b", "c"]
    assert inserts.compile_plan().sinks[0].dynamic_table_sink.table.options == {"connector": "print"}
    later = env.compile_plan_sql("INSERT INTO s SELECT a, b FROM t")
    assert scanned(later) == ["d", "a", "b", "c"]
    assert later.sinks[0].dynamic_table_sink.table.options == {"connector": "print", "print-identifier": "x"}


def test_computed_columns_follow_the_columns_they_refer_to(env):
    env.execute_sql("ALTER TABLE t ADD d STRING FIRST")
    plan = env.compile_plan_sql("INSERT INTO s SELECT c, d FROM t")
    assert "(a + 1)" in plan.explain()


def test_a_base_table_of_like_keeps_its_expressions_without_its_metadata(env):
    env.execute_sql(
        "CREATE TABLE base (m STRING METADATA VIRTUAL, a INT, c AS a + 1) WITH ('connector' = 'datagen');"
        "CREATE TABLE l LIKE base (EXCLUDING METADATA)"
    )
    assert "(a + 1)" in env.compile_plan_sql("INSERT INTO s SELECT c, 'x' FROM l").explain()


@pytest.mark.parametrize(
    ("view", "change", "columns"),
    [
        ("SELECT * FROM t", "ALTER TABLE t ADD d INT FIRST", ["a", "b", "c"]),
        ("SELECT DISTINCT * FROM t", "ALTER TABLE t ADD d INT", ["a", "b", "c"]),
        ("SELECT t.*, 1 AS e FROM t", "ALTER TABLE t ADD d INT", ["a", "b", "c", "e"]),
        ("SELECT * FROM t JOIN t AS z ON t.a = z.a", "ALTER TABLE t ADD d INT", ["a", "b", "c", "a0", "b0", "c0"]),
    ],
)
def test_a_view_keeps_the_columns_of_its_stars(env, view, change, columns):
    names = ", ".join(f"c{at}" for at in range(len(columns)))
    env.execute_sql(f"CREATE VIEW v ({names}) AS {view}; {change}")
    assert env.from_path("v").get_schema().get_column_names() == names.split(", ")


@pytest.mark.parametrize(
    ("view", "change", "calc"),
    [
        ("SELECT * FROM t", "MODIFY a BIGINT", "Calc(select=[CAST(a AS INTEGER) AS a, b])"),
        ("SELECT a + 1 AS p, b FROM t", "MODIFY a BIGINT", "Calc(select=[CAST((a + 1) AS INTEGER) AS p, b])"),
        ("SELECT a, b FROM t", "MODIFY a INT NOT NULL", "Calc(select=[CAST(a AS INTEGER) AS a, b])"),
    ],
)
def test_a_view_keeps_the_types_of_its_columns_as_in_flink(view, change, calc):
    env = TableEnvironment()
    env.execute_sql(TABLES.replace(", c AS a + 1", ""))
    env.execute_sql(f"CREATE VIEW v AS {view}; ALTER TABLE t {change}")
    assert calc in env.compile_plan_sql("INSERT INTO s SELECT * FROM v").explain()


def test_a_view_of_a_dropped_column_names_it(env):
    env.execute_sql("CREATE VIEW v AS SELECT * FROM t; ALTER TABLE t DROP b")
    with pytest.raises(CompiledPlanError, match="column 'b' not found"):
        env.execute_sql("EXPLAIN SELECT * FROM v")


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("ALTER TABLE t MODIFY a STRING", "computed column 'c' is declared as `a` \\+ 1, which no longer fits"),
        ("ALTER TABLE t DROP a", "column 'a' is used by computed column 'c'"),
        ("ALTER TABLE t ADD x AS nope + 1", "column 'nope' not found"),
        ("ALTER TABLE t ADD a INT", "column 'a' already exists"),
        ("ALTER TABLE t MODIFY WATERMARK FOR a AS a", "the table has no watermark to modify"),
        ("ALTER TABLE u SET ('a' = 'b')", "there is no table"),
        ("ALTER VIEW t AS SELECT 1", "is a table"),
        ("ALTER TABLE t RENAME TO d.t", "RENAME keeps a table in its database"),
        ("ALTER TABLE t ADD PARTITION (a = 1)", "is not partitioned"),
    ],
)
def test_messages_name_the_fault_and_its_place(env, statement, message):
    with pytest.raises(CompiledPlanError, match=message) as caught:
        env.execute_sql(statement)
    assert caught.value.where.startswith("line 1, column ")
    assert caught.value.remedy


def test_init_files_alter_tables(tmp_path):
    init = tmp_path / "tables.sql"
    init.write_text(f"{TABLES} ALTER TABLE t DROP (b, c); ALTER TABLE t RENAME TO u;")
    plan = TableEnvironment(init=[init]).compile_script("INSERT INTO s SELECT a, 'x' FROM u")
    assert scanned(plan) == ["a"]
