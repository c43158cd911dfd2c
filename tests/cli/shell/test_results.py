"""Results of queries on terminals and in pipes."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator

import pytest

from compiled_plan.cli.shell import results
from compiled_plan.cli.shell.results import Results, TableView
from compiled_plan.commands.console import console, show_controls
from compiled_plan.planner.options.session import TableConfig
from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.results.changelog import ChangelogTable
from compiled_plan.results.formats import Format
from compiled_plan.results.table_result import TableResult
from tests.support.fake_jobs import FAILURE, ROW, ROWS, FakeEnvironment, FakeJob


def shown(
    capsys: pytest.CaptureFixture[str],
    mode: str,
    form: Format,
    *,
    insert_only: bool = False,
    terminal: bool = False,
    job: FakeJob | None = None,
) -> list[str]:
    env = FakeEnvironment(job, insert_only=insert_only)
    env.set("sql-client.execution.result-mode", mode)
    env.set("sql-client.display.print-time-cost", "false")
    Results(env.config, form, terminal).show(env.execute_sql("SELECT"))
    return capsys.readouterr().out.splitlines()


def test_a_table_that_is_updated_is_printed_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, "table", Format.CSV) == ["customer,n", "ann,2", "bob,1"]
    assert [line.split("|")[1:3] for line in shown(capsys, "table", Format.TABLE)[3:5]] == [
        [f"{'ann':>31} ", f"{2:>21} "],
        [f"{'bob':>31} ", f"{1:>21} "],
    ]


def test_a_table_that_only_grows_is_printed_as_it_grows(capsys: pytest.CaptureFixture[str]) -> None:
    job = FakeJob(ROWS[:1], FAILURE)
    with pytest.raises(ExecutionError, match="the disk is full"):
        shown(capsys, "table", Format.CSV, insert_only=True, job=job)
    assert capsys.readouterr().out.splitlines() == ["customer,n", "ann,1", "bob,1"]
    with pytest.raises(ExecutionError, match="the disk is full"):
        shown(capsys, "table", Format.CSV, job=job)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("mode", ["changelog", "tableau"])
def test_changes_come_with_their_kinds(capsys: pytest.CaptureFixture[str], mode: str) -> None:
    lines = shown(capsys, mode, Format.CSV)
    assert lines == ["op,customer,n", "+I,ann,1", "+I,bob,1", "-U,ann,1", "+U,ann,2"]
    frame = shown(capsys, mode, Format.TABLE, terminal=True)
    assert frame[1].split()[:2] == ["|", "op"] and frame[-1] == "4 rows in set"


class Screen(io.StringIO):
    """A terminal as stdout."""

    def isatty(self) -> bool:
        return True


class Watched(FakeJob):
    """A run that ends once the screen has been updated."""

    def __init__(self, screen: Screen) -> None:
        super().__init__(ROWS)
        self._screen = screen

    def chunks(self) -> Iterator[Chunk]:
        yield from super().chunks()
        until = time.monotonic() + 30
        while "[2K" not in self._screen.getvalue() and time.monotonic() < until:
            time.sleep(0.01)


def test_on_a_terminal_the_last_table_stays(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGER", "")
    monkeypatch.setenv("TERM", "xterm")
    screen = Screen()
    monkeypatch.setattr("sys.stdout", screen)
    monkeypatch.setattr("sys.stderr", io.StringIO())
    show_controls()
    console.cache_clear()
    monkeypatch.setattr(results, "_REFRESHES", 100)
    shown(capsys, "table", Format.TABLE, terminal=True, job=Watched(screen))
    console.cache_clear()
    updates, _, table = screen.getvalue().rpartition("\x1b[2K")
    assert table.splitlines() == [
        "+----------+---+",
        "| customer | n |",
        "+----------+---+",
        "|      ann | 2 |",
        "|      bob | 1 |",
        "+----------+---+",
        "2 rows in set",
    ]
    assert "\x1b[1A" in updates and "\\u001b" not in updates, "the cursor moves"


def test_a_long_table_goes_into_a_pager(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PAGER", "sed s/^/paged:/")
    monkeypatch.setenv("LINES", "4")
    env = FakeEnvironment()
    Results(env.config, Format.TABLE, True).show(env.execute_sql("SHOW FUNCTIONS"))
    lines = capfd.readouterr().out.splitlines()
    assert len(lines) > 100 and all(line.startswith("paged:") for line in lines)


def test_a_screen_has_the_last_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINES", str(results._AROUND + 1))
    view = TableView(TableResult(ROW, FakeJob(ROWS)), ChangelogTable(in_place=True))
    assert str(view.screen()) == "0 rows, 0 changes; Ctrl-C ends the query"
    for chunk in ROWS:
        view.apply(chunk)
    assert str(view.screen()).splitlines()[-3:] == [
        "|      bob | 1 |",
        "+----------+---+",
        "2 rows, the last 1 shown, 4 changes; Ctrl-C ends the query",
    ]


def test_jobs_and_declarations(capsys: pytest.CaptureFixture[str]) -> None:
    env = FakeEnvironment(FakeJob((), endless=True))
    printer = Results(env.config, Format.TABLE, False)
    printer.show(env.execute_sql("INSERT"))
    env.job.stop()
    printer.show(env.execute_sql("SET 'a' = 'b'"))
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"job {env.job.id} has started\n")
    printer.show(env.execute_sql("SHOW JOBS"))
    assert "insert-into_a | CANCELED" in capsys.readouterr().out


class _Interrupted:
    """A query that Ctrl-C ends."""

    insert_only = False

    def __init__(self, chunks: list[Chunk]) -> None:
        self._chunks = chunks

    def chunks(self) -> Iterator[Chunk]:
        yield from self._chunks
        raise KeyboardInterrupt


def test_a_cancelled_query_without_rows_is_no_empty_set(capsys: pytest.CaptureFixture[str]) -> None:
    results = Results(TableConfig(), Format.TABLE, terminal=False)
    with pytest.raises(KeyboardInterrupt):
        results._at_end(_Interrupted([]))  # type: ignore[arg-type]
    out, err = capsys.readouterr()
    assert (out, err) == ("", "the query was cancelled: it had no rows yet\n")
