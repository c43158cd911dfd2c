"""Previews over the rows of a test: a plan on the test's tables, step by step, within limits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.plans.execution.testing.engine import QUICK, SPARK, Engines
from compiled_plan.plans.execution.testing.quick import NotQuickError
from compiled_plan.plans.execution.testing.replacing import PlanTables
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.session_options import UTC, zones_of
from compiled_plan.results.bounded import BoundedRows, Ending, Limits, RowTexts
from compiled_plan.results.tableau import Display
from compiled_plan.testing.cases import Case, Step
from compiled_plan.testing.document import KINDS
from compiled_plan.testing.functions import called_functions
from compiled_plan.testing.running import FailedError, Result, Running, written_columns

#: Steps that act on the input of a program.
_MOVES = frozenset(("clock", "watermark", "end"))
_ROWS = frozenset(("rows", "late"))


def sample_of(case: Case, plan: CompiledPlan) -> Case:
    """The input of a test for another plan, such as that of a statement of the test's program.

    Rows of tables that the plan does not read are left out, and so are restarts, edits, expectations, and steps that
    must fail.

    Args:
        case: the test.
        plan: the plan.

    Raises:
        ProgramError: the plan reads a table without rows in the test, or no table.
    """
    tables = PlanTables.of(plan)
    if not tables.sources and not tables.lookups:
        raise ProgramError("the statement reads no table", where="preview", remedy="preview it without a test")
    read = {*tables.sources, *tables.lookups}
    steps = list(_steps(case, read))
    fed = {name for step in steps if step.kind == "rows" for name in step.value}
    lacking = sorted(name.rpartition(".")[2] for name in read if not any(_is(name, written) for written in fed))
    if lacking:
        raise ProgramError(
            f"the test {case.name!r} has no rows for {' and '.join(map(repr, lacking))}",
            where=case.document.where(case.path),
            remedy=f"add a step `- rows: {{{lacking[0]}: [...]}}`, or preview the live sources",
        )
    called = called_functions(plan)
    functions = {name: value for name, value in case.functions.items() if name in called}
    return replace(case, steps=tuple(steps), functions=functions, error="")


def _steps(case: Case, read: set[str]) -> Iterator[Step]:
    has_rows = False
    for step in case.steps:
        if step.error:
            continue
        if step.kind in _ROWS:
            tables = {written: rows for written, rows in (step.value or {}).items() if _reads(read, written)}
            has_rows = has_rows or bool(tables)
            if tables:
                yield Step("rows", tables, step.path)
        elif step.kind in _MOVES and (has_rows or step.kind == "clock"):
            yield step


def _is(name: str, written: str) -> bool:
    return name == written or name.endswith(f".{written}")


def _reads(read: set[str], written: str) -> bool:
    return any(_is(name, written) for name in read)


def sample_rows(
    plan: CompiledPlan, case: Case, engines: Engines, limits: Limits, report: Callable[[int], None] = lambda _: None
) -> BoundedRows:
    """The changes that a plan with one sink makes of the rows of a test.

    Args:
        plan: the plan.
        case: the test.
        engines: creates engines; a plan that only Spark runs goes there.
        limits: the limits; that on time holds between steps.
        report: called with the number of rows so far.

    Raises:
        ProgramError: the plan reads a table without rows in the test, a value is none of its column, or a step fails.
    """
    sample = sample_of(case, plan)
    try:
        if sample.engine != SPARK:
            return _rows_on(QUICK, plan, sample, engines, limits, report)
    except NotQuickError:
        pass
    return _rows_on(SPARK, plan, sample, engines, limits, report)


def _rows_on(
    engine: str, plan: CompiledPlan, case: Case, engines: Engines, limits: Limits, report: Callable[[int], None]
) -> BoundedRows:
    running = Running(case, engines, engine, Result(case, engine), collect=True, compiled=lambda _: plan)
    try:
        return _read(running, plan, limits, report)
    except FailedError as fault:
        cause = fault.failure.fault
        raise ProgramError(
            f"the test {case.name!r} does not run: {fault.failure.message}",
            where=(cause.where if cause is not None else "") or fault.failure.where,
            remedy="" if cause is None else cause.remedy,
        ) from fault
    finally:
        running.close()


def _read(running: Running, plan: CompiledPlan, limits: Limits, report: Callable[[int], None]) -> BoundedRows:
    ((name, table),) = PlanTables.of(plan).sinks.items()
    texts = RowTexts(written_columns(table), Display((*zones_of(plan), UTC)[0]), limits)
    running.start()
    deadline = time.monotonic() + limits.seconds
    for step in running.case.steps:
        if time.monotonic() > deadline:
            return texts.document("seconds")
        if (limit := _add(texts, running, name, step)) is not None:
            return texts.document(limit)
        report(len(texts))
    return texts.document("end")


def _add(texts: RowTexts, running: Running, name: str, step: Step) -> Ending | None:
    before = len(running.changes(name))
    running.take(step)
    changes = running.changes(name)[before:]
    if not changes:
        return None
    return texts.add(
        Chunk(
            [KINDS.index(change.kind) for change in changes],
            list(zip(*(change.row for change in changes), strict=True)),
        )
    )
