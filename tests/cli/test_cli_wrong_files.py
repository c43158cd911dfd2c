"""Commands on a file of another kind or an unreadable one: the error says what is wrong, where, and what to do."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from compiled_plan.cli.compile_plan import app
from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.files.folders import folder_to_read
from compiled_plan.plans.inspection.checkpoints import CheckpointReader
from tests.support.commands import called
from tests.support.plan_files import text_of

SQL = """
CREATE TABLE s (id INT) WITH ('connector' = 'datagen');
CREATE TABLE t (id INT) WITH ('connector' = 'print');
INSERT INTO t SELECT id FROM s WHERE 'é' <> '';
""".lstrip()
PYTHON = "def main(env):\n    return None\n"
PLAN = text_of("join/state_ttl_hint_join")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a file of each kind."""
    monkeypatch.chdir(tmp_path)
    texts = {
        "prog.sql": SQL,
        "prog.txt": SQL,
        "named.py": SQL,
        "prog.py": PYTHON,
        "python.sql": PYTHON,
        "plan.json": PLAN,
        "plan.sql": PLAN,
        "other.json": "{}",
        "cut.json": PLAN[:500],
        "query.sql": "SELECT 1;\n",
        "pipe.yaml": "source:\n  type: mysql\n",
        "empty.json": "\n",
    }
    for name, text in texts.items():
        Path(name).write_text(text, encoding="utf-8")
    Path("latin.sql").write_bytes(SQL.encode("latin-1"))
    Path("latin.py").write_bytes(b"def main(env):\n    return 'caf\xe9'\n")
    Path("utf16.sql").write_bytes(SQL.encode("utf-16"))
    Path("folder").mkdir()
    return tmp_path


COMPILES = "compile it with `compile-plan prog.sql -o prog.json` and name prog.json here"
NO_PLAN = [
    ("prog.sql", "not a plan but a program in SQL", COMPILES),
    ("prog.txt", "not a plan but a program in SQL", f"name it prog.sql, then {COMPILES}"),
    ("prog.py", "not a plan but a program in Python", "`compile-plan prog.py -o prog.json`"),
    ("query.sql", "not a plan but a query", "`plan-shell -f query.sql` shows its rows"),
    ("SELECT 1", "no such plan file", "`plan-shell -e 'SELECT 1'` shows the rows of a query"),
    ("pipe.yaml", "not JSON: the text begins with `source`", "`compile-plan PROGRAM -o PLAN.json`"),
    ("empty.json", "the plan file is empty", "`compile-plan PROGRAM -o PLAN.json`"),
    ("cut.json", "not JSON: the text ends too early", "`compile-plan PROGRAM -o PLAN.json`"),
    ("folder", "cannot read the plan file: it is a folder", "--checkpoint"),
    ("paln.json", "no such plan file", "did you mean '{folder}/plan.json'?"),
    ("none/plan.json", "no such plan file", "there is no folder '{folder}/none'"),
]


@pytest.mark.parametrize(("name", "message", "remedy"), NO_PLAN)
@pytest.mark.parametrize("command", ["execute_plan", "edit_plan", "diff_plan"])
def test_wrong_files_in_place_of_a_plan(command: str, name: str, message: str, remedy: str, folder: Path) -> None:
    if command == "diff_plan" and name in ("prog.sql", "prog.py", "query.sql", "folder"):
        pytest.skip("diff-plan takes programs and checkpoints")
    arguments = ["plan.json"] if command == "diff_plan" else []
    done = called(command, name, *arguments)
    assert done.returncode == 1 and not done.stdout
    assert f"error: {name}: {message}" in done.stderr
    assert re.search(rf"  at: ('{folder / name}'|{folder / name}:\d+:\d+)", done.stderr)
    assert remedy.format(folder=folder) in done.stderr.partition("  try: ")[2]


