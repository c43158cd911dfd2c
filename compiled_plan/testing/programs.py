"""Tests in Python: a program whose steps are calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.execution.testing.engine import ENGINES, QUICK, Engines
from compiled_plan.plans.execution.testing.sessions import process_engines
from compiled_plan.testing.cases import START, Case, Step, time_of
from compiled_plan.testing.document import Document
from compiled_plan.testing.reporting import failure_text
from compiled_plan.testing.running import FailedError, Result, Running

Rows = Sequence[object]


class ProgramTest:
    """A program under test, a context manager. Rows are dicts or lists; a change is `{"+U": row}`.

    A step that fails raises AssertionError with the rows that differ.

    >>> from compiled_plan.testing import ProgramTest
    >>> with ProgramTest("totals.sql") as test:  # doctest: +SKIP
    ...     test.rows(orders=[{"customer": "ann", "price": 9}])
    ...     test.expect(totals=[{"+I": {"customer": "ann", "paid": 9}}])

    Args:
        program: the file of the program (.sql, .py) or plan (.json).
        sql: the program's text, instead of a file.
        init: SQL files that prepare the session.
        settings: session options.
        functions: by name, the result of a function, or a list of [argument, ..., result].
        clock: the processing time at the start.
        engine: `quick` or `spark`; the quick engine raises NotQuickError for what only Spark runs.
        bounded: True if the test calls `end`.
        engines: creates engines; by default on the process's Spark session.
    """

    def __init__(
        self,
        program: str | Path = "",
        *,
        sql: str = "",
        init: Sequence[str | Path] = (),
        settings: Mapping[str, str] | None = None,
        functions: Mapping[str, object] | None = None,
        clock: str = START,
        engine: str = QUICK,
        bounded: bool = False,
        engines: Engines | None = None,
    ) -> None:
        if engine not in ENGINES:
            raise ProgramError(f"there is no engine {engine!r}", remedy=f"take one of {', '.join(ENGINES)}")
        document = Document(Path.cwd() / "test", "", {})
        steps = (Step("end", None, ()),) if bounded else ()
        start = time_of(document, (), clock)
        case = Case(
            "test",
            document,
            (),
            {},
            str(program),
            sql,
            tuple(map(str, init)),
            settings or {},
            functions or {},
            start,
            engine,
            steps,
            "",
        )
        self._running = Running(case, engines or process_engines(), engine, Result(case, engine), collect=False)

    def __enter__(self) -> Self:
        try:
            self._checked(self._running.start)
        except BaseException:
            self._running.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._running.close()

    def rows(self, **tables: Rows) -> None:
        """Give rows to tables that the program reads: one micro-batch."""
        self._step("rows", tables)

    def late(self, **tables: Rows) -> None:
        """Give rows that must be dropped as late."""
        self._step("late", tables)

    def clock(self, time: str) -> None:
        """Set the processing time: `+2 h`, or a timestamp."""
        self._step("clock", time)

    def watermark(self, time: str) -> None:
        """Advance the watermark to a timestamp."""
        self._step("watermark", time)

    def expect(self, **tables: Rows) -> None:
        """Expect these changes of tables that the program writes, since the last call for each of them."""
        self._step("expect", tables)

    def expect_table(self, **tables: Rows) -> None:
        """Expect that all changes so far result in these rows, in any order."""
        self._step("expect", {name: {"table": rows} for name, rows in tables.items()})

    def ttl(self, ttls: Mapping[str, str]) -> None:
        """Set TTLs by operator, as for `edit-plan --ttl`, and restart."""
        self._step("ttl", dict(ttls))

    def upgrade(self, program: str | Path, verdict: str = "", reset: Sequence[str] = ()) -> None:
        """Continue with another program on the state of this one; the operators to reset start empty."""
        value = {"program": str(program), "verdict": verdict, "reset": [*reset]}
        self._step("upgrade", {name: part for name, part in value.items() if part})

    def restart(self) -> None:
        """Stop the program, and start it on its checkpoint again."""
        self._step("restart", None)

    def kill(self) -> None:
        """Kill before the last micro-batch is committed, and start again."""
        self._step("kill", None)

    def end(self) -> None:
        """End the input: windows close."""
        self._step("end", None)

    def _step(self, kind: str, value: object) -> None:
        self._checked(lambda: self._running.take(Step(kind, value, ())))

    @staticmethod
    def _checked(work: Callable[[], object]) -> None:
        try:
            work()
        except FailedError as fault:
            raise AssertionError(failure_text(fault.failure)) from fault.failure.fault
