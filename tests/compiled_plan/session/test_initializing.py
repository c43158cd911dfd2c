"""Init files in programs: statements that a session begins with."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import compiled_plan as cp
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.files.code_folders import imported_from
from compiled_plan.session.initializing import find_modules_in

TABLES = """
CREATE CATALOG shop WITH ('type' = 'generic_in_memory', 'default-database' = 'main');
USE CATALOG shop;
CREATE TABLE orders (id INT, item STRING) WITH ('connector' = 'filesystem', 'path' = '/o', 'format' = 'json');
"""
INSERT = "CREATE TABLE o (id INT) WITH ('connector' = 'print'); INSERT INTO o SELECT id FROM orders"


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    path = tmp_path / "tables.sql"
    path.write_text(TABLES, encoding="utf-8")
    return path


def test_a_script_over_declarations_of_a_file(tables: Path) -> None:
    plan = cp.compile_sql(INSERT, init=[tables])
    assert "`shop`.`main`.`orders`" in plan.as_json_string() and "`shop`.`main`.`o`" in plan.as_json_string()


def test_a_session_that_begins_with_files(tables: Path, tmp_path: Path) -> None:
    views = tmp_path / "views.sql"
    views.write_text("CREATE VIEW v AS SELECT item FROM orders", encoding="utf-8")
    env = cp.TableEnvironment(init=[tables, str(views)])
    assert env.from_path("v").columns == ["item"]
    assert env.get_current_catalog() == "shop"


def test_functions_are_imported_relative_to_the_init_file(tmp_path: Path) -> None:
    (tmp_path / "functions_of_an_init_file.py").write_text(
        "from compiled_plan import ScalarFunction\n\n"
        "class Twice(ScalarFunction):\n    def eval(self, x: int) -> int:\n        return 2 * x\n"
    )
    path = tmp_path / "functions.sql"
    path.write_text("CREATE FUNCTION twice AS 'functions_of_an_init_file.Twice' LANGUAGE PYTHON", encoding="utf-8")
    env = cp.TableEnvironment(init=[path])
    assert str(env.sql_query("SELECT twice(CAST(1 AS BIGINT)) AS a").get_schema()).count("BIGINT") == 1


def test_an_error_of_a_view_that_a_program_breaks_names_the_file(tables: Path, tmp_path: Path) -> None:
    views = tmp_path / "views.sql"
    views.write_text("\nCREATE VIEW v AS SELECT item FROM orders", encoding="utf-8")
    env = cp.TableEnvironment(init=[tables, views])
    with pytest.raises(ProgramError) as caught:
        env.execute_sql("DROP TABLE orders; EXPLAIN SELECT item FROM v")
    assert caught.value.where.startswith(f"'{views}', line 2, column 35")


def test_a_missing_init_file(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match="no such program file") as caught:
        cp.TableEnvironment(init=[tmp_path / "nope.sql"])
    assert caught.value.where == repr(str(tmp_path / "nope.sql"))


def test_a_folder_from_which_no_code_may_come_is_not_importable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its modules could stand in for packages that the product imports if they are installed."""
    monkeypatch.setattr(sys, "path", [])
    (allowed := tmp_path / "functions").mkdir()
    with imported_from([allowed]):
        for folder in (tmp_path, allowed / "more", allowed):
            find_modules_in(folder)
    assert sys.path == [str(allowed / "more"), str(allowed)]
    find_modules_in(tmp_path)
    assert sys.path[-1] == str(tmp_path)
