"""Java functions, modules and jars in programs. The plans' fields are those of Flink 2.3."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.planner.user_functions.plans import with_catalog_functions
from compiled_plan.plans.errors import CompiledPlanError

PROGRAM = """
CREATE TEMPORARY SYSTEM FUNCTION shout AS 'com.shop.Shout' WITH ('signature' = '(STRING) -> STRING; (INT) -> BIGINT');
CREATE TEMPORARY FUNCTION dice AS 'com.shop.Dice' LANGUAGE JAVA
  WITH ('signature' = '(INT NOT NULL) -> INT', 'deterministic' = 'false');
CREATE FUNCTION split AS 'com.shop.Words$Split' LANGUAGE SCALA USING JAR '{jar}'
  WITH ('signature' = '(STRING) -> ROW<word STRING, length INT>', 'kind' = 'table');
CREATE FUNCTION mean AS 'com.shop.Mean' WITH ('signature' = '(BIGINT, INT) -> DOUBLE', 'kind' = 'AGGREGATE');
ALTER FUNCTION mean AS 'com.shop.Average' LANGUAGE JAVA;
CREATE TABLE t (k STRING, n INT NOT NULL, m BIGINT) WITH ('connector' = 'datagen');
CREATE TABLE s (k STRING, w STRING, a DOUBLE, d BIGINT) WITH ('connector' = 'print');
INSERT INTO s SELECT k, w, mean(m, l), COUNT(DISTINCT d) FROM (
  SELECT shout(k) AS k, dice(n) AS d, m, w, l FROM t, LATERAL TABLE(split(k)) AS x(w, l)) GROUP BY k, w;
"""


def _calls(value: Any) -> list[dict[str, Any]]:
    """The objects of a plan that name a user's function."""
    if isinstance(value, dict):
        inner = [call for item in value.values() for call in _calls(item)]
        named = {key: item for key, item in value.items() if key in ("catalogName", "systemName", "class", "java")}
        return [named, *inner] if "java" in value else inner
    return [call for item in value for call in _calls(item)] if isinstance(value, list) else []


def test_declared_functions_are_named_as_in_plans_of_flink(tmp_path: Path) -> None:
    jar = tmp_path / "shop.jar"
    jar.touch()
    plan = TableEnvironment().compile_script(PROGRAM.replace("{jar}", str(jar)))
    calls = {call["java"]["class"].rpartition(".")[2]: call for call in _calls(plan.to_dict())}
    path = "`default_catalog`.`default_database`."
    assert calls == {
        "Shout": {"systemName": "shout", "java": {"class": "com.shop.Shout"}},
        "Dice": {"catalogName": f"{path}`dice`", "java": {"class": "com.shop.Dice", "deterministic": False}},
        "Words$Split": {
            "catalogName": f"{path}`split`",
            "class": "com.shop.Words$Split",
            "java": {"class": "com.shop.Words$Split", "jars": [str(jar)]},
        },
        "Average": {
            "catalogName": f"{path}`mean`",
            "class": "com.shop.Average",
            "java": {"class": "com.shop.Average"},
        },
    }
    assert type(plan).from_json(plan.to_json()) == plan


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (
            "CREATE FUNCTION f AS 'com.shop.F'; CREATE VIEW v AS SELECT f()",
            "types of the Java function f are unknown(.|\n)*JAR(.|\n)*'signature' =",
        ),
        ("CREATE FUNCTION f AS 'com shop' WITH ('signature' = '() -> INT')", "'com shop' is no name of a Java class"),
        ("CREATE FUNCTION f AS 'a.F' WITH ('signature' = '() -> INT', 'deterministic' = 'no')", "write 'true' or"),
        ("CREATE TEMPORARY FUNCTION f AS 'a.F' USING JAR '/nowhere.jar'", "not found"),
        ("CREATE FUNCTION f AS 'a.F' USING JAR '/nowhere.jar'; CREATE VIEW v AS SELECT f()", "not found"),
        ("ADD JAR '/nowhere.jar'", "jar '/nowhere.jar' not found"),
        ("ADD JAR '/nowhere.txt'", "is no jar"),
        ("LOAD MODULE core", "a module with name 'core' already exists"),
        ("LOAD MODULE hive WITH ('hive-version' = '3.1.3')", "the module 'hive'(.|\n)*CREATE FUNCTION"),
        ("UNLOAD MODULE other", "no module with name 'other' exists"),
        ("USE MODULES core, core", "appears more than once"),
        ("USE MODULES other", "no module with name 'other' exists"),
        (
            "CREATE FUNCTION f AS 'a.F' WITH ('signature' = '(INT NOT NULL) -> INT'); "
            "CREATE VIEW v AS SELECT f(CAST(NULL AS INT))",
            "invalid function call: f(.|\n)*COALESCE",
        ),
        (
            "CREATE FUNCTION f AS 'a.F' WITH ('signature' = '(INT) -> INT', 'kind' = 'PROCESS_TABLE')",
            "process table functions(.|\n)*in Flink(.|\n)*Kafka",
        ),
        (
            "CREATE FUNCTION f AS 'a.F' WITH ('signature' = '(INT) -> INT', 'kind' = 'TABLE'); "
            "CREATE TABLE t (a INT) WITH ('connector' = 'datagen'); "
            "CREATE VIEW v AS SELECT * FROM f(r => TABLE t PARTITION BY a)",
            "f takes a table, as a process table function(.|\n)*Kafka",
        ),
    ],
)
def test_errors(statement: str, message: str) -> None:
    with pytest.raises(CompiledPlanError, match=message) as caught:
        TableEnvironment().execute_sql(statement)
    assert "line 1, column" in str(caught.value)


