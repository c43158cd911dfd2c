"""Counterexamples of a change: the smallest input for which a program that continues differs from one from scratch.

Both run without a query, over random input, which then shrinks while the difference stays.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.state.upgrade.refusing import UpgradeError
from compiled_plan.plans.execution.testing.engine import QUICK, Engine, Engines, TableRows
from compiled_plan.plans.execution.testing.replacing import PlanTables, table_id
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.inspection.identity import with_uids
from compiled_plan.plans.nodes.sort import TemporalSort
from compiled_plan.plans.nodes.tables import CatalogTable
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.types import RowType
from compiled_plan.testing.candidates import Candidates, Event, Input, Values, sources_of
from compiled_plan.testing.comparing import Change, Difference, differences, row_text, table_of
from compiled_plan.testing.document import KINDS
from compiled_plan.testing.running import read_columns, with_columns_of, written_columns
from compiled_plan.testing.values import internal_row, scalar, shown

#: The clock of all runs, in ms since 1970.
_CLOCK = 1_704_103_200_000
#: Rows per table and run of the first tries, fewer first.
_SIZES = (2, 4, 8)

#: The rows of each sink, by `table_id`.
Tables = Mapping[str, Sequence[Change]]


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Input for which a change makes a difference.

    Args:
        input: the events before and after the change.
        differences: by sink, the rows from scratch (`-`) and those of the program that continues (`+`).
        tables: the rows of the program that continues, by sink.
        verdict: the verdict on the change.
    """

    input: Input
    differences: tuple[Difference, ...]
    tables: Mapping[str, Sequence[str]]
    verdict: str

    def text(self, old: str, new: str) -> str:
        """The input as a file for `test-plan`.

        Args:
            old: the program before the change, or its plan.
            new: the program after it, or its plan.
        """
        return "".join(f"{line}\n" for line in self._lines(old, new))

    def _lines(self, old: str, new: str) -> Iterator[str]:
        yield f"program: {scalar(old)}"
        yield "steps:"
        yield from _rows_step(self.input.before)
        yield f"  - upgrade: {{program: {scalar(new)}, verdict: {self.verdict}}}"
        yield from _rows_step(self.input.after)
        yield "  - end:"
        yield "  - expect:"
        for name, rows in self.tables.items():
            yield f"      {scalar(name)}: {{table: [{', '.join(rows)}]}}"
        yield "# The new program alone, over all these rows (-), and instead of it (+):"
        for difference in self.differences:
            lines = [f"{mark} {text}" for mark, text in difference.lines if mark != " "] or difference.columns
            yield from (f"#   {difference.table}: {line}" for line in lines)


