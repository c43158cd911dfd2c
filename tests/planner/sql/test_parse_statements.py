"""DDL, INSERT, statement sets, plans, session statements."""

from __future__ import annotations

import pytest

from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.planner.sql.parse import parse_script

TABLE = """CREATE TEMPORARY TABLE IF NOT EXISTS c.d.`T t` (
  id INT NOT NULL,
  `value` STRING COMMENT 'it''s',
  twice AS id * 2 COMMENT 'computed',
  k STRING METADATA FROM 'key' VIRTUAL,
  m MAP<STRING, STRING> METADATA,
  r ROW<ts TIMESTAMP(3)>,
  WATERMARK FOR r.ts AS r.ts - INTERVAL '5' SECOND,
  CONSTRAINT pk PRIMARY KEY (id, `value`) NOT ENFORCED
) COMMENT 'all of it'
DISTRIBUTED BY HASH(id) INTO 4 BUCKETS
PARTITIONED BY (`value`)
WITH ('connector' = 'x', 'path' = '/a;b--c')
LIKE s (EXCLUDING ALL INCLUDING GENERATED OVERWRITING OPTIONS)"""


def test_create_table(statement, shape):
    table = statement(TABLE)
    assert isinstance(table, st.CreateTable)
    assert table.name == ("c", "d", "T t")
    assert (table.temporary, table.if_not_exists, table.or_replace) == (True, True, False)
    assert [(type(column).__name__, column.name) for column in table.columns] == [
        ("PhysicalClause", "id"),
        ("PhysicalClause", "value"),
        ("ComputedClause", "twice"),
        ("MetadataClause", "k"),
        ("MetadataClause", "m"),
        ("PhysicalClause", "r"),
    ]
    first, second, computed, key, meta, _ = table.columns
    assert first.type.nullable is False
    assert second.comment == "it's"
    assert shape(computed.expression) == "*(id, 2)"
    assert (key.key, key.virtual, meta.key, meta.virtual) == ("key", True, None, False)
    (watermark,) = table.watermarks
    assert watermark.rowtime == ("r", "ts")
    assert (table.primary_key.name, table.primary_key.columns) == ("pk", ("id", "value"))
    assert table.comment == "all of it"
    assert (table.distribution.kind, table.distribution.columns, table.distribution.buckets) == ("HASH", ("id",), 4)
    assert table.partitioned_by == ("value",)
    assert table.options == {"connector": "x", "path": "/a;b--c"}
    assert table.like.source == ("s",)
    assert [(option.strategy, option.feature) for option in table.like.options] == [
        ("EXCLUDING", "ALL"),
        ("INCLUDING", "GENERATED"),
        ("OVERWRITING", "OPTIONS"),
    ]


def test_primary_key_at_the_column(statement):
    table = statement("CREATE TABLE t (a INT PRIMARY KEY NOT ENFORCED COMMENT 'x')")
    assert table.primary_key.columns == ("a",)
    assert table.columns[0].comment == "x"


def test_create_table_as(statement):
    table = statement("CREATE TABLE t (b, a) WITH ('connector'='print') AS SELECT a, b FROM s")
    assert [column.name for column in table.columns] == ["b", "a"]
    assert all(isinstance(column, st.NamedClause) for column in table.columns)
    assert table.query is not None


def test_create_view(statement):
    view = statement("CREATE TEMPORARY VIEW IF NOT EXISTS v (x, y) COMMENT 'c' AS SELECT a, b FROM t -- end")
    assert isinstance(view, st.CreateView)
    assert (view.name, view.columns, view.comment, view.temporary) == (("v",), ("x", "y"), "c", True)
    assert view.query_text == "SELECT a, b FROM t"


def test_create_function(statement):
    function = statement("CREATE TEMPORARY SYSTEM FUNCTION IF NOT EXISTS f AS 'm.f' LANGUAGE PYTHON")
    assert isinstance(function, st.CreateFunction)
    assert (function.name, function.identifier, function.language, function.system) == (("f",), "m.f", "PYTHON", True)
    jars = statement("CREATE FUNCTION a.f AS 'x.F' USING JAR 'p.jar', JAR 'q.jar'")
    assert jars.resources == ("p.jar", "q.jar")


DROPS = [
    ("DROP TABLE IF EXISTS a.t", ("TABLE", ("a", "t"), True, False)),
    ("DROP TEMPORARY VIEW v", ("VIEW", ("v",), False, True)),
    ("DROP FUNCTION f", ("FUNCTION", ("f",), False, False)),
    ("DROP DATABASE d RESTRICT", ("DATABASE", ("d",), False, False)),
]


@pytest.mark.parametrize(("text", "fields"), DROPS)
def test_drop(statement, text, fields):
    drop = statement(text)
    assert (drop.kind, drop.name, drop.if_exists, drop.temporary) == fields