def test_a_session_that_declared_java_functions_runs_their_plan(tmp_path: Path) -> None:
    (tmp_path / "shop.jar").touch()
    env = TableEnvironment()
    plan = env.compile_script(PROGRAM.replace("{jar}", str(tmp_path / "shop.jar")))
    assert with_catalog_functions(plan, env.catalog) == plan


@pytest.mark.parametrize(
    "change",
    [
        "ALTER FUNCTION f AS 'a.New'",
        "DROP FUNCTION f; CREATE FUNCTION f AS 'a.New' {signature}",
        "CREATE TEMPORARY FUNCTION f AS 'a.New' {signature}",
    ],
)
def test_a_view_follows_a_change_of_its_function(change: str) -> None:
    signature = "WITH ('signature' = '(INT) -> INT')"
    plan = TableEnvironment().compile_script(
        f"CREATE FUNCTION f AS 'a.Old' {signature}; CREATE TABLE t (a INT) WITH ('connector' = 'datagen');"
        "CREATE TABLE s (a INT) WITH ('connector' = 'print'); CREATE VIEW v AS SELECT f(a) AS a FROM t;"
        f"{change.format(signature=signature)}; INSERT INTO s SELECT * FROM v"
    )
    assert [call["java"]["class"] for call in _calls(plan.to_dict())] == ["a.New"]


def test_describe_function_shows_class_language_and_jars_of_java(tmp_path: Path) -> None:
    jar = tmp_path / "shop.jar"
    jar.touch()
    env = TableEnvironment()
    env.execute_sql(
        f"CREATE FUNCTION f AS 'com.shop.F' USING JAR '{jar}' "
        "WITH ('signature' = '(INT, BIGINT) -> INT', 'deterministic' = 'false')"
    )
    facts = {row[0]: row[1] for row in env.execute_sql("DESCRIBE FUNCTION EXTENDED f").collect()}
    assert facts == {
        "is system function": "false",
        "is temporary": "false",
        "class name": "com.shop.F",
        "function language": "JAVA",
        "resource uris": f"[{jar}]",
        "kind": "SCALAR",
        "requirements": "[]",
        "is deterministic": "false",
        "supports constant folding": "false",
        "signature": "default_catalog.default_database.f(INT, BIGINT)",
    }


def test_modules_and_jars(tmp_path: Path) -> None:
    env = TableEnvironment()

    def shown(what: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in env.execute_sql(f"SHOW {what}").collect()]

    assert (shown("MODULES"), shown("FULL MODULES")) == ([("core",)], [("core", True)])
    env.execute_sql("UNLOAD MODULE core")
    assert (shown("MODULES"), shown("FULL MODULES")) == ([], [])
    env.execute_sql("LOAD MODULE core; USE MODULES core")
    assert shown("FULL MODULES") == [("core", True)]
    jar = tmp_path / "a.jar"
    jar.touch()
    env.execute_sql(f"ADD JAR '{jar}'")
    assert shown("JARS") == [(str(jar),)]
    env.execute_sql(f"REMOVE JAR '{jar}'")
    assert shown("JARS") == []
