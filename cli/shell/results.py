"""Results of statements on stdout: frames, a table that is updated in place, lines for programs."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from compiled_plan.cli.common.running import print_line
from compiled_plan.cli.common.terminal import console
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.plans.text.visible import counted, visible
from compiled_plan.results.changelog import ChangelogTable
from compiled_plan.results.formats import Format, format_rows
from compiled_plan.results.kinds import JobStatus
from compiled_plan.results.ready import ReadyResult
from compiled_plan.results.tableau import NULL, cell_texts, counted_frame, framed

if TYPE_CHECKING:
    from rich.text import Text

    from compiled_plan.planner.options.session import TableConfig
    from compiled_plan.results.table_result import TableResult

#: Updates of a table in place per second.
_REFRESHES = 8
#: Lines of the screen around the rows of a table: its frame, and the line below it.
_AROUND = 6
_STYLES = {"+I": "green", "+U": "green", "-U": "red", "-D": "red"}


@dataclass(frozen=True, slots=True)
class Results:
    """Shows results.

    Args:
        config: the session's options.
        form: the format of rows.
        terminal: True if stdout is a terminal.
    """

    config: TableConfig
    form: Format
    terminal: bool

    def show(self, result: TableResult) -> None:
        """Print a result; the rows of a query as they arrive.

        A KeyboardInterrupt ends the rows; the caller cancels the query.

        Raises:
            ExecutionError: the query failed, or nobody reads stdout any more.
        """
        began = time.monotonic()
        if not result.row_type.fields:
            self._without_rows(result)
            return
        if isinstance(result, ReadyResult):
            self._ready(result)
            return
        self._query(result)
        if self.terminal and self.config.boolean("sql-client.display.print-time-cost"):
            console(stderr=False).print(f"{time.monotonic() - began:.2f} s", style="dim")

    def _without_rows(self, result: TableResult) -> None:
        client = result.get_job_client()
        if client is not None:
            if client.get_job_status().result() is JobStatus.RUNNING:
                console().print(f"job {client.get_job_id()} has started")
        elif self.terminal:
            console(stderr=False).print("OK", style="dim")

    def _ready(self, result: ReadyResult) -> None:
        if self.form is Format.TABLE:
            self._page(str(result).splitlines())
        else:
            self._print(format_rows(self.form, result.row_type, result.chunks(), result.display, kinds=False))

    def _query(self, result: TableResult) -> None:
        mode = self.config.value("sql-client.execution.result-mode").upper()
        if mode != "TABLE":
            self._print(self._lines(result, result.chunks(), kinds=True), coloured=mode == "CHANGELOG")
        elif self.terminal and self.form is Format.TABLE:
            self._in_place(result)
        elif result.insert_only:
            self._print(self._lines(result, result.chunks(), kinds=False))
        else:
            self._at_end(result)

    def _lines(self, result: TableResult, chunks: Iterator[Chunk], *, kinds: bool) -> Iterator[str]:
        return format_rows(self.form, result.row_type, chunks, result.display, kinds=kinds)

    def _table(self) -> ChangelogTable:
        return ChangelogTable(in_place=True, most=int(self.config.value("sql-client.execution.max-table-result.rows")))

    def _at_end(self, result: TableResult) -> None:
        """Print the table at the end of the query, or when it is interrupted."""
        table = self._table()
        try:
            for chunk in result.chunks():
                table.apply(chunk)
        finally:
            if not isinstance(sys.exception(), CompiledPlanError):
                rows = table.rows()
                if not _cancelled(bool(rows)):
                    chunks = iter([Chunk([0] * len(rows), list(zip(*rows, strict=True)))] if rows else [])
                    self._print(self._lines(result, chunks, kinds=False))

    def _in_place(self, result: TableResult) -> None:
        """Show the table while it changes, and print it at the end."""
        from rich.live import Live

        view = TableView(result, self._table())
        try:
            with Live(
                get_renderable=view.screen,
                console=console(stderr=False),
                refresh_per_second=_REFRESHES,
                transient=True,
                vertical_overflow="crop",
                # Its own streams would escape the control characters that move the cursor.
                redirect_stdout=False,
                redirect_stderr=False,
            ):
                for chunk in result.chunks():
                    view.apply(chunk)
        finally:
            if not isinstance(sys.exception(), CompiledPlanError) and not _cancelled(view.has_rows):
                self._page(view.lines())

    # ---- lines

    def _print(self, lines: Iterable[str], *, coloured: bool = False) -> None:
        for line in lines:
            if coloured and self.terminal:
                console(stderr=False).print(line, style=_STYLES.get(line[2:4]))
            else:
                print_line(line)

    def _page(self, lines: list[str]) -> None:
        """Print lines; in a pager if they do not fit on the screen of a terminal."""
        pager = _pager() if self.terminal and len(lines) >= shutil.get_terminal_size().lines else []
        if not pager:
            self._print(lines)
            return
        # The pager has its own meaning of Ctrl-C.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            text = "\n".join(map(visible, lines)) + "\n"
            subprocess.run(pager, input=text, text=True, check=False)
        except OSError:
            self._print(lines)
        finally:
            signal.signal(signal.SIGINT, before)


def _cancelled(has_rows: bool) -> bool:
    """Say that Ctrl-C has cancelled the query, if so; return True if it leaves no rows to show."""
    if not isinstance(sys.exception(), KeyboardInterrupt):
        return False
    so_far = "the rows so far are" if has_rows else "it had no rows yet"
    console().print(f"the query was cancelled: {so_far}{':' if has_rows else ''}", style="dim")
    return not has_rows


def _pager() -> list[str]:
    """The pager's command: that of the variable PAGER, else `less` if there is one; empty for none."""
    chosen = os.environ.get("PAGER")
    if chosen is not None:
        return chosen.split()
    return (
        ["less", "-S", "-F", "-X", "-PsSpace for the next page, q to go back to the prompt"]
        if shutil.which("less")
        else []
    )


class TableView:
    """A table that changes, as text.

    Args:
        result: the query.
        table: the table, still empty.
    """

    def __init__(self, result: TableResult, table: ChangelogTable) -> None:
        self._result, self._table = result, table
        self._texts = cell_texts(result.row_type, result.display, NULL)
        self._changes = 0
        self._lock = threading.Lock()

    def apply(self, chunk: Chunk) -> None:
        """Apply changes to the rows on the screen."""
        with self._lock:
            self._table.apply(chunk)
            self._changes += len(chunk.kinds)

    def screen(self) -> Text:
        """The last rows, as many as fit on the screen."""
        from rich.text import Text

        height = max(1, shutil.get_terminal_size().lines - _AROUND)
        with self._lock:
            rows, changes = self._table.rows(), self._changes
        shown = list(map(self._texts, islice(rows, max(0, len(rows) - height), None)))
        frame = framed(self._result.column_names, shown, self._result.display.max_width) if shown else []
        hidden = f", the last {len(shown)} shown" if len(shown) < len(rows) else ""
        status = f"{counted(len(rows), 'row')}{hidden}, {counted(changes, 'change')}; Ctrl-C ends the query"
        return Text("\n".join(map(visible, [*frame, status])), no_wrap=True, overflow="crop")

    @property
    def has_rows(self) -> bool:
        """True if the table has a row."""
        return bool(self._table.rows())

    def lines(self) -> list[str]:
        """All rows in a frame, with their number."""
        rows = list(map(self._texts, self._table.rows()))
        return counted_frame(self._result.column_names, rows, self._result.display.max_width)
