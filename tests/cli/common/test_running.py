"""Progress of a run as text: lines in a pipe, one line in place on a terminal."""

from __future__ import annotations

import io
import json
import sys
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from compiled_plan.cli.common import running
from compiled_plan.cli.common.running import Progress, print_line
from compiled_plan.commands.console import console, show_controls, status
from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.batches.following import RunResult
from compiled_plan.plans.execution.batches.progress import BatchProgress, OperatorProgress


def batch(
    number: int, rows_in: int, rows_out: int, *operators: OperatorProgress, dead_letters: int = 0
) -> BatchProgress:
    return BatchProgress(number, rows_in, rows_out, 5, operators, dead_letters)


def operator(uid: str, rows_in: int, rows_out: int, state_rows: int, late: int = 0) -> OperatorProgress:
    """Figures since the start of the run."""
    return OperatorProgress(uid, "", rows_in, rows_out, state_rows, rows_by_outcome={"late": late} if late else {})


def test_single_rows_and_batches_are_singular(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress("plan.json", as_json=False, quiet=False)
    progress.batch(batch(0, 1, 1))
    progress.end(RunResult(batches=1, rows_in=1, rows_out=1, stopped=False))
    progress.end(RunResult(batches=2, rows_in=3, rows_out=1, stopped=False))
    assert capsys.readouterr().err.splitlines() == [
        "batch 0: 1 row in, 1 out, 5 ms",
        "finished after 1 batch, 1 row in",
        "finished after 2 batches, 3 rows in",
    ]


def test_all_lines_are_of_one_batch_and_idle_ones_are_silent(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress("plan.json", as_json=False, quiet=False)
    progress.batch(batch(0, 5, 3, operator("sum", 5, 3, 2), operator("join", 3, 3, 1)))
    progress.batch(batch(1, 0, 0, operator("sum", 5, 3, 2), operator("join", 3, 3, 1)))
    progress.batch(batch(2, 2, 1, operator("sum", 7, 4, 2), operator("join", 3, 3, 1)))
    # A timer sends a row in a batch without input.
    progress.batch(batch(3, 0, 0, operator("sum", 7, 5, 1), operator("join", 3, 3, 1)))
    progress.batch(batch(4, 0, 0, operator("sum", 7, 5, 1), operator("join", 3, 3, 1), dead_letters=1))
    for number in (5, 6):
        progress.batch(batch(number, 0, 0, operator("sum", 7, 5, 1, late=2), operator("join", 3, 3, 1)))
    assert capsys.readouterr().err.splitlines() == [
        "batch 0: 5 rows in, 3 out, 5 ms",
        "  sum: 5 rows in, 3 out, 2 state rows",
        "  join: 3 rows in, 3 out, 1 state row",
        "batch 2: 2 rows in, 1 out, 5 ms",
        "  sum: 2 rows in, 1 out, 2 state rows",
        "batch 3: 0 rows in, 0 out, 5 ms",
        "  sum: 0 rows in, 1 out, 1 state row",
        "batch 4: 0 rows in, 0 out, 1 dead letter, 5 ms",
        "batch 5: 0 rows in, 0 out, 5 ms",
        "  sum: 0 rows in, 0 out, 1 state row, 2 late rows",
    ]


def unaccounted(rows: int, entries: int) -> OperatorProgress:
    return OperatorProgress("sum", "", 5, 3, 2, unaccounted_rows=rows, unaccounted_entries=entries)


def test_a_wrong_account_is_a_warning_when_it_changes(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress("plan.json", as_json=False, quiet=False)
    # Entries may expire in a micro-batch without rows.
    accounts = [unaccounted(0, 0), unaccounted(0, 7), unaccounted(0, 7), unaccounted(-1, 7)]
    for number, account in enumerate(accounts):
        progress.batch(batch(number, 0, 0, account))
    assert capsys.readouterr().err.splitlines() == [
        "batch 0: 0 rows in, 0 out, 5 ms",
        "  sum: 5 rows in, 3 out, 2 state rows",
        "warning: batch 1: operator sum does not account for 7 state rows, please report it",
        "warning: batch 3: operator sum does not account for -1 rows and 7 state rows, please report it",
    ]


def test_messages_have_idle_batches_and_totals(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress("plan.json", as_json=True, quiet=False)
    for number in range(2):
        progress.batch(batch(number, 0, 0, operator("sum", 7, 4, 2)))
    (first,), (second,) = (json.loads(line)["operators"] for line in capsys.readouterr().err.splitlines())
    assert (first["uid"], first["rowsIn"], first["rowsOut"]) == ("sum", 7, 4)
    assert first == second


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def screen(self) -> list[str]:
        """The lines that a terminal shows, as far as it knows `\\r` and the erasing of a line."""
        lines = [""]
        for line in self.getvalue().split("\n"):
            lines[-1] = line.rpartition("\r\x1b[K")[2]
            lines.append("")
        return lines[:-1]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Terminal]]:
    """A function that makes stdout and stderr a terminal; pytest replaces both after the fixture."""
    stream = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "70")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(status, "is_shown", False)

    def opened() -> Terminal:
        for name in ("stdout", "stderr"):
            monkeypatch.setattr(sys, name, stream)
        show_controls()
        console.cache_clear()
        return stream

    yield opened
    console.cache_clear()


def test_one_line_in_place_below_all_output(terminal: Callable[[], Terminal]) -> None:
    screen = terminal().screen
    progress = Progress("plan.json", as_json=False, quiet=False)
    progress.batch(batch(0, 5, 3, operator("sum", 5, 3, 2), operator("join", 3, 3, 1)))
    assert screen() == ["batch 0: 5 rows in, 3 out, 5 ms; run: 5 in, 3 out; 3 state rows"]
    print_line("+I[1]")
    progress.batch(batch(1, 2, 2, operator("sum", 7, 3, 2), operator("join", 3, 3, 1)))
    assert screen() == ["+I[1]", "batch 1: 2 rows in, 2 out, 5 ms; run: 7 in, 5 out; 3 state rows"]
    progress.batch(batch(2, 0, 0, operator("sum", 7, 3, 2), operator("join", 3, 3, 1)))
    console().print("a warning")
    assert screen() == ["+I[1]", "a warning", ""]
    progress.batch(batch(3, 2_000_000, 2_000_000, operator("sum" * 40, 2_000_000, 0, 1)))
    assert len(screen()[-1]) == 69
    progress.end(RunResult(batches=4, rows_in=9, rows_out=9, stopped=True))
    assert screen() == ["+I[1]", "a warning", "stopped after 4 batches, 9 rows in", ""]


def test_a_wrong_account_stays_above_the_line_in_place(terminal: Callable[[], Terminal]) -> None:
    screen = terminal().screen
    progress = Progress("plan.json", as_json=False, quiet=False)
    for number in range(2):
        progress.batch(batch(number, 1, 1, unaccounted(7, 0)))
    *warning, last = screen()
    text = "warning: batch 0: operator sum does not account for 7 rows, please report it"
    assert " ".join(line.strip() for line in warning) == text
    assert last == "batch 1: 1 row in, 1 out, 5 ms; run: 2 in, 2 out; 2 state rows"


@pytest.mark.parametrize(("verbose", "term"), [(True, "xterm"), (False, "dumb")])
def test_lines_on_a_terminal(
    verbose: bool, term: str, terminal: Callable[[], Terminal], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", term)
    screen = terminal().screen
    progress = Progress("plan.json", as_json=False, quiet=False, verbose=verbose)
    progress.batch(batch(0, 5, 3, operator("sum", 5, 3, 2)))
    assert screen() == ["batch 0: 5 rows in, 3 out, 5 ms", "  sum: 5 rows in, 3 out, 2 state rows", ""]


def run_of(*, bounded: bool = False, checkpoint: str = "") -> Any:
    """A new run."""
    spark = SimpleNamespace(version="4", sparkContext=SimpleNamespace(master="local[2]", uiWebUrl=None))
    return SimpleNamespace(
        upgrade=None,
        bounded=bounded,
        start=SimpleNamespace(positions={"orders": None}),
        options=SimpleNamespace(checkpoint=checkpoint),
        prepared=SimpleNamespace(plan=SimpleNamespace(in_order=())),
        spark=spark,
    )


def test_a_heartbeat_while_no_rows_come(monkeypatch: pytest.MonkeyPatch) -> None:
    beaten, lines = threading.Semaphore(0), list[str]()

    def show(text: str, **_: object) -> None:
        lines.append(text)
        beaten.release()

    monkeypatch.setattr(running, "console", lambda: SimpleNamespace(print=show))
    run = run_of(checkpoint="c")
    progress = Progress("plan.json", as_json=False, quiet=False, verbose=True, heartbeat_seconds=0.01)
    progress.follow(run)
    assert not lines, "nothing is reported before the run holds its checkpoint"
    run.start.on_begin()
    for _ in range(3):
        assert beaten.acquire(timeout=10)
    progress.batch(batch(7, 0, 0))
    progress.failed(ExecutionError("no more"))
    assert lines[:2] == [
        "plan.json: running until it is stopped, checkpoint c",
        "running, no rows for 0 s, no batch yet",
    ]
    threads = [thread for thread in threading.enumerate() if "_beat" in thread.name]
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()


def test_no_heartbeat_unless_verbose() -> None:
    run = run_of(bounded=True)
    before = threading.active_count()
    for quiet, as_json, verbose in ((False, False, False), (True, False, True), (False, True, True)):
        Progress("plan.json", as_json=as_json, quiet=quiet, verbose=verbose).follow(run)
        run.start.on_begin()
    assert threading.active_count() == before
