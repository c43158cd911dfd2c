"""Command output cannot control a terminal, whatever names programs and plans contain."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

pytestmark = pytest.mark.attack

EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e\r"
TABLE = "CREATE TABLE `t{}` (id INT) WITH ('connector' = 'datagen');\n"
PROGRAM = TABLE + "CREATE TABLE s (id INT) WITH ('connector' = 'print');\nINSERT INTO s SELECT id FROM `t{}`;\n"


def on_terminal(*command: str) -> str:
    """Output of a command on a terminal, stdout and stderr."""
    master, end = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "400"}
    process = subprocess.Popen(command, stdout=end, stderr=end, stdin=end, env=environment)
    os.close(end)
    parts = []
    try:
        while part := os.read(master, 65_536):
            parts.append(part)
    except OSError:  # the terminal closes with the command
        pass
    process.wait()
    os.close(master)
    return b"".join(parts).decode()


def command(name: str, *arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-m", f"compiled_plan.cli.{name}", *arguments)


def without_colours(text: str) -> str:
    """The text without rich's colour sequences."""
    for style in ("1;31", "31", "33", "1", "0", "32", "2", "36", "1;36"):
        text = text.replace(f"\x1b[{style}m", "")
    return text


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    program = tmp_path / "program.sql"
    program.write_text(PROGRAM.replace("{}", EVIL))
    subprocess.run(command("compile_plan", str(program), "-o", str(tmp_path / "plan.json")), check=True)
    return tmp_path / "plan.json"


@pytest.mark.wide
@pytest.mark.slow
def test_names_of_programs_and_plans_cannot_control_the_terminal(plan: Path, tmp_path: Path) -> None:
    new_plan = tmp_path / "other.json"
    new_plan.write_text(plan.read_text().replace("t\\u001b", "u\\u001b").replace("INTEGER", "BIGINT"))
    wrong = tmp_path / "wrong.sql"
    wrong.write_text(PROGRAM.replace("{}", EVIL).replace("SELECT id", f"SELECT `{EVIL}`"))
    printed = {
        "an error": on_terminal(*command("compile_plan", str(wrong), "-o", str(tmp_path / "no.json"))),
        "a plan": on_terminal(*command("compile_plan", str(tmp_path / "program.sql"))),
        "entries": on_terminal(*command("edit_plan", str(plan))),
        "a check": on_terminal(*command("edit_plan", "--check", str(plan))),
        "a difference": on_terminal(*command("diff_plan", str(plan), str(new_plan))),
        "a usage": on_terminal(*command("edit_plan", str(plan), f"--{EVIL}")),
        "a file": on_terminal(*command("edit_plan", f"{tmp_path}/{EVIL}.json")),
    }
    for name, text in printed.items():
        rest = without_colours(text).replace("\r\n", "\n")
        assert not set("\x1b\x07\x9b\r\u202e") & set(rest), (name, rest)
    assert "\\u001b]0;owned\\u0007" in printed["an error"] and "owned" in printed["a usage"]


def test_a_caret_stands_under_its_place(tmp_path: Path) -> None:
    program = tmp_path / "program.sql"
    sink = "CREATE TABLE s (t STRING, id INT) WITH ('connector' = 'print');\n"
    program.write_text(f"{sink}INSERT INTO s SELECT '{EVIL[:-1]}', nowhere FROM (VALUES (1)) AS v (id);")
    done = subprocess.run(command("compile_plan", str(program)), capture_output=True, text=True, check=False)
    source, carets = next(
        (line, below) for line, below in pairwise(done.stderr.splitlines()) if "owned" in line and "^" in below
    )
    assert source[carets.index("^") : carets.rindex("^") + 1] == "nowhere"


@pytest.mark.wide
@pytest.mark.slow
def test_output_to_a_pipe_is_unchanged_data(plan: Path) -> None:
    done = subprocess.run(
        command("compile_plan", str(plan.with_name("program.sql"))), capture_output=True, text=True, check=True
    )
    assert done.stdout.rstrip("\n") == plan.read_text().rstrip("\n")
