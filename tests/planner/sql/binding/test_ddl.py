"""CREATE TABLE and CREATE VIEW: columns, keys, watermarks, LIKE, and refused statements."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.planner.catalog.tables import CatalogTable, ColumnKind
from compiled_plan.plans.errors import CompiledPlanError, ProgramError, UnsupportedError
from compiled_plan.plans.inspection.rules import plan_findings
from compiled_plan.plans.rex import input_refs
from compiled_plan.plans.types import parse_type

WITH = "WITH ('connector' = 'datagen')"


def declared(text: str, env: TableEnvironment | None = None, name: str = "x") -> CatalogTable:
    env = env or TableEnvironment()
    env.execute_sql(text)
    catalog_table = env.catalog.find((name,))
    assert isinstance(catalog_table, CatalogTable)
    return catalog_table


def test_columns_of_all_kinds() -> None:
    table = declared(
        "CREATE TABLE x (c AS a + b, a INT COMMENT 'first', f STRING NOT NULL METADATA FROM 'file.path' VIRTUAL, "
        "b INT NOT NULL, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) "
        "WITH ('connector' = 'filesystem', 'path' = '/p', 'format' = 'json')"
    )
    kinds = [(column.name, column.kind.value, str(column.type)) for column in table.columns]
    assert kinds == [
        ("c", "COMPUTED", "INT"),
        ("a", "PHYSICAL", "INT"),
        ("f", "METADATA", "VARCHAR(2147483647) NOT NULL"),
        ("b", "PHYSICAL", "INT NOT NULL"),
        ("ts", "PHYSICAL", "TIMESTAMP(3)"),
    ]
    computed, first, metadata = table.columns[:3]
    assert computed.expression is not None
    # Indices over the columns that are not computed: a is 0, b is 2.
    assert (computed.sql, input_refs(computed.expression)) == ("`a` + `b`", frozenset((0, 2)))
    assert first.comment == "first"
    assert (metadata.metadata_key, metadata.virtual) == ("file.path", True)
    (watermark,) = table.watermarks
    assert (watermark.column, watermark.sql) == ("ts", "`ts` - INTERVAL '5' SECOND")
    # Indices over all columns: ts is 4.
    assert input_refs(watermark.expression) == frozenset((4,))
    assert table.option("path") == "/p"


def test_a_primary_key_makes_columns_not_null() -> None:
    table = declared(f"CREATE TABLE x (a INT, b INT, c INT, PRIMARY KEY (b, a) NOT ENFORCED) {WITH}")
    assert (table.primary_key, table.primary_key_name) == (("b", "a"), "PK_b_a")
    assert [column.type.nullable for column in table.columns] == [False, False, True]
    named = declared(f"CREATE TABLE x (a INT NULL, CONSTRAINT ct PRIMARY KEY (a) NOT ENFORCED) {WITH}")
    assert named.primary_key_name == "ct"


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("CAST(a*(1+b) AS DECIMAL(12,2))", "CAST(`a` * (1 + `b`) AS DECIMAL(12, 2))"),
        ("upper(coalesce(s,'??'))", "UPPER(COALESCE(`s`, '??'))"),
        ("PROCTIME()", "PROCTIME()"),
        ("a - (b - 1) - 2", "`a` - (`b` - 1) - 2"),
        ("CASE a WHEN 1 THEN 'it''s' END", "CASE WHEN `a` = 1 THEN 'it''s' ELSE NULL END"),
        ("(a = 1 OR b = 2) AND NOT a = 3", "(`a` = 1 OR `b` = 2) AND NOT `a` = 3"),
        ("a IS NULL AND a NOT IN (1, 2)", "`a` IS NULL AND `a` NOT IN (1, 2)"),
        ("EXTRACT(YEAR FROM ts)", "EXTRACT(YEAR FROM `ts`)"),
        ("FLOOR(ts TO HOUR)", "FLOOR(`ts` TO HOUR)"),
        ("SUBSTRING(s FROM 2 FOR 3)", "SUBSTRING(`s`, 2, 3)"),
        ("TRIM(s)", "TRIM(BOTH ' ' FROM `s`)"),
        ("ARRAY[a, b][1]", "ARRAY[`a`, `b`][1]"),
        ("TRY_CAST(s AS STRING)", "TRY_CAST(`s` AS STRING)"),
        ("-a", "- `a`"),
        ("s || 'ä'", "`s` || _UTF16'ä'"),
    ],
)
def test_the_text_of_a_computed_column(expression: str, text: str) -> None:
    table = declared(f"CREATE TABLE x (a INT, b INT, s STRING, ts TIMESTAMP(3), c AS {expression}) {WITH}")
    assert table.columns[-1].sql == text


BASE = """
CREATE TABLE base (a INT, b STRING, c AS a + 1, ts TIMESTAMP(3), m STRING METADATA FROM 'file.name' VIRTUAL,
  WATERMARK FOR ts AS ts, PRIMARY KEY (a) NOT ENFORCED)
  PARTITIONED BY (b) WITH ('connector' = 'filesystem', 'path' = '/p', 'format' = 'json');
