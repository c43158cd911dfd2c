"""compile-plan, as a user calls it."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.compile_plan import app

PROGRAM = """
CREATE TABLE orders (id INT, item STRING) WITH ('connector' = 'filesystem', 'path' = '/o', 'format' = 'json');
CREATE TABLE shipments (id INT, day_ STRING) WITH ('connector' = 'filesystem', 'path' = '/s', 'format' = 'json');
CREATE TABLE joined (id INT, item STRING, day_ STRING)
  WITH ('connector' = 'filesystem', 'path' = '/j', 'format' = 'json');
INSERT INTO joined SELECT o.id, item, day_ FROM orders o JOIN shipments s ON o.id = s.id;
"""
BROKEN = PROGRAM.replace("item, day_ FROM", "itm, day_ FROM")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.sql"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


def run(*arguments: str | Path) -> tuple[int, str, str]:
    found = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return found.exit_code, found.stdout, found.stderr


def test_a_plan_file(program: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    code, out, err = run(program, "-o", plan)
    assert (code, out) == (0, "")
    assert str(plan) in err
    assert json.loads(plan.read_text(encoding="utf-8"))["flinkVersion"] == "2.3"


def test_without_o_the_plan_is_the_output(program: Path) -> None:
    code, out, err = run(program)
    assert (code, err) == (0, "")
    assert {node["type"] for node in json.loads(out)["nodes"]} >= {"stream-exec-join_1", "stream-exec-sink_2"}


def test_set(program: Path) -> None:
    _, out, _ = run(program, "--set", "table.exec.state.ttl=7 h")
    assert '"ttl" : "7 h"' in out
    code, _, err = run(program, "--set", "table.exec.state.ttl=forever")
    assert code == 1 and "forever" in err
    code, _, err = run(program, "--set", "table.exec.state.tll=1 h", "-o", program.with_name("p.json"))
    assert code == 0 and "did you mean 'table.exec.state.ttl'?" in err
    assert run(program, "--set", "nonsense")[0] == 2


def test_an_existing_file_is_kept_unless_forced(program: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text("mine", encoding="utf-8")
    code, _, err = run(program, "-o", plan)
    assert code == 1
    assert "cannot overwrite the plan file" in err and "--force" in err
    assert plan.read_text(encoding="utf-8") == "mine"
    assert run(program, "-o", plan, "--if-not-exists")[0] == 0
    assert plan.read_text(encoding="utf-8") == "mine"
    assert run(program, "-o", plan, "--force")[0] == 0
    assert plan.read_text(encoding="utf-8") != "mine"
    assert run(program, "-o", plan, "--force", "--if-not-exists")[0] == 2


def test_compile_plan_in_the_program_names_the_file(program: Path, tmp_path: Path) -> None:
    plan = tmp_path / "named.json"
    program.write_text(PROGRAM.replace("INSERT INTO", f"COMPILE PLAN '{plan}' FOR INSERT INTO"), encoding="utf-8")
    assert run(program)[0] == 0
    assert plan.exists()
    assert run(program)[0] == 1
    other = tmp_path / "other.json"
    assert run(program, "-o", other)[0] == 0
    assert other.exists()


def test_a_refused_program_leaves_no_file(program: Path, tmp_path: Path) -> None:
    program.write_text(BROKEN, encoding="utf-8")
    plan = tmp_path / "plan.json"
    code, out, err = run(program, "-o", plan)
    assert (code, out) == (1, "")
    assert not plan.exists()
    assert "column 'itm' not found" in err and "did you mean 'item'?" in err
    assert "line 6, column 33" in err and "^^^" in err
    assert "Traceback" not in err


def test_a_missing_program(tmp_path: Path) -> None:
    code, _, err = run(tmp_path / "nope.sql")
    assert code == 1 and "no such file" in err


def test_quiet(program: Path, tmp_path: Path) -> None:
    assert run(program, "-o", tmp_path / "plan.json", "-q") == (0, "", "")


def test_the_program_may_come_from_stdin() -> None:
    found = CliRunner().invoke(app, ["-"], input=PROGRAM)
    assert found.exit_code == 0
    assert "stream-exec-join_1" in found.stdout


HEAVY = ("pyspark", "py4j", "pandas", "pyarrow", "jsonschema", "numpy")


def test_compiling_imports_nothing_heavy_and_is_quick(program: Path) -> None:
    code = (
        "import sys\nfrom cli.compile_plan import app\n"
        f"try:\n    app([{str(program)!r}])\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    spent: list[float] = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        assert found.stderr.strip().endswith("[]")
    # Half a second is the aim on an idle machine; tests run beside others, and perhaps without cached byte code.
    assert min(spent) < 1.5


def test_a_ttl_without_a_unit_is_said_to_be_milliseconds(program: Path, tmp_path: Path) -> None:
    hint = "SELECT /*+ STATE_TTL('o' = '3600', 's' = '1 h') */"
    program.write_text(PROGRAM.replace("SELECT", hint), encoding="utf-8")
    code, _, err = run(program, "-o", tmp_path / "a.json", "--set", "table.exec.state.ttl=60")
    assert code == 0 and err.count("warning: ") == 2
    assert "warning: the option 'table.exec.state.ttl': 60 without a unit is 60 milliseconds" in err
    assert "warning: the hint STATE_TTL of 'o': 3600 without a unit is 3600 milliseconds" in err
    code, _, err = run(program, "-o", tmp_path / "b.json", "--set", "table.exec.state.ttl=60", "-q")
    assert code == 0 and err == ""
    code, _, err = run(program, "-o", tmp_path / "c.json", "--set", "table.exec.state.ttl=0")
    assert code == 0 and "table.exec.state.ttl" not in err
