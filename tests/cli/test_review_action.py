"""The GitHub Action: its file, and its script in a repository as in a job."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from compiled_plan.cli.review_action import INPUTS, PREFIX, arguments
from compiled_plan.cli.review_plans import app
from tests.support.commands import ROOT

ACTION: dict[str, Any] = yaml.safe_load((ROOT / ".github/actions/review-plans/action.yml").read_text(encoding="utf-8"))
(STEP,) = [step for step in ACTION["runs"]["steps"] if step.get("id") == "review"]
PROGRAM = """
CREATE TABLE orders (customer STRING, city STRING, amount BIGINT) WITH (
  'connector' = 'filesystem', 'path' = '/o', 'format' = 'json');
CREATE TABLE totals (customer STRING PRIMARY KEY NOT ENFORCED, total BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO totals SELECT customer, SUM(amount) FROM orders GROUP BY customer;
"""


def test_every_input_reaches_the_script() -> None:
    names = {name.removeprefix(PREFIX) for name in STEP["env"] if name.startswith(PREFIX)} - {"INSTALL"}
    assert names == set(INPUTS)
    used = set(re.findall(r"inputs\.([a-z-]+)", json.dumps(ACTION["runs"])))
    assert used == set(ACTION["inputs"])
    # Text of a pull request never becomes part of a script.
    assert not any("${{" in step.get("run", "") for step in ACTION["runs"]["steps"])


def test_inputs_become_options() -> None:
    inputs = {
        "PROGRAMS": "jobs/*.sql\n a b.sql ",
        "INIT": "one.sql\n\ntwo.sql\n",
        "SAMPLES": "*.test.yaml",
        "BASE": "main",
        "CHECK_PLANS": "true",
        "EXAMPLE": "true",
    }
    assert arguments({PREFIX + name: text for name, text in inputs.items()}) == [
        "--github",
        "--no-config",
        "--tracked",
        "--base=main",
        "--init=one.sql",
        "--init=two.sql",
        "--sample=*.test.yaml",
        "--check-plans",
        "--example",
        "--",
        "jobs/*.sql",
        "a b.sql",
    ]
    assert arguments({PREFIX + "CHECK_PLANS": "false"}) == ["--github", "--no-config", "--tracked", "--"]


def test_the_hook_is_a_valid_command_line() -> None:
    """pre-commit appends the arguments of the user's configuration."""
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    name, *words = shlex.split(hook["entry"])
    assert name == hook["id"] == "review-plans" and not hook["pass_filenames"]
    typer.main.get_command(app).make_context(name, [*words, "--init", "tables.sql"])
    assert [path for path in ("a.sql", "b/c.py", "d.json", "e.txt") if re.search(hook["files"], path)] == [
        "a.sql",
        "b/c.py",
        "d.json",
    ]


@pytest.mark.wide
@pytest.mark.slow
def test_the_action_in_a_job(tmp_path: Path) -> None:
    """The step's own script, with the variables that a runner sets."""

    def git(*words: str) -> str:
        command = ["git", "-c", "user.name=n", "-c", "user.email=n@example.org", "-C", str(tmp_path / "r"), *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    (tmp_path / "r").mkdir()
    git("init", "--quiet", "--initial-branch=main")
    program, plan = tmp_path / "r/job.sql", tmp_path / "r/job.json"
    program.write_text(PROGRAM)
    compiled = [sys.executable, "-m", "compiled_plan.cli.compile_plan", str(program), "-o", str(plan), "--quiet"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    subprocess.run(compiled, check=True, env=environment)
    git("add", ".")
    git("commit", "--quiet", "--message=first")
    (tmp_path / "event.json").write_text(json.dumps({"pull_request": {"base": {"sha": git("rev-parse", "HEAD")}}}))
    program.write_text(PROGRAM.replace("SELECT customer", "SELECT city").replace("BY customer", "BY city"))
    # Modules and defaults of the pull request have no effect.
    for module in ("typer", "pip", "compiled_plan"):
        (tmp_path / f"r/{module}.py").write_text("raise SystemExit('imported')\n")
    (tmp_path / "r/compiled-plan.toml").write_text("[review-plans]\nfail-on = 'never'\n")
    git("add", ".")
    git("commit", "--quiet", "--all", "--message=second")

    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (tmp_path / "bin/python").chmod(0o755)
    defaults = {name: str(item.get("default", "")) for name, item in ACTION["inputs"].items()} | {"token": "t"}
    inputs = {
        name: re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda it: defaults[it[1]], text)
        for name, text in STEP["env"].items()
    }
    job = (
        os.environ
        | inputs
        | {
            "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
            "GITHUB_ACTION_PATH": str(ROOT / ".github/actions/review-plans"),
            "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
            "GITHUB_OUTPUT": str(tmp_path / "output"),
        }
    )
    job.pop("PYTHONPATH", None)
    done = subprocess.run(
        ["bash", "-e", "-c", STEP["run"]], cwd=tmp_path / "r", env=job, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    text = (tmp_path / "summary.md").read_text()
    assert text.startswith("## Plans: incompatible\n")
    # No line of the text is a command to the runner.
    begin, shown, end = done.stdout.partition(text)
    assert shown and (word := re.fullmatch(r"::stop-commands::(\w{32})\n", begin)) and end == f"\n::{word[1]}::\n"
    assert (tmp_path / "output").read_text() == "verdict=incompatible\n"
    assert done.stderr == ""