CREATE VIEW v AS SELECT a FROM base;
"""


@pytest.fixture
def base() -> TableEnvironment:
    env = TableEnvironment()
    env.execute_sql(BASE)
    return env


def test_like_takes_everything_over_and_overwrites_options(base: TableEnvironment) -> None:
    table = declared("CREATE TABLE x (d INT) WITH ('path' = '/q') LIKE base", base)
    assert [column.name for column in table.columns] == ["a", "b", "c", "ts", "m", "d"]
    assert (table.primary_key, table.partition_keys, len(table.watermarks)) == (("a",), ("b",), 1)
    assert dict(table.options) == {"connector": "filesystem", "path": "/q", "format": "json"}


def test_like_excludes_and_overwrites(base: TableEnvironment) -> None:
    plain = declared(f"CREATE TABLE x {WITH} LIKE base (EXCLUDING ALL)", base)
    assert [column.name for column in plain.columns] == ["a", "b", "ts"]
    assert (plain.primary_key, plain.partition_keys, plain.watermarks) == ((), (), ())
    assert dict(plain.options) == {"connector": "datagen"}
    declaration = declared(
        "CREATE TABLE y (c AS a + 7, WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) "
        "LIKE base (OVERWRITING GENERATED OVERWRITING WATERMARKS EXCLUDING CONSTRAINTS)",
        base,
        "y",
    )
    assert [column.sql for column in declaration.columns if column.kind is ColumnKind.COMPUTED] == ["`a` + 7"]
    assert declaration.watermarks[0].sql == "`ts` - INTERVAL '1' SECOND"
    assert declaration.primary_key == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"CREATE TABLE x (a INT, a STRING) {WITH}", "a regular column named 'a' already exists"),
        (f"CREATE TABLE x (a INT, PRIMARY KEY (zz) NOT ENFORCED) {WITH}", "primary key column 'zz' is not defined"),
        (f"CREATE TABLE x (a INT, c AS a + 1, PRIMARY KEY (c) NOT ENFORCED) {WITH}", "is computed"),
        (f"CREATE TABLE x (a INT, PRIMARY KEY (a, a) NOT ENFORCED) {WITH}", "twice"),
        (f"CREATE TABLE x (a INT PRIMARY KEY) {WITH}", "in ENFORCED mode"),
        (f"CREATE TABLE x (a INT, WATERMARK FOR zz AS zz) {WITH}", "'zz' is not defined in the table"),
        (f"CREATE TABLE x (a STRING, WATERMARK FOR a AS a) {WITH}", "must be of type TIMESTAMP(p)"),
        (f"CREATE TABLE x (ts TIMESTAMP(6), WATERMARK FOR ts AS ts) {WITH}", "must be of type TIMESTAMP(p)"),
        (f"CREATE TABLE x (ts TIMESTAMP(3), WATERMARK FOR ts AS 5) {WITH}", "the watermark's expression"),
        (f"CREATE TABLE x (p AS PROCTIME(), WATERMARK FOR p AS p) {WITH}", "is a processing time"),
        (f"CREATE TABLE x (a STRNG) {WITH}", "no type is named 'STRNG'"),
        (f"CREATE TABLE x (a INT, c AS a + 1, d AS c + 1) {WITH}", "refers to 'c', which is computed too"),
        (f"CREATE TABLE x (a INT, c AS zz + 1) {WITH}", "column 'zz' not found"),
        (f"CREATE TABLE x (a INT) PARTITIONED BY (zz) {WITH}", "partition column 'zz' not defined"),
        (f"CREATE TABLE x (a DECIMAL(0, 0)) {WITH}", "out of bounds"),
        (f"CREATE TABLE x (a ROW<f INT, f INT>) {WITH}", "field 'f' is declared twice"),
        ("CREATE TABLE x (a INT) LIKE base", "'a' already exists in the base table"),
        ("CREATE TABLE x (c AS a + 2) LIKE base", "'c' already exists in the base table"),
        ("CREATE TABLE x (PRIMARY KEY (b) NOT ENFORCED) LIKE base", "already has a primary key"),
        ("CREATE TABLE x (PRIMARY KEY (b) NOT ENFORCED) LIKE base (EXCLUDING CONSTRAINTS)", "is nullable in the base"),
        ("CREATE TABLE x (WATERMARK FOR ts AS ts) LIKE base", "already has a watermark"),
        ("CREATE TABLE x PARTITIONED BY (a) LIKE base", "already has partitions"),
        ("CREATE TABLE x WITH ('path' = '/q') LIKE base (INCLUDING OPTIONS)", "already has the option 'path'"),
        ("CREATE TABLE x LIKE nope", "source table"),
        ("CREATE TABLE x LIKE v", "is a view"),
        ("CREATE TABLE x LIKE base (OVERWRITING CONSTRAINTS)", "OVERWRITING CONSTRAINTS is not possible"),
        (f"CREATE TABLE base (a INT) {WITH}", "already exists"),
        ("CREATE VIEW w (p) AS SELECT a, b FROM base", "names 1 column(s), its query has 2"),
        ("CREATE VIEW w AS SELECT l.a, r.a FROM base l, base r", "defined twice in the view"),
        ("CREATE VIEW w AS SELECT nope FROM base", "column 'nope' not found"),
        ("DROP TABLE nope", "there is no table"),
        ("DROP VIEW base", "there is no view"),
        ("USE nope", "there is no database 'nope'"),
        ("USE CATALOG nope", "there is no catalog 'nope'"),
        ("SET 'table.exec.state.ttl' = 'forever'", "invalid value 'forever'"),
    ],
)
def test_refused_declarations(base: TableEnvironment, text: str, message: str) -> None:
    with pytest.raises(ProgramError) as caught:
        base.execute_sql(text)
    assert message in caught.value.message
    assert caught.value.where.startswith("line 1, column ")


def test_a_catalog_of_another_type_is_unsupported(base: TableEnvironment) -> None:
    with pytest.raises(UnsupportedError, match="catalog of type 'hive'"):
        base.execute_sql("CREATE CATALOG c WITH ('type' = 'hive')")


def test_a_computed_column_stands_in_front_of_the_columns_that_it_reads(base: TableEnvironment) -> None:
    base.execute_sql(
        "CREATE TABLE first (n AS s || 'x', i INT, s STRING) WITH ('connector' = 'filesystem', "
        "'path' = '/f', 'format' = 'json')"
    )
    plan = base.compile_script("CREATE TABLE k WITH ('connector' = 'print') AS SELECT n, i FROM first")
    assert [finding.message for finding in plan_findings(plan)] == []


def test_a_java_function_needs_a_signature(base: TableEnvironment) -> None:
    with pytest.raises(ProgramError, match="the types of the Java function f are unknown"):
        base.execute_sql("CREATE FUNCTION f AS 'a.b'; ALTER FUNCTION f AS 'a.c'; CREATE VIEW v AS SELECT f()")


def test_temporary_objects_hide_permanent_ones(base: TableEnvironment) -> None:
    base.execute_sql(f"CREATE TEMPORARY TABLE base (q INT) {WITH}")
    table = base.catalog.find(("base",))
    assert isinstance(table, CatalogTable) and [column.name for column in table.columns] == ["q"]
    with pytest.raises(CompiledPlanError, match="a temporary table"):
        base.execute_sql("DROP TABLE base")
    base.execute_sql("DROP TEMPORARY TABLE base; DROP TABLE base; DROP TABLE IF EXISTS base")
    assert base.catalog.find(("base",)) is None


def test_if_not_exists_keeps_the_first(base: TableEnvironment) -> None:
    base.execute_sql(f"CREATE TABLE IF NOT EXISTS base (q INT) {WITH}")
    table = base.catalog.find(("base",))
    assert isinstance(table, CatalogTable) and table.columns[0].name == "a"


def test_databases_and_catalogs() -> None:
    env = TableEnvironment()
    env.execute_sql(f"CREATE DATABASE d; USE d; CREATE TABLE x (a INT) {WITH}")
    assert env.catalog.find(("default_catalog", "d", "x")) is not None
    env.execute_sql(f"USE default_database; CREATE TABLE d.y (a INT) {WITH}; DROP DATABASE d CASCADE")
    assert env.catalog.find(("d", "x")) is None
    env.execute_sql("CREATE CATALOG c WITH ('type' = 'generic_in_memory'); USE CATALOG c; CREATE DATABASE e; USE e")
    assert (env.catalog.current_catalog, env.catalog.current_database) == ("c", "e")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("DECIMAL(50, 2)", "DECIMAL(38, 2)"),
        ("TIMESTAMP(10)", "TIMESTAMP(9)"),
        ("TIMESTAMP_LTZ(12)", "TIMESTAMP_LTZ(9)"),
        ("TIME(5)", "TIME(3)"),
    ],
)
def test_a_precision_too_large_is_the_largest(written: str, meant: str) -> None:
    table = declared(f"CREATE TABLE x (a {written}) {WITH}")
    assert table.columns[0].type == parse_type(meant)


def test_source_watermarks_are_refused_at_the_read() -> None:
    env = TableEnvironment()
    env.execute_sql(f"CREATE TABLE t (a INT, ts TIMESTAMP(3), WATERMARK FOR ts AS SOURCE_WATERMARK()) {WITH}")
    with pytest.raises(ProgramError, match="'datagen' has no watermarks of its own"):
        env.compile_script("CREATE TABLE k (a INT) WITH ('connector' = 'print'); INSERT INTO k SELECT a FROM t;")
