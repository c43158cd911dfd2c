"""`apply-plan` as a user calls it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from compiled_plan.cli import apply_plan
from compiled_plan.cli.actions.runs import Runs
from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.files.folders import folder_to_read
from compiled_plan.plans.inspection.checkpoints import CheckpointReader
from compiled_plan.plans.inspection.ttl import parse_edit, set_ttls
from compiled_plan.plans.plan import CompiledPlan
from tests.support.checkpoints import checkpoint
from tests.support.commands import called

TABLES = """
CREATE TABLE r (k STRING, v BIGINT) WITH ('connector' = 'filesystem', 'path' = '{folder}/r', 'format' = 'json');
CREATE TABLE s (k STRING, v BIGINT) WITH ('connector' = 'blackhole');
CREATE TABLE t (k STRING, v BIGINT) WITH ('connector' = 'blackhole');
"""
SUMS = "INSERT INTO s SELECT k, SUM(v) FROM r GROUP BY k;"
#: Programs by their verdict against SUMS.
TWO = f"EXECUTE STATEMENT SET BEGIN {SUMS} INSERT INTO t SELECT k, v FROM r; END;"
PARTIAL = SUMS.replace("SUM(v)", "MAX(v)")
BROKEN = "INSERT INTO s SELECT CAST(v AS STRING), SUM(v) FROM r GROUP BY v;"


class Started(list[tuple[CompiledPlan, Runs]]):
    """The plans that a command has started."""


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Started:
    record = Started()

    def run(self: Runs, plans: list[tuple[str, CompiledPlan]]) -> int:
        record.append((plans[0][1], self))
        return 0

    monkeypatch.setattr(Runs, "run", run)
    return record


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with programs, and the checkpoint `cp` of SUMS."""
    (tmp_path / "r").mkdir()
    for name, text in {"same": SUMS, "two": TWO, "partial": PARTIAL, "broken": BROKEN}.items():
        (tmp_path / f"{name}.sql").write_text(TABLES.format(folder=tmp_path) + text, encoding="utf-8")
    plan = TableEnvironment().compile_script((tmp_path / "same.sql").read_text(encoding="utf-8"))
    (aggregate,) = (node for node in plan.nodes if node.kind == "group-aggregate")
    edited, _ = set_ttls(plan.to_json(), [parse_edit(f"{aggregate.id}=3 d")])
    checkpoint(tmp_path / "cp", edited)
    return tmp_path


def run(folder: Path, name: str, *options: str, answer: str = "") -> tuple[int, str]:
    arguments = [str(folder / f"{name}.sql"), "--checkpoint", str(folder / "cp"), *options]
    result = CliRunner().invoke(apply_plan.app, arguments, input=answer)
    return result.exit_code, " ".join(result.stderr.replace("│", " ").split())


def test_the_plan_that_is_shown_starts(folder: Path, started: Started) -> None:
    code, said = run(folder, "partial", "--yes", "--allow", "partial")
    assert code == 0 and "partially compatible" in said and "accepted: operator group-aggregate-r-" in said
    ((plan, runs),) = started
    (aggregate,) = (node for node in plan.nodes if node.kind == "group-aggregate")
    assert aggregate.state_entries[0].ttl == "3 d", "edited TTLs are kept"
    assert runs.expected == CheckpointReader(folder_to_read(str(folder / "cp"))).head()
    assert runs.options.upgrade == "migrate-partial"


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("partial", (), "cannot start: 1 of 1 operator is partially compatible with the checkpoint"),
        ("partial", ("--reset", "nothing"), "--reset nothing: the plan has no such operator with state"),
        ("broken", ("--allow", "partial"), "cannot start: 1 of 1 operator is incompatible with the checkpoint"),
    ],
)
def test_a_start_that_is_refused(
    name: str, options: tuple[str, ...], said: str, folder: Path, started: Started
) -> None:
    code, error = run(folder, name, "--yes", *options)
    assert (code, started) == (1, []) and said in error


def test_a_new_checkpoint(folder: Path, started: Started) -> None:
    code, said = run(folder, "same", "--checkpoint", str(folder / "none"), "--yes")
    assert code == 0 and "new, all operators start with empty state" in said
    assert started[0][1].expected is None


def test_an_unchanged_program_starts_unasked(folder: Path, started: Started) -> None:
    code, said = run(folder, "same")
    assert code == 0 and "no difference a start continues with all state" in said and len(started) == 1


def test_without_a_terminal_a_change_needs_yes(folder: Path, started: Started) -> None:
    code, said = run(folder, "two", "--allow", "partial")
    assert (code, started) == (2, []) and "give --yes to start unasked" in said


@pytest.mark.parametrize(("answer", "code", "starts"), [("y\n", 0, 1), ("n\n", 1, 0), ("\n", 1, 0)])
def test_the_answer(
    answer: str, code: int, starts: int, folder: Path, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apply_plan, "sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))
    ended, said = run(folder, "two", "--allow", "partial", answer=answer)
    assert (ended, len(started)) == (code, starts)
    assert f"Start this plan on {folder / 'cp'}? [y/N]" in said and ("nothing was started" in said) == (not starts)


def test_a_dry_run_is_not_asked_for(folder: Path, started: Started) -> None:
    assert run(folder, "two", "--allow", "partial", "--dry-run")[0] == 0
    assert started[0][1].dry_run


def test_a_run_that_holds_the_checkpoint_is_named(folder: Path, started: Started) -> None:
    owner = {"host": socket.gethostname(), "process": os.getpid(), "since": "12:00"}
    (folder / "cp" / "lock").write_text(json.dumps(owner), encoding="utf-8")
    said = run(folder, "same")[1]
    assert f"warning: process {os.getpid()} on {socket.gethostname()} runs a plan on this checkpoint" in said


def test_comparing_starts_no_java(folder: Path) -> None:
    code = (
        "import sys\nfrom compiled_plan.cli.apply_plan import app\n"
        f"try:\n    app([{str(folder / 'two.sql')!r}, '--checkpoint', {str(folder / 'cp')!r}])\n"
        "except SystemExit as end:\n    print(end.code, [name for name in ('py4j', 'pandas') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert result.stdout.strip() == "1 []", result.stderr


@pytest.mark.wide
def test_starts_on_spark(shared_session: None, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = folder / "fresh"
    apply = partial(called, "apply_plan", "--checkpoint", fresh, "--available-now")
    (folder / "r" / "1.json").write_text('{"k": "x", "v": 3}\n', encoding="utf-8")
    first = apply(folder / "same.sql", "--yes")
    assert first.returncode == 0, first.stderr
    steps = apply(folder / "partial.sql", "--allow", "partial", "--dry-run")
    assert steps.returncode == 0 and "put generation 2 in force" in steps.stdout, steps.stderr

    def meanwhile(checkpoint: str, yes: bool) -> None:
        assert apply(folder / "partial.sql", "--allow", "partial", "--yes").returncode == 0

    with monkeypatch.context() as patch:
        ask = apply_plan._ask
        patch.setattr(apply_plan, "_ask", lambda *values: (patch.setattr(apply_plan, "_ask", ask), meanwhile(*values)))
        late = apply(folder / "two.sql", "--allow", "partial")
    assert late.returncode == 1 and "another run has used this checkpoint meanwhile" in late.stderr
    assert len(list((fresh / "heads").iterdir())) == 2
