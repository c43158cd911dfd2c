"""Rounds of a shadow run: both programs over the same micro-batches, and the comparison of what they write."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Protocol

from compiled_plan.plans.errors import CheckpointError, UnsupportedError
from compiled_plan.plans.execution.session.stopping import StoppedError
from compiled_plan.plans.execution.shadow.comparing import Comparison
from compiled_plan.plans.execution.shadow.locating import Locating
from compiled_plan.plans.execution.shadow.pace import POLL_SECONDS, Pace
from compiled_plan.plans.execution.shadow.programs import ShadowProgram, tables_of
from compiled_plan.plans.execution.shadow.report import Parting, Rows, ShadowReport
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.state.checkpoint.offsets import Entry, entries, entry_of
from compiled_plan.plans.execution.state.checkpoint.store import Generation
from compiled_plan.plans.execution.tables.sides import Pair
from compiled_plan.plans.inspection.checkpoints import COMMITS, ENDED, ENDS, OFFSETS, TICKS
from compiled_plan.plans.inspection.diff.model import PlanDiff, SinkEdit, nodes_in_both
from compiled_plan.plans.inspection.diff.named import named_columns
from compiled_plan.plans.inspection.diff.sides import PlanPair
from compiled_plan.plans.plan import CompiledPlan

_UPGRADE = "run --shadow without --promote, stop the old run, and start the plan with --upgrade"


@dataclass(frozen=True, slots=True)
class Limits:
    """The extent of a shadow run; without duration and rows it ends with the rows available at its start.

    Args:
        seconds: duration in seconds.
        rows: number of rows to read.
        share: per cent of the time in which it runs micro-batches.
    """

    seconds: float | None = None
    rows: int | None = None
    share: int = 100

    def reached(self, report: ShadowReport) -> bool:
        """Return True at the end of the shadow run."""
        if self.seconds is None and self.rows is None:
            return True
        return (self.seconds is not None and report.seconds >= self.seconds) or (
            self.rows is not None and report.rows_in >= self.rows
        )


class Input(Protocol):
    """The micro-batches that both programs run."""

    @property
    def lead(self) -> Generation:
        """The generation that has run them first."""

    def next(self) -> tuple[int, tuple[Entry, ...]]:
        """Run the next micro-batches with both programs; return the number of rows and these micro-batches."""


@dataclass(slots=True)
class Available:
    """The rows available in the tables: one of the programs reads them, and the other one repeats its micro-batches."""

    old: ShadowProgram
    new: ShadowProgram

    @property
    def lead(self) -> Generation:
        return self._in_order()[0].generation

    def next(self) -> tuple[int, tuple[Entry, ...]]:
        lead, follower = self._in_order()
        since = lead.batch
        rows = lead.advance()
        planned = tuple(entry for entry in entries(lead.generation.folder) if entry.number > since)
        follower.repeat(lead.generation, planned)
        return rows, planned

    def _in_order(self) -> tuple[ShadowProgram, ShadowProgram]:
        """The program that reads new rows, and the one that reads the same after it."""
        before, after = self.old.sources, self.new.sources
        if before <= after:
            return self.new, self.old
        if after <= before:
            return self.old, self.new
        only_old, only_new = (", ".join(sorted(names)) for names in (before - after, after - before))
        raise UnsupportedError(
            f"the programs cannot run over the same rows: the old one alone reads {only_old}, the new one {only_new}",
            remedy="add tables in one change, and remove others in the next one",
        )


@dataclass(slots=True)
class Committed:
    """The micro-batches that the old run has committed: both programs repeat them.

    Args:
        old: the old program.
        new: the new program.
        lead: the generation of the old run.
        last: the last of its micro-batches that both programs have run.

    Raises:
        UnsupportedError: the new program reads a table that the old one does not.
    """

    old: ShadowProgram
    new: ShadowProgram
    lead: Generation
    last: int

    def __post_init__(self) -> None:
        added = self.new.sources - self.old.sources
        if added:
            raise UnsupportedError(
                f"--promote: the old run does not read {', '.join(sorted(added))}; its micro-batches lack these rows",
                remedy=_UPGRADE,
            )

    def next(self) -> tuple[int, tuple[Entry, ...]]:
        folder = self.lead.folder
        if folder.holds(ENDED) or folder.names(ENDS):
            raise CheckpointError(
                "--promote: the input of the old run has ended, and its windows close",
                where=folder.shown,
                remedy="there is nothing left to take over: start the plan with an empty checkpoint",
            )
        rows, planned = 0, tuple(map(self._entry, range(self.last + 1, folder.last(COMMITS) + 1)))
        for program in (self.old, self.new):
            rows = program.repeat(self.lead, planned)
        self.last += len(planned)
        return rows, planned

    def _entry(self, batch: int) -> Entry:
        if not self.lead.folder.holds(f"{OFFSETS}/{batch}"):
            raise CheckpointError(
                f"--promote: the old run has removed micro-batch {batch} from its log before the shadow reached it",
                where=self.lead.folder.shown,
                remedy="give the shadow more of the time with --shadow-share, or the old run a higher --retain-batches",
            )
        entry = entry_of(self.lead.folder, batch)
        if TICKS in entry.positions:
            raise UnsupportedError(
                "--promote: the old run is in real-time mode, in which rows reach sinks before they are committed",
                remedy=_UPGRADE,
            )
        return entry


@dataclass(frozen=True, slots=True)
class ComparedTable:
    """A table that both programs write.

    Args:
        sink: its sink in the new plan.
        comparison: the comparison of its rows.
        named: see `named_columns`.
    """

    sink: int
    comparison: Comparison
    named: frozenset[str] | None


@dataclass(slots=True)
class Rounds:
    """Rounds of both programs over the same input.

    Args:
        old: the program in force.
        new: the new program.
        input: their micro-batches.
        tables: the tables that both write.
        report: the result so far.
        pace: of both programs.
        show: called with the result so far, after each round.
        begin: the time of the shadow's begin, by the monotonic clock.
    """

    old: ShadowProgram
    new: ShadowProgram
    input: Input
    tables: Sequence[ComparedTable]
    report: ShadowReport
    pace: Pace
    show: Callable[[ShadowReport], None]
    begin: float = field(default_factory=time.monotonic)
    #: The micro-batches of each round, and by sink the number of rounds after which its table first differed.
    _planned: list[tuple[Entry, ...]] = field(default_factory=list)
    _differed: dict[int, int] = field(default_factory=dict)
    #: The first places at which the programs part, by sink.
    _parts: Mapping[int, tuple[Parting, ...]] = field(default_factory=dict)

    def run(self, limits: Limits) -> None:
        """Run rounds up to the limits, or until the shadow is stopped.

        Raises:
            StoppedError: it was stopped before the end of its first round.
        """
        while True:
            try:
                rows = self.once()
            except StoppedError:
                if self.report.rounds:
                    return
                raise
            if limits.reached(self.report) or self.pace.stopped():
                return
            if not rows:
                time.sleep(POLL_SECONDS)
            self.pace.pause()

    def once(self) -> int:
        """Run both programs over new rows, and compare what they write; return the number of rows."""
        rows, planned = self.input.next()
        if planned:
            self._planned.append(planned)
            for table in self.tables:
                pair, spark = table.comparison.pair, self.old.spark
                olds, news = self.old.records.rows(pair.old.sink, spark), self.new.records.rows(pair.new.sink, spark)
                table.comparison.add(olds, news)
        for program in (self.old, self.new):
            program.records.remove()
        results = self.report.tables
        if planned or not results:
            results = self._located(table.comparison.rows(table.named) for table in self.tables)
        self.report = replace(
            self.report,
            rounds=self.report.rounds + 1,
            rows_in=self.report.rows_in + rows,
            seconds=time.monotonic() - self.begin,
            tables=results,
        )
        for table, compared in zip(self.tables, self.report.tables, strict=True):
            if compared.differing:
                self._differed.setdefault(table.sink, len(self._planned))
        self.show(self.report)
        return rows

    def _located(self, results: Iterable[Rows]) -> tuple[Rows, ...]:
        """The results of all tables, with the first places of those that differ."""
        return tuple(
            replace(rows, parts=self._parts.get(table.sink, ())) if rows.differing else rows
            for table, rows in zip(self.tables, results, strict=True)
        )

    def locate(self, locating: Locating) -> None:
        """Add the first places at which the programs part to the report."""
        differing = {
            table.sink: rows.table
            for table, rows in zip(self.tables, self.report.tables, strict=True)
            if rows.differing
        }
        if not differing:
            return
        last = max(self._differed[sink] for sink in differing)
        # A shadow that was stopped has its report all the same.
        with suppress(StoppedError):
            self._parts = locating.partings(differing, self.input.lead, self._planned[:last])
            self.report = replace(self.report, tables=self._located(self.report.tables))


def compared_tables(
    old: ShadowProgram, new: ShadowProgram, both: PlanPair, diff: PlanDiff, folder: Folder
) -> Sequence[ComparedTable]:
    """The tables that both programs write.

    Args:
        old: the old program.
        new: the new program.
        both: their plans.
        diff: the difference of these.
        folder: a folder for the comparisons.
    """
    return [
        ComparedTable(node, Comparison(old.spark, pair, folder.inside(str(node))), named_columns(both, diff, sink))
        for sink, node, pair in table_pairs(old.plan, new.plan, diff)
    ]


def table_pairs(old: CompiledPlan, new: CompiledPlan, diff: PlanDiff) -> Iterator[tuple[SinkEdit, int, Pair]]:
    """The tables that two plans write, each with its difference and its sink in the new plan."""
    before, after = tables_of(old), tables_of(new)
    for sink in diff.sinks:
        for old_node, new_node in nodes_in_both(sink):
            yield sink, new_node, Pair(before[old_node], after[new_node])