@pytest.mark.parametrize(
    ("name", "message", "remedy"),
    [
        ("plan.json", "not a program but a compiled plan", "`execute-plan plan.json` runs it"),
        ("plan.sql", "not a program but a compiled plan", "`edit-plan plan.sql` shows it"),
        ("other.json", "not a program but JSON", "a program in SQL (.sql) or Python (.py)"),
        ("pipe.yaml", "not a program but YAML", "a program in SQL (.sql) or Python (.py)"),
        ("named.py", "the program is in SQL, and its name does not say so", "name it named.sql"),
        ("python.sql", "the program is in Python, and its name does not say so", "name it python.py"),
        ("latin.sql", "the program file is not in UTF-8: byte 0xe9", "iconv -f LATIN1 -t UTF-8 '{folder}/latin.sql'"),
        ("latin.py", "the program file is not in UTF-8: byte 0xe9", "iconv"),
        ("utf16.sql", "the program file is in UTF-16", "iconv -f UTF-16 -t UTF-8"),
        ("folder", "cannot read the program file: it is a folder", "name a file"),
        ("porg.sql", "no such program file", "did you mean '{folder}/prog.sql'?"),
        ("SELECT 1", "no such program file", "`plan-shell -e 'SELECT 1'` shows the rows of a query"),
        ("porg.py", "no such program file", "did you mean '{folder}/prog.py'?"),
    ],
)
def test_wrong_files_in_place_of_a_program(name: str, message: str, remedy: str, folder: Path) -> None:
    done = called("compile_plan", name)
    assert done.returncode == 1 and not done.stdout
    assert f"error: {name}: {message}" in done.stderr
    assert re.search(rf"  at: ('{folder / name}'|{folder / name}:\d+:\d+)", done.stderr)
    assert remedy.format(folder=folder) in done.stderr.partition("  try: ")[2]


def test_a_query_is_no_program_of_a_plan(folder: Path) -> None:
    done = called("compile_plan", "query.sql")
    assert "error: query.sql: a SELECT by itself cannot become a plan" in done.stderr
    assert "or see its rows with plan-shell" in done.stderr


def test_a_byte_that_is_not_utf8_is_named_by_its_line(folder: Path) -> None:
    line, at = SQL.splitlines()[2], SQL.index("é")
    column = line.index("é") + 1
    shown = f"\n    {line.replace('é', chr(0xFFFD))}\n    {' ' * (column - 1)}^\n"
    assert f"at: {folder / 'latin.sql'}:3:{column}, byte {at}{shown}" in called("compile_plan", "latin.sql").stderr
    said = CliRunner().invoke(app, ["-"], input=SQL.encode("latin-1"))
    assert said.exit_code == 1 and f"at: standard input, line 3, column {column}, byte {at}\n" in said.stderr


def test_a_byte_order_mark_is_ignored() -> None:
    plain = called("compile_plan", "prog.sql").stdout
    Path("prog.sql").write_bytes(SQL.encode("utf-8-sig"))
    assert called("compile_plan", "prog.sql").stdout == plain != ""
    assert CliRunner().invoke(app, ["-"], input=SQL.encode("utf-8-sig")).stdout == plain


@pytest.mark.parametrize(
    ("output", "message", "remedy"),
    [
        (
            "none/plan.json",
            "cannot write the plan file: there is no folder '{folder}/none'",
            "mkdir -p '{folder}/none'",
        ),
        ("prog.txt/plan.json", "cannot write the plan file: a part of its path is a file", "name a place"),
        ("folder", "a folder, where a file is wanted", "name a file in it"),
    ],
)
def test_unwritable_plan_paths(output: str, message: str, remedy: str, folder: Path) -> None:
    done = called("compile_plan", "prog.sql", "-o", output)
    assert done.returncode == 1
    assert message.format(folder=folder) in done.stderr and f"  at: '{folder / output}'" in done.stderr
    assert remedy.format(folder=folder) in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read() -> None:
    Path("plan.json").chmod(0)
    done = called("edit_plan", "plan.json")
    assert "cannot read the plan file: permission denied" in done.stderr and "  try: " in done.stderr


@pytest.mark.parametrize(
    ("name", "message"),
    [("plan.json", "is a file, where a folder is wanted"), ("folder", "holds no plan"), ("none", "is not there")],
)
def test_wrong_folders_in_place_of_a_checkpoint(name: str, message: str, folder: Path) -> None:
    with pytest.raises(CheckpointError) as raised:
        CheckpointReader(folder_to_read(name)).program_in_force()
    assert message in raised.value.message and raised.value.where == f"'{folder / name}'" and raised.value.remedy


@pytest.mark.parametrize("option", ["--trigger", "--stop-within"])
def test_a_duration_names_its_option(option: str) -> None:
    done = called("execute_plan", "plan.json", option, "2w")
    assert done.returncode == 2 and f"{option}: unknown unit 'w'" in done.stderr and "write `14 d`" in done.stderr


def test_a_plan_from_stdin_is_a_file() -> None:
    assert "`/dev/stdin` is the standard input as a file" in called("execute_plan", "-").stderr
