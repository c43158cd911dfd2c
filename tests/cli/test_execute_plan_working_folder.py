"""Files of the working folder: no process of any command imports them in place of Python's or the product's modules."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from compiled_plan.commands.registry import COMMANDS
from tests.support.commands import ROOT

#: Modules that Python, Spark's workers and the product import, early and late.
HOSTILE = (
    *("bisect", "json", "typing", "socket", "select", "tempfile", "uuid", "sitecustomize", "usercustomize"),
    *("numpy", "pandas", "pyarrow", "pyspark", "py4j", "typer", "click", "rich", "compiled_plan", "cli", "plans"),
)
FUNCTIONS = """
from compiled_plan import AggregateFunction, ScalarFunction


class Shout(ScalarFunction):
    def eval(self, text: str) -> str:
        return text.upper()


class Most(AggregateFunction[int, dict[int, int]]):
    def create_accumulator(self):
        return {"most": 0}

    def accumulate(self, most, number: int):
        most["most"] = max(most["most"], number)

    def get_value(self, most) -> int:
        return most["most"]
"""
PROGRAM = """
CREATE TABLE words (word STRING, number BIGINT) WITH ('connector' = 'filesystem', 'path' = 'words', 'format' = 'json');
CREATE TABLE largest (word STRING, number BIGINT) WITH ('connector' = 'print');
"""
PLAIN = f"{PROGRAM}INSERT INTO largest SELECT word, MAX(number) FROM words GROUP BY word;"
CALLING = f"""{PROGRAM}
CREATE FUNCTION shout AS 'loud_words.Shout' LANGUAGE PYTHON;
CREATE FUNCTION most AS 'loud_words.Most' LANGUAGE PYTHON;
INSERT INTO largest SELECT shout(word), most(number) FROM words GROUP BY word;
"""
PYTHON = f"""
def main(env):
    for statement in {PROGRAM.split(";")[:2]!r}:
        env.execute_sql(statement)
    return {PLAIN.split(";")[2]!r}
"""
TESTS = """
program: plain.sql
tests:
  - name: the largest number
    steps:
      - rows: {words: [{word: a, number: 2}]}
      - expect: {largest: [{+I: {word: a, number: 2}}]}
"""
BIN = Path(sys.executable).parent
SMALL = ("--master", "local[1]", "--conf", "spark.driver.memory=1g")


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder with programs and input, and with modules that leave a mark when they are imported."""
    folder = tmp_path / "hostile"
    (folder / "words").mkdir(parents=True)
    (folder / "words" / "1.json").write_text('{"word": "a", "number": 1}\n{"word": "a", "number": 2}\n')
    for name in HOSTILE:
        (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'mark')!r}, 'a').write({name!r} + ' ')\n1 / 0\n")
    (folder / "loud_words.py").write_text(FUNCTIONS)
    (folder / "plain.sql").write_text(PLAIN)
    (folder / "calling.sql").write_text(CALLING)
    return folder


def run(folder: Path, command: str, *arguments: str) -> str:
    """Call a command as a user does in the folder; return its stdout."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["XDG_RUNTIME_DIR"] = str(folder.parent)
    line = [str(BIN / command), *arguments]
    done = subprocess.run(
        line,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        stdin=subprocess.DEVNULL,
    )
    mark = folder.parent / "mark"
    assert not mark.exists(), (command, mark.read_text(), done.stderr)
    assert done.returncode == 0, (line, done.stderr)
    return done.stdout


@pytest.mark.wide
def test_commands_without_spark(hostile: Path) -> None:
    for name in ("plain", "calling"):
        run(hostile, "compile-plan", f"{name}.sql", "-o", f"{name}.json")
    run(hostile, "edit-plan", "calling.json")
    run(hostile, "diff-plan", "plain.json", "plain.json")
    (hostile / "program.py").write_text(PYTHON)
    assert json.loads(run(hostile, "compile-plan", "program.py"))["nodes"]


@pytest.mark.wide
@pytest.mark.spark
def test_commands_with_spark(hostile: Path) -> None:
    for name in ("plain", "calling"):
        run(hostile, "compile-plan", f"{name}.sql", "-o", f"{name}.json")
    lines = run(hostile, "execute-plan", "calling.json", "--functions-from", "loud_words", *SMALL)
    assert lines == "+I[A, 2]\n"
    warm = ("--warm", "1min", *SMALL)
    assert run(hostile, "execute-plan", "plain.json", "--checkpoint", "cp", *warm) == "+I[a, 2]\n"
    run(hostile, "inspect-state", "cp", *warm)
    run(hostile, "execute-plan", "--warm", "0s")


@pytest.mark.deep
@pytest.mark.spark
def test_all_commands_start_and_tests_and_the_shell_run(hostile: Path) -> None:
    for name, entry in COMMANDS.items():
        if entry.single:
            run(hostile, name, "--help")
    (hostile / "plain.test.yaml").write_text(TESTS)
    run(hostile, "test-plan")
    run(hostile, "test-plan", "--spark")
    run(hostile, "plan-shell", "-e", "SELECT 1", *SMALL)


def test_processes_that_the_product_starts_take_the_safe_path() -> None:
    """`python -m` and `python -c` search the working folder first."""
    unsafe = re.compile(r'executable(?:\(\))?, "-[mc]"')
    folders = [ROOT / name for name in ("compiled_plan", "cli", "planner", "plans", "service", "kernel/src/main")]
    sources = [path for folder in folders for path in folder.rglob("*") if path.suffix in (".py", ".java")]
    assert len(sources) > 500
    assert [str(path) for path in sources if unsafe.search(path.read_text())] == []
