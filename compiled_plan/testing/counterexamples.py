"""Counterexamples of a change: the smallest input for which a program that continues differs from one from scratch.

Both run as tests without a query, over random input, which then shrinks while the difference stays.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from compiled_plan.plans.execution.testing.engine import QUICK, Engines
from compiled_plan.plans.execution.testing.replacing import PlanTables, table_id
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.nodes.sort import TemporalSort
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.testing.candidates import Candidates, Event, Input, Tables, tables_read
from compiled_plan.testing.cases import Case, Step, cases_of, cases_of_text
from compiled_plan.testing.comparing import Change, Difference, differences, row_text, table_of
from compiled_plan.testing.document import KINDS, UNSAVED, read_document
from compiled_plan.testing.running import (
    FailedError,
    Result,
    Running,
    over,
    read_columns,
    run_case,
    short_name,
    written_columns,
)
from compiled_plan.testing.values import scalar, shown

#: Rows per table and run of the first inputs, fewer first.
_SIZES = (2, 4, 8)


@dataclass(frozen=True, slots=True)
class Names:
    """The names that a file of tests gives the compared programs, and the session that compiles them.

    Args:
        old: the file of the program before the change.
        new: the file of the program after it.
        init: SQL files that prepare the session.
        settings: session options.
    """

    old: str
    new: str
    init: Sequence[str] = ()
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Input for which a change makes a difference.

    Args:
        input: the events before and after the change.
        steps: the steps of a test with this input, up to its expectation.
        tables: the rows of the program that continues, by sink.
        differences: by sink, the rows from scratch (`-`) and those of the program that continues (`+`).
    """

    input: Input
    steps: Sequence[Step]
    tables: Mapping[str, Sequence[str]]
    differences: Sequence[Difference]

    def text(self, names: Names) -> str:
        """The input as a file for `test-plan`."""
        return "".join(f"{line}\n" for line in self._lines(names))

    def result(self, names: Names, engines: Engines) -> Result:
        """The result of the file as a test; its names are relative to the working directory."""
        (case,) = cases_of(read_document(UNSAVED, self.text(names)))
        return run_case(case, engines, spark=False)

    def _lines(self, names: Names) -> Iterator[str]:
        yield f"program: {scalar(names.old)}"
        if names.init:
            yield f"init: {shown([*names.init])}"
        if names.settings:
            yield f"set: {shown(names.settings)}"
        yield "steps:"
        for step in self.steps:
            match step.kind:
                case "rows":
                    yield "  - rows:"
                    for table, items in step.value.items():
                        yield f"      {scalar(table)}:"
                        yield from (f"        - {_item(item)}" for item in items)
                case "upgrade":
                    yield f"  - upgrade: {shown({**step.value, 'program': names.new})}"
                case kind:
                    yield f"  - {kind}:"
        yield "  - expect:"
        for name, rows in self.tables.items():
            yield f"      {scalar(name)}: {{table: [{', '.join(rows)}]}}"
        yield "# The new program alone, over all these rows (-), and instead of it (+):"
        for difference in self.differences:
            lines = [f"{mark} {text}" for mark, text in difference.lines if mark != " "] or difference.columns
            yield from (f"#   {difference.table}: {line}" for line in lines)


def _item(item: Mapping[str, object]) -> str:
    """A row, or a change with its kind before the row."""
    kind, row = next(iter(item.items()), ("", None))
    return f"{kind}: {shown(row)}" if kind in KINDS else shown(item)


@dataclass(frozen=True, slots=True)
class Search:
    """The outcome of a search.

    Args:
        compared: the number of inputs over which the programs were compared.
        failed: the number of inputs that ended one of them.
        example: the smallest input with a difference; None if none has one.
    """

    compared: int
    failed: int
    example: Counterexample | None


def search(old: CompiledPlan, new: CompiledPlan, engines: Engines, seconds: float, tries: int, seed: int = 0) -> Search:
    """Search a counterexample.

    Args:
        old: the program before the change.
        new: the program after it, whose start the state permits.
        engines: creates engines.
        seconds: the time limit after the first input.
        tries: the greatest number of random inputs.
        seed: decides on the inputs.

    Raises:
        CompiledPlanError: a program does not start; an `UpgradeError` if the new one refuses the state.
        NotQuickError: a program runs in a query alone.
    """
    new = over(new, old)
    tables = tables_read(old, new)
    trials = _Trials(old, new, engines, tables, diff_plans(old, new).verdict.value)
    candidates = Candidates((old, new), tables, seed)
    failed, end = 0, math.inf
    for number in range(tries):
        example = None
        try:
            example = trials.difference(candidates.input(_SIZES[number % len(_SIZES)]))
        except _EndedError:
            failed += 1
        # The first input translates the programs, which takes longer than all others.
        end = min(end, time.monotonic() + seconds)
        if example is not None:
            example = trials.simplified(trials.shrunk(example, end), candidates, end)
        if example is not None or time.monotonic() > end:
            return Search(number + 1 - failed, failed, example)
    return Search(tries - failed, failed, None)


