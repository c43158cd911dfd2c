"""`execute-plan --shadow`: options, and the report beside a run that goes on."""

from __future__ import annotations

import json
import os
import signal
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import pytest

from compiled_plan.cli.actions import shadowing
from compiled_plan.cli.common.output import Output
from compiled_plan.cli.common.shadow_options import Shadowing
from compiled_plan.commands.interrupts import Interrupted
from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.shadow.report import ShadowReport
from compiled_plan.plans.plan import CompiledPlan
from tests.support.commands import called
from tests.support.waiting import wait_until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

run = partial(called, "execute_plan")
PROGRAM = """
CREATE TABLE sales (shop STRING, price INT)
  WITH ('connector' = 'filesystem', 'path' = '{folder}/sales', 'format' = 'json');
CREATE TABLE totals (shop STRING PRIMARY KEY NOT ENFORCED, total INT)
  WITH ('connector' = 'filesystem', 'path' = '{folder}/totals', 'format' = 'debezium-json');
INSERT INTO totals SELECT shop, SUM(price) FROM sales {where} GROUP BY shop;
"""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["plan.json", "--shadow"], "--shadow takes one plan, and --checkpoint"),
        (["a.json", "b.json", "--shadow", "--checkpoint", "c"], "--shadow takes one plan, and --checkpoint"),
        (["plan.json", "--rows", "3"], "belong to --shadow"),
        (["plan.json", "--checkpoint", "c", "--promote"], "belong to --shadow"),
        (["plan.json", "--shadow", "--checkpoint", "c", "--promote-when", "f"], "belongs to --promote"),
        (["plan.json", "--shadow", "--checkpoint", "c", "--json", "--markdown"], "exclude each other"),
        (["plan.json", "--shadow", "--checkpoint", "c", "--for", "soon"], "--for: "),
        (["plan.json", "--shadow", "--checkpoint", "c", "--shadow-share", "0"], "greater than or equal to 1"),
    ],
)
def test_conflicting_options(arguments: list[str], said: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.replace("│", " ").split())