@dataclass(frozen=True, slots=True)
class Search:
    """The outcome of a search.

    Args:
        tries: the number of inputs that were tried.
        example: the smallest one with a difference; None if none of them has.
    """

    tries: int
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
        UpgradeError: the start is refused.
        NotQuickError: a program runs in a query alone.
    """
    old, new = with_uids(old), with_uids(new)
    sorts = any(isinstance(node, TemporalSort) for node in new.nodes)
    verdict = diff_plans(old, new).verdict.value
    comparing = _Comparing(old, new, engines, sources_of(old, new), sorts, verdict)
    candidates = Candidates((old, new), seed)
    end = math.inf
    for number in range(tries):
        example = comparing.difference(candidates.input(_SIZES[number % len(_SIZES)]))
        # The first try translates the programs, which takes longer than all others.
        end = min(end, time.monotonic() + seconds)
        if example is not None:
            return Search(number + 1, comparing.simplified(comparing.shrunk(example, end), candidates, end))
        if time.monotonic() > end:
            return Search(number + 1, None)
    return Search(tries, None)


@dataclass(frozen=True, slots=True)
class _Comparing:
    old: CompiledPlan
    new: CompiledPlan
    engines: Engines
    sources: tuple[Mapping[str, CatalogTable], Mapping[str, CatalogTable]]
    sorts: bool
    verdict: str

    def difference(self, input_: Input) -> Counterexample | None:
        """The input as a counterexample; None if it is none, or ends a run."""
        try:
            continued = self._run((self.old, input_.before), (self.new, input_.after))
            scratch = self._run((self.new, input_.before), (self.new, input_.after))
        except UpgradeError:
            raise
        except CompiledPlanError:
            return None
        differing, tables = [], {}
        for name, table in PlanTables.of(self.new).sinks.items():
            columns = written_columns(table)
            key = [columns.names.index(column) for column in table.primary_key]
            wanted, came = (table_of(changes.get(name, ()), columns, key) for changes in (scratch, continued))
            difference = differences(table.name, wanted, came, columns, key, in_order=False)
            if difference is None and self.sorts and wanted != came:
                difference = Difference(table.name, (), ("the rows are equal, their order is not",))
            differing += [] if difference is None else [difference]
            tables[table.name] = [row_text(change, columns) for change in came]
        return Counterexample(input_, tuple(differing), tables, self.verdict) if differing else None

    def _run(self, *parts: tuple[CompiledPlan, Sequence[Event]]) -> Tables:
        """The changes of all sinks after both parts, with the columns of the last plan."""
        engine = self.engines(QUICK, _CLOCK)
        changes: dict[str, list[Change]] = {}
        sinks = PlanTables.of(parts[0][0]).sinks
        last: CompiledPlan | None = None
        try:
            for plan, events in parts:
                if plan is not last:
                    engine.start(plan, bounded=False, accepts_partial=True, migrates=last is not None)
                    before, sinks, last = sinks, PlanTables.of(plan).sinks, plan
                    for name in changes.keys() & sinks.keys():
                        changes[name] = with_columns_of(sinks[name], before[name], changes[name])
                engine.feed(dict(_fed(self.sources[plan is self.new], events)))
                _collect(engine, changes)
            engine.end()
            _collect(engine, changes)
        finally:
            engine.close()
        return changes

    def shrunk(self, example: Counterexample, end: float) -> Counterexample:
        """A counterexample from which no event can be left out."""
        size = max(len(example.input.before), len(example.input.after))
        while size and time.monotonic() < end:
            smaller = next(self._smaller(example, size, end), None)
            if smaller is None:
                size //= 2
            else:
                example = smaller
        return example

    def simplified(self, example: Counterexample, candidates: Candidates, end: float) -> Counterexample:
        """A counterexample with the simplest values that keep the difference."""
        for table, column, value in example.input.values():
            simplest = candidates.simplest(table, column)
            if simplest in (None, value) or time.monotonic() > end:
                continue
            changed = example.input.with_value(table, column, value, simplest)
            simpler = self.difference(changed) if changed.is_possible() else None
            example = example if simpler is None else simpler
        return example

    def _smaller(self, example: Counterexample, size: int, end: float) -> Iterator[Counterexample]:
        """Counterexamples without a number of consecutive events of one run."""
        for run in ("before", "after"):
            events: tuple[Event, ...] = getattr(example.input, run)
            for at in range(0, len(events), size):
                left = replace(example.input, **{run: events[:at] + events[at + size :]})
                if left.is_possible() and time.monotonic() < end:
                    smaller = self.difference(left)
                    if smaller is not None:
                        yield smaller


def _rows_step(events: Sequence[Event]) -> Iterator[str]:
    """A step with the rows of a run; inserts without their kind, and without NULLs."""
    if events:
        yield "  - rows:"
    for table in dict.fromkeys(event.table for event in events):
        yield f"      {scalar(table.rpartition('.')[2])}:"
        for event in events:
            for kind, row in event.rows() if event.table == table else ():
                text = shown({name: value for name, value in row.items() if value is not None})
                yield f"        - {text if kind == '+I' else f'{kind}: {text}'}"


def _fed(sources: Mapping[str, CatalogTable], events: Sequence[Event]) -> Iterator[tuple[str, TableRows]]:
    order = 0
    for name, table in sources.items():
        row_type, metadata = read_columns(table)
        rows = [row for event in events if event.table == name for row in event.rows()]
        if rows:
            kinds = [KINDS.index(kind) for kind, _ in rows]
            values = [internal_row(_own(row, row_type), row_type) for _, row in rows]
            yield table_id(table), TableRows(kinds, range(order, order + len(rows)), values, metadata)
            order += len(rows)


def _own(row: Values, row_type: RowType) -> Values:
    """The columns of a row that a program's table has."""
    return {name: row[name] for name in row_type.names if name in row}


def _collect(engine: Engine, changes: dict[str, list[Change]]) -> None:
    for name, chunks in engine.take().items():
        for chunk in chunks:
            rows = zip(*chunk.columns, strict=True) if chunk.columns else [()] * len(chunk.kinds)
            changes.setdefault(name, []).extend(
                Change(KINDS[kind], tuple(row)) for kind, row in zip(chunk.kinds, rows, strict=True)
            )
