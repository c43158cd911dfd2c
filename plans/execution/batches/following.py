"""Followers of streaming queries: report and total finished micro-batches, and settle them with sinks."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import repeat, takewhile
from typing import TYPE_CHECKING, Any, Protocol

from pyspark.sql.streaming.listener import StreamingQueryProgress

from compiled_plan.plans.execution.batches.progress import (
    BatchProgress,
    ended_at,
    figures_of,
    observed_ages,
    operator_progress,
    source_progress,
    watermark_ms,
    watermark_text,
)
from compiled_plan.plans.execution.interfaces.connectors import Commits
from compiled_plan.plans.execution.realtime.watermarks import SOURCE as TICKS
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.state.checkpoint.offsets import progress_of
from compiled_plan.plans.execution.state.checkpoint.records import record_batch
from compiled_plan.plans.execution.tables.sources import NO_TABLE, SourceTables
from compiled_plan.plans.inspection.checkpoints import ENDS, STATE_ROWS, StateFigures
from compiled_plan.plans.text.masking import masked_text

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

    from compiled_plan.plans.execution.stages.build import StageHandle
    from compiled_plan.plans.execution.tables.sinks import BatchRows
    from compiled_plan.plans.plan import CompiledPlan

_POLL_SECONDS = 0.1
_RATES = ("inputRowsPerSecond", "processedRowsPerSecond")


@dataclass(frozen=True, slots=True)
class RunResult:
    """Result of a run: batches run, rows read and written, whether it was stopped, dead letters."""

    batches: int
    rows_in: int
    rows_out: int
    stopped: bool
    dead_letters: int = 0


class Counts(Protocol):
    def rows(self, batch: int) -> BatchRows:
        """The rows written in a micro-batch of this run; may be called once per batch."""


class Follower:
    """Reports the finished micro-batches of a query and totals their figures.

    Args:
        query: the query to follow; may be replaced by its successor.
        handles: the stages of the query.
        plan: supplies the descriptions of operators.
        folder: the checkpoint, which stores the row counts of state.
        resumes: True if the checkpoint was started before and has row counts.
        slots: number of tasks that run at once.
        tables: the tables that the query's sources read.
        sinks: counts the written rows.
        report: called with each finished micro-batch.
    """

    def __init__(
        self,
        query: StreamingQuery,
        handles: Sequence[StageHandle],
        plan: CompiledPlan,
        folder: Folder,
        tables: SourceTables,
        sinks: Counts,
        report: Callable[[BatchProgress], None],
        *,
        resumes: bool,
        slots: int,
    ) -> None:
        self.query = query
        self.stages = handles
        self._folder, self._tables, self._sinks, self._progress_report = (
            folder,
            tables,
            sinks,
            report,
        )
        self._base = StateFigures.read(folder.read_text(STATE_ROWS) if resumes else None)
        self._ages = observed_ages(handles, self._base, int(time.time() * 1000))
        self._descriptions = {str(node.uid): masked_text(node.description) for node in plan.nodes if node.uid}
        self._seen, self._batches, self._rows_in, self._rows_out, self._dead_letters = -1, 0, 0, 0, 0
        self._idle = 0
        self._slots = slots
        self.watermark: int | None = None

    @property
    def batch(self) -> int:
        """The last finished micro-batch; -1 before the first of this run."""
        return self._seen

    @property
    def idle(self) -> bool:
        """Return True if the last batch read no rows, except the first, which may end before its tasks are up."""
        return self._idle > 1 or (self._idle == 1 and self._batches > 1)

    def result(self, stopped: bool) -> RunResult:
        """The figures of the run so far."""
        return RunResult(self._batches, self._rows_in, self._rows_out, stopped, self._dead_letters)

    def follow(
        self, stop: threading.Event, between: Callable[[], None], *, until_drained: bool, until_idle: bool
    ) -> bool:
        """Report micro-batches until the query ends or has read all available rows.

        Args:
            stop: ends the query early.
            between: called between polls, after finished batches are reported.
            until_drained: return once a query that does not end by itself has read all available rows.
            until_idle: return once the query is idle.

        Returns:
            True if it was stopped early.
        """
        query, drained, woken = self.query, threading.Event(), threading.Event()
        wait, events = (
            (query.processAllAvailable, (drained, woken)) if until_drained else (query.awaitTermination, (woken,))
        )
        threading.Thread(target=_set_after, args=(wait, *events), daemon=True).start()
        while query.isActive and not (drained.is_set() or stop.is_set() or (until_idle and self.idle)):
            woken.wait(_POLL_SECONDS)
            self.catch_up()
            between()
        stopped = stop.is_set() and not drained.is_set()
        if not stopped and not drained.is_set() and not (until_idle and self.idle):
            query.awaitTermination()
        self.catch_up()
        return stopped

    def catch_up(self) -> None:
        """Report the batches that ended since the last call."""
        latest = self.query._jsq.lastProgress()
        if latest is None or latest.batchId() <= self._seen:
            return
        for progress in _progress_since(self.query, self._seen):
            if "addBatch" in progress.durationMs:
                self._report(progress)

    def _report(self, progress: Any) -> None:
        operators = operator_progress(self.stages, self._base, self._descriptions)
        self._folder.write_text(STATE_ROWS, figures_of(operators, self._ages).text())
        record_batch(self._folder, progress.batchId, STATE_ROWS)
        out, dead_letters = self._sinks.rows(progress.batchId)
        tables = [*self._tables.read_by(self.query), *repeat(NO_TABLE, len(progress.sources))]
        read_again = [*self._tables.read_again(self.query, progress.batchId), *repeat(0, len(progress.sources))]
        sources = tuple(
            source_progress(source, table, again)
            for source, table, again in zip(progress.sources, tables, read_again, strict=False)
            if not _is_control(source.description)
        )
        rows_in = sum(source.rows for source in sources)
        self._idle = 0 if rows_in else self._idle + 1
        millis = int(progress.durationMs.get("triggerExecution", 0))
        self._seen, self._batches = progress.batchId, self._batches + 1
        self._rows_in, self._rows_out = self._rows_in + rows_in, self._rows_out + out
        self._dead_letters += dead_letters
        self.watermark = watermark_ms(progress.eventTime.get("watermark"))
        at, watermark = ended_at(progress.timestamp, millis), watermark_text(progress.eventTime.get("watermark"))
        self._progress_report(
            BatchProgress(
                progress.batchId,
                rows_in,
                out,
                millis,
                operators,
                dead_letters,
                at,
                sources,
                watermark,
                self._slots,
            )
        )


def _progress_since(query: StreamingQuery, batch: int) -> Sequence[Any]:
    """Spark's progress of the batches after a given one.

    Spark retains a hundred; converting one to text takes as long as planning a small batch.
    """
    recent = query._jsq.recentProgress()
    newest = takewhile(lambda progress: progress.batchId() > batch, (recent[-at] for at in range(1, len(recent) + 1)))
    return [StreamingQueryProgress.fromJson(_with_rates(json.loads(progress.json()))) for progress in newest][::-1]


def _with_rates(progress: dict[str, Any]) -> dict[str, object]:
    """Add the rates that Spark leaves out for a batch of no time, and that PySpark requires."""
    return progress | {"sources": [{**dict.fromkeys(_RATES, 0.0), **source} for source in progress["sources"]]}


def _is_control(source: str) -> bool:
    """Return True if the source produces only control rows."""
    return ENDS in source or TICKS in source


def _set_after(wait: Callable[[], object], *events: threading.Event) -> None:
    """Set events when a wait is over."""
    # The main thread polls the query and handles its failure.
    with suppress(Exception):
        wait()
        for event in events:
            event.set()


@dataclass(slots=True)
class Committing:
    """Settles the sinks that wait for commits.

    Args:
        waiting: the pending commits of each such sink.
    """

    waiting: Sequence[Commits]
    #: The last micro-batch committed before this run; None until `settle` first reads it.
    _before: int | None = None

    def check(self, *, ends: bool, has_watermark: bool) -> None:
        """Refuse commits that would never happen; see `Commits.check`."""
        for commits in self.waiting:
            commits.check(ends=ends, has_watermark=has_watermark)

    def settle(self, follower: Follower, folder: Folder, *, ended: bool) -> None:
        """Report the progress of the run to the sinks.

        Args:
            follower: supplies the last micro-batch of this run, and the watermark.
            folder: Spark's checkpoint, which has the last micro-batch of the previous run.
            ended: True if all rows are written.
        """
        if not self.waiting:
            return
        if self._before is None:
            committed = progress_of(folder).committed
            self._before = -1 if committed is None else committed
        for commits in self.waiting:
            commits.settle(max(follower.batch, self._before), follower.watermark, ended=ended)