@pytest.fixture(autouse=True)
def priorities(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The changes of the priority of this process, which has further tests."""
    changes = list[int]()
    monkeypatch.setattr(os, "nice", changes.append)
    return changes


def compiled(folder: Path, name: str, where: str = "") -> Path:
    path = folder / f"{name}.json"
    path.write_text(TableEnvironment().compile_script(PROGRAM.format(folder=folder, where=where)).to_json())
    return path


def test_the_report_of_a_shadow(shared_session: None, tmp_path: Path, priorities: list[int]) -> None:
    old, new = compiled(tmp_path, "old"), compiled(tmp_path, "new", "WHERE price > 2")
    (tmp_path / "sales").mkdir()
    (tmp_path / "sales/1.json").write_text('{"shop": "x", "price": 3}')
    checkpoint = ("--checkpoint", tmp_path / "c")
    assert run(old, *checkpoint, "--available-now").returncode == 0
    (tmp_path / "sales/2.json").write_text('{"shop": "x", "price": 1}\n{"shop": "y", "price": 5}')
    done = run(new, *checkpoint, "--shadow")
    assert (done.returncode, "round 1: 2 rows, differs as named" in done.stderr) == (0, True)
    first, *lines = done.stdout.splitlines()
    assert first.startswith("shadow since micro-batch 0: differs as named; 2 rows in 1 round, ")
    assert lines[:3] == [
        "default_catalog.default_database.totals: differs as named; 2 keys (shop), 1 differ",
        "  1 only in the old program",
        '  {"shop":"x"}: old {"total":4}, new no row',
    ]
    assert lines[3].startswith("  first parts at the input of SUM(price) by shop, of sales: node ")
    assert lines[4:] == ['    {"shop":"x","price":1}: old 1, new no row']
    assert not (tmp_path / "c.shadow").exists()
    assert priorities == [19]


@pytest.mark.wide
def test_a_promoted_plan_runs_on_in_the_session_of_its_shadow(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, priorities: list[int]
) -> None:
    starts = Mock(side_effect=lambda *_, **__: nullcontext(spark))
    monkeypatch.setattr("compiled_plan.plans.execution.session.spark_session.spark_session", starts)
    old, new = compiled(tmp_path, "old"), compiled(tmp_path, "new", "WHERE price > 2")
    (tmp_path / "sales").mkdir()
    (tmp_path / "sales/1.json").write_text('{"shop": "x", "price": 3}')
    checkpoint = ("--checkpoint", tmp_path / "c", "--available-now")
    assert run(old, *checkpoint).returncode == 0
    (tmp_path / "sales/2.json").write_text('{"shop": "x", "price": 1}\n{"shop": "x", "price": 5}')
    starts.reset_mock()
    done = run(new, *checkpoint, "--shadow", "--promote")
    starts.assert_called_once()
    assert (done.returncode, "stop the old run to promote the shadow" in done.stderr) == (0, True)
    assert "promoted: generation 2 is in force" in done.stdout.splitlines()
    # The sinks have the rows behind the last micro-batch of the old run.
    written = [file.read_text() for file in (tmp_path / "totals").glob("part-*")]
    assert sum('"total":8' in text for text in written) == 1
    assert priorities == []


@pytest.mark.wide
def test_a_supervisor_starts_a_promoted_plan(shared_session: None, tmp_path: Path, priorities: list[int]) -> None:
    old, new = compiled(tmp_path, "old"), compiled(tmp_path, "new", "WHERE price > 2")
    (tmp_path / "sales").mkdir()
    (tmp_path / "sales/1.json").write_text('{"shop": "x", "price": 3}')
    checkpoint = ("--checkpoint", tmp_path / "c")
    assert run(old, *checkpoint, "--available-now").returncode == 0
    (tmp_path / "due").touch()
    done = run(new, *checkpoint, "--shadow", "--promote", "--promote-when", tmp_path / "due", "--json")
    assert (done.returncode, json.loads(done.stdout)["promoted"]) == (0, 2)
    assert priorities == [19]


def test_rounds_without_a_change_are_not_printed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    progress = shadowing._Progress(str(tmp_path / "file"), lambda report: report.rounds > 3)
    for rounds, rows in enumerate((0, 0, 1, 1, 1), 1):
        progress.show(ShadowReport(3, rounds=rounds, rows_in=rows))
    progress.close()
    assert capsys.readouterr().err.splitlines() == [
        "round 1: 0 rows, equal",
        "round 3: 1 row, equal",
        "round 4: 1 row, equal; stop the old run to promote the shadow",
    ]
    assert len((tmp_path / "file").read_text().splitlines()) == 5


def shadow_run(plan: CompiledPlan, **options: Any) -> int:
    """The exit code of a shadow run."""
    chosen = Shadowing(shadow=True, **options)
    run = shadowing.ShadowRun("plan.json", plan, RunOptions(checkpoint="c"), chosen, "", {}, Output(), debug=False)
    with run.ended() as code:
        return code


@pytest.mark.wide
def test_a_plan_that_is_not_promoted(
    shared_session: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shadowing, "shadow", lambda *arguments, **parts: ShadowReport(3, rounds=1))
    plan = TableEnvironment().compile_script(PROGRAM.format(folder="/none", where=""))
    assert shadow_run(plan, promote=True) == 1
    assert "differs otherwise than `diff-plan` names, and was not put in force" in capsys.readouterr().err


def test_a_signal_ends_it_with_the_result_so_far(
    shared_session: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ended(*arguments: Any, **parts: Any) -> ShadowReport:
        os.kill(os.getpid(), signal.SIGTERM)
        wait_until(arguments[-1], "the request to stop")
        return ShadowReport(3, rounds=1)

    monkeypatch.setattr(shadowing, "shadow", ended)
    # It would end this process after the time for a stop.
    monkeypatch.setattr("compiled_plan.cli.common.running.threading.Timer", Mock())
    plan = TableEnvironment().compile_script(PROGRAM.format(folder="/none", where=""))
    with pytest.raises(Interrupted) as interrupted:
        shadow_run(plan)
    assert interrupted.value.signal is signal.SIGTERM
    assert capsys.readouterr().out.startswith("shadow since micro-batch 3: equal")