def test_insert(statement, shape):
    insert = statement(
        "INSERT INTO a.t /*+ OPTIONS('k'='v') */ PARTITION (p = 'x') (c, r.f) SELECT 1, 2 ON CONFLICT DO DEDUPLICATE"
    )
    assert isinstance(insert, st.Insert)
    assert (insert.target, insert.columns, insert.overwrite) == (("a", "t"), (("c",), ("r", "f")), False)
    assert insert.hints[0].options == {"k": "v"}
    assert {name: shape(value) for name, value in insert.partition.items()} == {"p": "'x'"}
    assert (insert.on_conflict, insert.query_text) == ("DEDUPLICATE", "SELECT 1, 2")
    assert statement("INSERT OVERWRITE t VALUES (1)").overwrite
    assert statement("INSERT INTO t (SELECT 1)").columns == ()
    assert statement("EXECUTE INSERT INTO t SELECT 1").on_conflict is None


@pytest.mark.parametrize(
    "text",
    [
        "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END",
        "BEGIN STATEMENT SET; INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END;",
    ],
)
def test_statement_sets(statement, text):
    statements = statement(text)
    assert isinstance(statements, st.StatementSet)
    assert [insert.target for insert in statements.inserts] == [("a",), ("b",)]
    assert [insert.text for insert in statements.inserts] == ["INSERT INTO a SELECT 1", "INSERT INTO b SELECT 2"]


def test_sets_of_the_sql_client_create_tables_from_queries(statement):
    creates = "CREATE TABLE b AS SELECT 2; CREATE OR REPLACE TABLE c AS SELECT 3; REPLACE TABLE d AS SELECT 4;"
    writes = statement(f"BEGIN STATEMENT SET; INSERT INTO a SELECT 1; {creates} END").inserts
    assert [write.text for write in writes[1:]] == [part.strip() for part in creates.split(";")[:-1]]
    assert [(write.or_replace, write.replace_only) for write in writes[1:]] == [
        (False, False),
        (True, False),
        (True, True),
    ]


def test_plans(statement):
    plan = statement("COMPILE PLAN '/p' IF NOT EXISTS FOR STATEMENT SET BEGIN INSERT INTO a SELECT 1; END")
    assert isinstance(plan, st.CompilePlan)
    assert (plan.path, plan.if_not_exists, len(plan.body.inserts)) == ("/p", True, 1)
    same = statement("COMPILE PLAN IF NOT EXISTS '/p' FOR EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; END")
    assert (same.path, same.if_not_exists, len(same.body.inserts)) == ("/p", True, 1)
    assert statement("EXECUTE PLAN '/p'").path == "/p"
    assert statement("EXECUTE PLAN IF EXISTS '/p'").if_exists
    both = statement("COMPILE AND EXECUTE PLAN '/p' FOR INSERT INTO a SELECT 1")
    assert isinstance(both, st.CompileAndExecutePlan)
    assert both.body.target == ("a",)


def test_explain(statement):
    explain = statement("EXPLAIN ESTIMATED_COST, CHANGELOG_MODE INSERT INTO a SELECT 1")
    assert explain.details == ("ESTIMATED_COST", "CHANGELOG_MODE")
    assert isinstance(explain.body, st.Insert)
    assert isinstance(statement("EXPLAIN PLAN FOR SELECT 1").body, st.Query)


SETTINGS = [
    ("SET 'a.b' = 'c''d'", ("a.b", "c'd")),
    ("SET a.b-c = 'd'", ("a.b-c", "d")),
    ("SET table.exec.state.ttl = 1h", ("table.exec.state.ttl", "1h")),
    ("set", (None, None)),
]


@pytest.mark.parametrize(("text", "pair"), SETTINGS)
def test_set(statement, text, pair):
    option = statement(text)
    assert (option.key, option.value) == pair


def test_session(statement):
    assert statement("RESET 'a'").key == "a"
    assert statement("RESET").key is None
    assert statement("USE CATALOG c").name == "c"
    assert statement("USE c.d").name == ("c", "d")
    assert statement("DESC EXTENDED t").extended
    created = statement("SHOW CREATE TABLE t")
    assert (created.what, created.of) == ("CREATE TABLE", ("t",))
    assert statement("ALTER TABLE t RENAME TO u").change.name == ("u",)
    assert statement("CALL p('x')").kind == "CALL"


def test_a_script_and_its_spans():
    text = "-- c\n;;SET 'a'='b';\n/* ; */ SELECT ';' // ;\n FROM `t;`;\n\n"
    first, second = parse_script(text)
    assert first.text == "SET 'a'='b'"
    assert second.text == "SELECT ';' // ;\n FROM `t;`"
    assert (second.span.line, second.span.column) == (3, 9)
    assert text[second.span.start : second.span.end] == second.text


def test_an_empty_script_has_no_statements():
    assert parse_script(" \n-- only a remark") == []
