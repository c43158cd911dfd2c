"""How many rows sinks got of a generation, for who goes back behind it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from compiled_plan.plans.execution.checkpoint import clock
from compiled_plan.plans.execution.checkpoint.clock import Reading
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.files.folders import ReadableFolder
from compiled_plan.plans.inspection.checkpoints import WRITTEN, is_json


@dataclass(frozen=True, slots=True)
class Written:
    """What sinks got.

    Args:
        batch: number of the last micro-batch; -1 for none.
        batches: how many micro-batches there were.
        rows: by table how many rows it got in all of them.
        last: by table how many of these are of the last one.
        marked: whether it was written down with the last one how far the partitions of sources are, see `marks`.
        clock: what the clocks said after the last one; None where nobody wrote it down.
    """

    batch: int = -1
    batches: int = 0
    rows: Mapping[str, int] | None = None
    last: Mapping[str, int] | None = None
    marked: bool = False
    clock: Reading | None = None

    def after(self, batch: int, rows: Mapping[str, int], *, marked: bool = False) -> Written:
        """With one more micro-batch; one that was written before takes its own place."""
        again = batch == self.batch
        before = dict(self.rows or {})
        if again:
            before = {table: count - (self.last or {}).get(table, 0) for table, count in before.items()}
        total = {table: before.get(table, 0) + rows.get(table, 0) for table in (*before, *rows)}
        return Written(batch, self.batches + (not again), total, dict(rows), marked)


def read_written(generation: ReadableFolder) -> Written:
    """What the sinks of a generation got; nothing where nobody wrote it down, or it cannot be read."""
    text = generation.read_text(WRITTEN)
    found: Any = json.loads(text or "") if is_json(text, dict) else {}
    told = found.get("clock")
    try:
        return Written(
            int(found.get("batch", -1)),
            int(found.get("batches", 0)),
            dict(found.get("rows", {})),
            dict(found.get("last", {})),
            bool(found.get("marked")),
            None if told is None else Reading(int(told["wall"]), int(told["up"]), str(told["boot"])),
        )
    except (TypeError, ValueError, KeyError):
        return Written()


def write_written(generation: Folder, written: Written) -> None:
    """Keep it, with what the clocks say now."""
    generation.write_text(WRITTEN, json.dumps(asdict(replace(written, clock=clock.reading()))))
