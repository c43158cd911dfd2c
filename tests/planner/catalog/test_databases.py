"""Catalogs and databases: Flink 2.3's answers to the same statements."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError, ProgramError, ProgramWarning, UnsupportedError
from compiled_plan.plans.functions import ScalarFunction

CATALOG = "CREATE CATALOG c WITH ('type' = 'generic_in_memory');"
TABLE = "(a INT) WITH ('connector' = 'datagen');"


def listed(text: str) -> list[str]:
    """The rows of the last statement."""
    return [str(row[0]) for row in TableEnvironment().execute_sql(text).collect()]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (f"{CATALOG} USE CATALOG c; SHOW DATABASES", ["default"]),
        (
            "CREATE CATALOG c WITH ('type' = 'generic_in_memory', 'default-database' = 'd'); USE CATALOG c;"
            "SHOW CURRENT DATABASE",
            ["d"],
        ),
        (f"{CATALOG} CREATE CATALOG IF NOT EXISTS c WITH ('type' = 'hive'); SHOW CATALOGS", ["c", "default_catalog"]),
        (f"{CATALOG} DROP CATALOG c; DROP CATALOG IF EXISTS c; SHOW CATALOGS", ["default_catalog"]),
        (f"{CATALOG} USE CATALOG c; DROP CATALOG default_catalog; SHOW CATALOGS", ["c"]),
        (f"{CATALOG} ALTER CATALOG c SET ('default-database' = 'v'); SHOW DATABASES FROM c", ["v"]),
        (f"{CATALOG} ALTER CATALOG c COMMENT 'x'; DESCRIBE CATALOG c", ["name", "type", "comment"]),
        ("CREATE DATABASE d; CREATE DATABASE IF NOT EXISTS d; SHOW DATABASES", ["d", "default_database"]),
        (f"{CATALOG} CREATE DATABASE c.e; SHOW DATABASES IN c LIKE 'e%'", ["e"]),
        ("CREATE DATABASE d WITH ('k' = 'v'); ALTER DATABASE d SET ('k' = 'w'); SHOW DATABASES NOT LIKE 'def%'", ["d"]),
        (f"CREATE DATABASE d; CREATE TABLE d.t {TABLE} DROP DATABASE d CASCADE; SHOW DATABASES", ["default_database"]),
        (f"CREATE DATABASE d; CREATE TEMPORARY TABLE d.t {TABLE} DROP DATABASE d; SHOW TABLES FROM d2 LIKE 'x'", None),
        ("CREATE DATABASE d; USE d; DROP DATABASE default_database; SHOW DATABASES", ["d"]),
        (
            f"{CATALOG} CREATE TABLE c.`default`.t {TABLE} SHOW TABLES FROM c.`default`",
            ["t"],
        ),
        (f"CREATE TABLE abc {TABLE} CREATE TABLE xyz {TABLE} SHOW TABLES NOT LIKE 'a%'", ["xyz"]),
        (f"CREATE TABLE a_c {TABLE} CREATE TABLE abc {TABLE} SHOW TABLES LIKE 'a\\_c'", ["a_c"]),
        (f"CREATE TABLE a_c {TABLE} CREATE TABLE abc {TABLE} SHOW TABLES LIKE 'a_c'", ["a_c", "abc"]),
        ("CREATE VIEW v AS SELECT 1 AS a; SHOW VIEWS FROM default_database LIKE 'w%'", []),
        ("SHOW CATALOGS ILIKE 'DEFAULT%'", ["default_catalog"]),
        ("SHOW FUNCTIONS ILIKE 'substr%'", ["SUBSTR", "SUBSTRING"]),
        ("SHOW FUNCTIONS FROM default_database LIKE 'SUB%'", []),
        (f"CREATE TEMPORARY TABLE later.t {TABLE} CREATE DATABASE later; SHOW TABLES FROM later", ["t"]),
    ],
)
def test_catalogs_and_databases_are_listed(text: str, names: list[str] | None) -> None:
    if names is None:
        with pytest.raises(ProgramError, match="there is no database 'd2'"):
            listed(text)
    else:
        assert listed(text) == names


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CREATE CATALOG c", "catalog 'c' has no type"),
        ("CREATE CATALOG c WITH ('type' = 'Generic_In_Memory')", "a catalog of type 'Generic_In_Memory'"),
        ("CREATE CATALOG c WITH ('type' = 'jdbc')", "a catalog of type 'jdbc' is not supported"),
        ("CREATE CATALOG c WITH ('type' = 'generic_in_memory', 'foo' = 'x')", "has no option 'foo'"),
        ("CREATE CATALOG c WITH ('type' = 'generic_in_memory', 'default-database' = '')", "is empty"),
        (f"{CATALOG} {CATALOG}", "a catalog 'c' already exists"),
        (f"{CATALOG} USE CATALOG c; DROP CATALOG c", "the current catalog 'c' cannot be dropped"),
        ("DROP CATALOG c", "there is no catalog 'c'"),
        (f"{CATALOG} ALTER CATALOG c SET ('k' = 'v')", "has no option 'k'"),
        (f"{CATALOG} ALTER CATALOG c SET ('type' = 'hive')", "a catalog of type 'hive'"),
        (f"{CATALOG} ALTER CATALOG c RESET ('type')", "the type of catalog 'c'"),
        ("ALTER CATALOG nope COMMENT 'x'", "there is no catalog 'nope'"),
        ("ALTER DATABASE nope SET ('k' = 'w')", "there is no database 'nope'"),
        ("CREATE DATABASE IF NOT EXISTS nope.d", "there is no catalog 'nope'"),
        ("CREATE DATABASE a.b.c", "'a.b.c' names no database"),
        ("CREATE DATABASE d; CREATE DATABASE d", "a database 'd' already exists"),
        ("DROP DATABASE nope", "there is no database 'nope'"),
        ("DROP DATABASE IF EXISTS nope.d", "there is no catalog 'nope'"),
        (f"CREATE DATABASE d; CREATE TABLE d.t {TABLE} DROP DATABASE d RESTRICT", "database 'd' is not empty"),
        ("CREATE DATABASE d; USE d; DROP DATABASE d CASCADE", "the current database 'd' cannot be dropped"),
        ("USE a.b.c", "'a.b.c' names no database"),
        (f"{CATALOG} USE c", "there is no database 'c' in catalog 'default_catalog'"),
        ("SHOW TABLES FROM nope", "there is no database 'nope'"),
        ("SHOW DATABASES FROM nope", "there is no catalog 'nope'"),
        ("ALTER CATALOG default_catalog COMMENT 'x'", "catalog 'default_catalog' was there from the start"),
        (f"CREATE TABLE nope.t {TABLE}", "there is no database 'nope'"),
        ("CREATE FUNCTION nope.f AS 'a.B' LANGUAGE PYTHON", "there is no database 'nope'"),
        ("DROP CATALOG a.b", "unexpected '.'"),
        ("SHOW TABLES ILIKE 'x'", "unexpected 'ILIKE'"),
        ("SHOW VIEWS NOT ILIKE 'x'", "expected LIKE"),
        ("DESCRIBE CATALOG nope", "there is no catalog 'nope'"),
        ("DESCRIBE DATABASE default_database", "DESCRIBE DATABASE is not supported"),
        ("CALL p('x')", "the statement CALL is not supported"),
        ("DESCRIBE JOB 'abc'", "this session has no job 'abc'"),
        ("STOP JOB 'abc'", "this session has no job 'abc'"),
        ("STOP JOB 'abc' WITH SAVEPOINT", "STOP JOB with a savepoint is not supported"),
        ("SHOW PROCEDURES", "SHOW PROCEDURES is not supported"),
    ],
)
def test_refusals(text: str, message: str) -> None:
    with pytest.raises((ProgramError, UnsupportedError)) as caught:
        TableEnvironment().execute_sql(text)
    assert message in caught.value.message
    assert caught.value.where.startswith("line 1, column ")


def test_a_view_resolves_names_in_the_database_of_its_creation() -> None:
    env = TableEnvironment()
    env.execute_sql(
        f"{CATALOG} USE CATALOG c; CREATE TABLE t {TABLE} CREATE VIEW v AS SELECT a FROM t; CREATE DATABASE other;"
        "USE other; CREATE TABLE t (b STRING) WITH ('connector' = 'datagen'); USE CATALOG default_catalog"
    )
    assert env.from_path("c.`default`.v").columns == ["a"]
    with pytest.warns(ProgramWarning, match="begins anew, without its 3 tables and views"):
        env.execute_sql("ALTER CATALOG c COMMENT 'x'")
    with pytest.raises(CompiledPlanError, match="not found"):
        env.from_path("c.`default`.v")


class Twice(ScalarFunction):
    def eval(self, x: int) -> int:
        return 2 * x


def test_dropping_a_database_drops_its_functions() -> None:
    env = TableEnvironment()
    env.execute_sql("CREATE DATABASE d")
    env.create_function("d.twice", Twice)
    assert [row[0] for row in env.execute_sql("SHOW USER FUNCTIONS FROM d").collect()] == ["twice"]
    with pytest.raises(ProgramError, match="database 'd' is not empty"):
        env.execute_sql("DROP DATABASE d")
    env.execute_sql("DROP DATABASE d CASCADE; CREATE DATABASE d")
    assert list(env.execute_sql("SHOW USER FUNCTIONS FROM d").collect()) == []
    with pytest.raises(ProgramError, match="there is no database 'nope'"):
        env.create_function("nope.twice", Twice)