class _EndedError(Exception):
    """The end of a program by its input."""


class _Trial(Running):
    """A run of one program, or of two in succession."""

    def __init__(self, case: Case, engines: Engines, first: CompiledPlan, second: CompiledPlan) -> None:
        super().__init__(case, engines, QUICK, Result(case, QUICK), collect=True, compiled=lambda _: first)
        self._second = second

    def upgraded(self, program: str) -> CompiledPlan:
        return self._second

    def run(self) -> None:
        """Take all steps.

        Raises:
            CompiledPlanError: a program does not start.
            _EndedError: the input ends a program.
        """
        starting = True
        try:
            self.start()
            for step in self.case.steps:
                starting = step.kind == "upgrade"
                self.take(step)
        except FailedError as failure:
            if starting and failure.failure.fault is not None:
                raise failure.failure.fault from None
            raise _EndedError from failure
        finally:
            self.close()


@dataclass(frozen=True, slots=True)
class _Trials:
    """Runs of a program that continues, and of one from scratch, over inputs."""

    old: CompiledPlan
    new: CompiledPlan
    engines: Engines
    tables: tuple[Tables, Tables]
    verdict: str

    def difference(self, input_: Input) -> Counterexample | None:
        """The input as a counterexample; None if it is none.

        Raises:
            CompiledPlanError: a program does not start.
            _EndedError: the input ends a program.
        """
        steps = [*self._steps(input_, (False, True))]
        continued = self._run(self.old, steps)
        scratch = self._run(self.new, [*self._steps(input_, (True, True))])
        sinks = PlanTables.of(self.new).sinks
        in_order = any(isinstance(node, TemporalSort) for node in self.new.nodes)
        differing, tables = list[Difference](), dict[str, list[str]]()
        for name, table in sinks.items():
            short, columns = short_name(name, sinks), written_columns(table)
            key = [columns.names.index(column) for column in table.primary_key]
            wanted, came = (table_of(changes(name), columns, key) for changes in (scratch, continued))
            difference = differences(short, wanted, came, columns, key, in_order=False)
            if difference is None and in_order and wanted != came:
                difference = Difference(short, (), ("the rows are equal, their order is not",))
            differing += [] if difference is None else [difference]
            tables[short] = [row_text(change, columns) for change in came]
        return Counterexample(input_, steps, tables, differing) if differing else None

    def _run(self, first: CompiledPlan, steps: Sequence[Step]) -> Callable[[str], Sequence[Change]]:
        """The changes of a sink, by `table_id`, after all steps."""
        (case,) = cases_of_text("steps: [{end: }]")
        trial = _Trial(replace(case, steps=tuple(steps)), self.engines, first, self.new)
        trial.run()
        return trial.changes

    def _steps(self, input_: Input, is_new: tuple[bool, bool]) -> Iterator[Step]:
        """The steps of a test: the rows of each run for the program of that run, and the change between them."""
        yield from _rows(input_.before, self.tables[is_new[0]])
        if is_new[0] != is_new[1]:
            yield Step("upgrade", {"program": "", "verdict": self.verdict}, ())
        yield from _rows(input_.after, self.tables[is_new[1]])
        yield Step("end", None, ())

    def shrunk(self, example: Counterexample, end: float) -> Counterexample:
        """A counterexample from which no event can be left out."""
        size = max(len(example.input.before), len(example.input.after))
        while size and time.monotonic() < end:
            smaller = self._first(_without(example.input, size), end)
            size, example = (size // 2, example) if smaller is None else (size, smaller)
        return example

    def simplified(self, example: Counterexample, candidates: Candidates, end: float) -> Counterexample:
        """A counterexample with the simplest values that keep the difference."""
        for table, column, value in example.input.values():
            simplest = candidates.simplest(table, column)
            if simplest not in (None, value):
                changed = example.input.with_value(table, column, value, simplest)
                example = self._first([changed], end) or example
        return example

    def _first(self, inputs: Iterator[Input] | list[Input], end: float) -> Counterexample | None:
        """The first counterexample among possible inputs, before a time."""
        for input_ in inputs:
            if time.monotonic() > end:
                return None
            try:
                example = self.difference(input_) if input_.is_possible() else None
            except _EndedError:
                continue
            if example is not None:
                return example
        return None


def _without(input_: Input, size: int) -> Iterator[Input]:
    """The input without a number of consecutive events of one run."""
    for run in ("before", "after"):
        events: tuple[Event, ...] = getattr(input_, run)
        for at in range(0, len(events), size):
            left: Any = {run: events[:at] + events[at + size :]}
            yield replace(input_, **left)


def _rows(events: Sequence[Event], tables: Tables) -> Iterator[Step]:
    """A step with rows of a program's tables, if there are any."""
    rows: dict[str, list[object]] = {}
    own = {table_id(table): table for table in tables.values()}
    for event in events:
        if event.table in tables:
            table = tables[event.table]
            items = event.items(read_columns(table)[0].names)
            rows.setdefault(short_name(table_id(table), own), []).extend(items)
    if rows:
        yield Step("rows", rows, ())
