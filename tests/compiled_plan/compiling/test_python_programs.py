"""`compile-plan program.py`: Python programs become the same plan files as those in SQL."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from compiled_plan import TableEnvironment
from compiled_plan.cli.compile_plan import app
from compiled_plan.compiling.python_programs import compile_program
from compiled_plan.plans.errors import ProgramError
from tests.support.quickness import times_the_reference
from tests.support.table_api import same

TABLES = """
CREATE TABLE orders (id INT, price DOUBLE, item STRING) WITH ('connector'='filesystem', 'path'='/o', 'format'='json');
CREATE TABLE counts (item STRING, n BIGINT, PRIMARY KEY (item) NOT ENFORCED)
  WITH ('connector' = 'filesystem', 'path' = '/c', 'format' = 'debezium-json');
CREATE TABLE items (item STRING) WITH ('connector' = 'filesystem', 'path' = '/i', 'format' = 'json');
"""
COUNT = "INSERT INTO counts SELECT item, COUNT(id) FROM orders GROUP BY item"
HEAD = f'''
from compiled_plan import TableEnvironment, col

TABLES = """{TABLES}"""


def counted(env):
    return env.from_path("orders").group_by("item").select("item", col("id").count)


'''
MAIN = HEAD + "def main(env: TableEnvironment):\n    env.execute_sql(TABLES)\n    "

RETURNS = {
    "an insert": 'return counted(env).insert_into("counts")',
    "a plan": 'return counted(env).insert_into("counts").compile_plan()',
    "a list": 'return [counted(env).insert_into("counts")]',
    "a statement set": 'return env.create_statement_set().add_insert("counts", counted(env))',
    "sql": f'return "{COUNT}"',
    "a list of sql": f'return ["{COUNT}"]',
}


def write(folder: Path, text: str, name: str = "a_program.py") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def _modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget imported programs afterwards: they are imported under their names."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("a_program", "beside"):
        monkeypatch.delitem(sys.modules, name, raising=False)


def in_sql(*inserts: str) -> str:
    env = TableEnvironment()
    env.execute_sql(TABLES)
    statements = "; ".join(inserts)
    return env.compile_plan_sql(f"EXECUTE STATEMENT SET BEGIN {statements}; END").to_json()


@pytest.mark.parametrize("name", RETURNS)
def test_the_result_of_main_becomes_the_plan(name: str, tmp_path: Path) -> None:
    path = write(tmp_path, MAIN + RETURNS[name])
    same(compile_program(TableEnvironment(), path).to_json(), in_sql(COUNT))


def test_several_inserts_become_one_plan(tmp_path: Path) -> None:
    text = MAIN + (
        'return [counted(env).insert_into("counts"), env.from_path("orders").select("item").insert_into("items")]'
    )
    plan = compile_program(TableEnvironment(), write(tmp_path, text))
    same(plan.to_json(), in_sql(COUNT, "INSERT INTO items SELECT item FROM orders"))


def run(*arguments: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return result.exit_code, result.stdout, result.stderr


def test_the_command_writes_the_plan_and_shows_what_the_program_prints(tmp_path: Path) -> None:
    path = write(tmp_path, MAIN + 'print("hello")\n    ' + RETURNS["an insert"])
    code, out, err = run(path, "--set", "table.exec.state.ttl=3 h")
    assert (code, err) == (0, "hello\n")
    (aggregate,) = (node for node in json.loads(out)["nodes"] if node["type"] == "stream-exec-group-aggregate_1")
    assert aggregate["state"][0]["ttl"] == "3 h"
    code, out, err = run(path, "-o", tmp_path / "plan.json")
    assert (code, out) == (0, "")
    assert err.endswith("plan.json: 4 operators, 1 with a TTL\n")


def test_a_program_imports_modules_beside_it_and_may_read_its_own_place(tmp_path: Path) -> None:
    write(tmp_path, f"COUNT = '{COUNT}'", "beside.py")
    text = (
        MAIN.replace("\n", "\nimport beside\n", 1) + "assert __file__.endswith('a_program.py')\n    return beside.COUNT"
    )
    same(compile_program(TableEnvironment(), write(tmp_path, text)).to_json(), in_sql(COUNT))
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix) == ["a_program.py", "beside.py"]


ERRORS = {
    "a wrong column": (
        MAIN + 'return env.from_path("orders").select(col("itm")).insert_into("items")',
        ("there is no column 'itm'", "line 18", "select(), in col('itm')", "did you mean 'item'?"),
    ),
    "in a function": (
        MAIN.replace('col("id").count', 'col("idd").count') + RETURNS["an insert"],
        ("there is no column 'idd'", 'line 13\n    return env.from_path("orders")'),
    ),
    "wrong sql": (
        MAIN + 'return env.sql_query("SELECT itm FROM orders").insert_into("items")',
        ("line 18", "line 1, column 8", "SELECT itm FROM orders\n           ^^^"),
    ),
    "no python": (MAIN + "return (", ("the program is no Python: '(' was never closed", "line 18")),
    "an exception": (MAIN + "return {}['x']", ("the program fails: KeyError: 'x'", "line 18\n    return {}['x']")),
    "a missing module": (
        "import no_such_module\n" + MAIN + "pass",
        ("ModuleNotFoundError: No module named 'no_such_module'", "line 1"),
    ),
    "an exit": (MAIN + "raise SystemExit(3)", ("the program ends itself", "line 18")),
    "nothing": (MAIN + "counted(env)", ("main(env) returns nothing", 'return table.insert_into("sink")')),
    "a table": (MAIN + "return counted(env)", ("main(env) returns a value of type Table",)),
    "no main": (HEAD, ("the program has no function main(env)", "def main(env)")),
    "no environment": (HEAD + "def main():\n    pass", ("main() takes no environment",)),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_show_the_line_of_the_program(name: str, tmp_path: Path) -> None:
    text, parts = ERRORS[name]
    code, out, err = run(write(tmp_path, text))
    assert (code, out) == (1, "")
    assert "Traceback" not in err
    for part in ("error: ", "a_program.py", *parts):
        assert part in err, err


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    code, _, err = run(write(tmp_path, MAIN + "return {}['x']"), "--debug")
    assert code == 1
    assert "Traceback" in err
    assert "KeyError" in err


def test_a_program_that_is_not_there_or_named_like_a_module(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match="no such program file"):
        compile_program(TableEnvironment(), tmp_path / "none.py")
    with pytest.raises(ProgramError, match="cannot be named like the module 'json'"):
        compile_program(TableEnvironment(), write(tmp_path, MAIN, "json.py"))


FIFTY = (
    MAIN
    + """table = env.from_path("orders")
    for number in range(25):
        table = table.add_or_replace_columns((col("price") * number).alias("price")).where(col("id") > number)
    return table.group_by("item").select("item", col("price").count).insert_into("counts")
"""
)
REPORT = """
import atexit, sys
heavy = {"pyspark", "py4j", "pandas", "pyarrow", "jsonschema", "numpy"}
atexit.register(lambda: print(sorted(heavy & {*sys.modules}), file=sys.stderr))
"""


@pytest.mark.wide
def test_fifty_operations_import_nothing_heavy_and_compile_quickly(tmp_path: Path) -> None:
    path = write(tmp_path, FIFTY + REPORT)

    plan = str(tmp_path / "plan.json")
    ratio, result = times_the_reference((sys.executable, "-m", "compiled_plan.cli.compile_plan", str(path), "-o", plan))
    assert result.stderr.splitlines()[-1] == "[]"
    assert ratio < 9
