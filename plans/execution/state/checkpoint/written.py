"""Row counts of sinks by generation, for rollbacks to an earlier one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.state.checkpoint.clock import BatchClock, Reading
from compiled_plan.plans.files.folders import ReadableFolder
from compiled_plan.plans.inspection.checkpoints import WRITTEN, json_in, recorded, sealed


@dataclass(frozen=True, slots=True)
class Written:
    """Row counts of sinks.

    Args:
        batch: number of the last micro-batch; -1 for none.
        batches: number of micro-batches.
        rows: rows written to each table in all batches.
        last: rows written to each table in the last batch.
        marked: True if the last batch also stored the watermarks of partitions, see `marks`.
        clock: clock reading after the last batch; None in checkpoints of earlier releases.
        digests: True if the generation has a record of digests, see `digests`.
    """

    batch: int = -1
    batches: int = 0
    rows: Mapping[str, int] | None = None
    last: Mapping[str, int] | None = None
    marked: bool = False
    clock: Reading | None = None
    digests: bool = False

    def after(self, batch: int, rows: Mapping[str, int], *, marked: bool = False) -> Written:
        """Add a micro-batch; a repeated batch replaces its earlier counts."""
        again = batch == self.batch
        before = dict(self.rows or {})
        if again:
            before = {table: count - (self.last or {}).get(table, 0) for table, count in before.items()}
        total = {table: before.get(table, 0) + rows.get(table, 0) for table in (*before, *rows)}
        return Written(batch, self.batches + (not again), total, dict(rows), marked)


def read_written(generation: ReadableFolder, batch: int | None = None) -> Written:
    """Read the counts of a generation; empty if missing or unreadable.

    Args:
        batch: the micro-batch after which they were recorded; None for the last one.
    """
    figures = json_in(generation.read_text(WRITTEN if batch is None else recorded(batch, WRITTEN)), dict) or {}
    clocks = figures.get("clock")
    try:
        return Written(
            int(figures.get("batch", -1)),
            int(figures.get("batches", 0)),
            dict(figures.get("rows", {})),
            dict(figures.get("last", {})),
            bool(figures.get("marked")),
            None if clocks is None else Reading(int(clocks["wall"]), int(clocks["up"]), str(clocks["boot"])),
            bool(figures.get("digests")),
        )
    except (TypeError, ValueError, KeyError):
        return Written()


def write_written(generation: Folder, written: Written, clock: BatchClock) -> None:
    """Write the counts into a generation, with the reading of the run's clock."""
    figures = asdict(replace(written, clock=clock.reading(), digests=True))
    generation.write_text(WRITTEN, json.dumps(sealed(figures)))


def forget_rows(generation: Folder) -> None:
    """Set the counts of a generation to zero: its micro-batches so far have written to no sink."""
    written = replace(read_written(generation), batches=0, rows={}, last={})
    generation.write_text(WRITTEN, json.dumps(sealed(asdict(written))))
