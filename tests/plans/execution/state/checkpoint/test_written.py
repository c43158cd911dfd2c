"""Rows written to sinks of a generation: a repeated micro-batch counts once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.state.checkpoint.clock import BatchClock
from compiled_plan.plans.execution.state.checkpoint.written import Written, read_written, write_written


def test_a_repeated_batch_counts_once() -> None:
    written = Written().after(0, {"a": 3}).after(1, {"a": 2, "b": 1}).after(1, {"a": 5, "b": 1}).after(2, {"b": 4})
    assert (written.batches, written.rows) == (3, {"a": 8, "b": 5})


def test_counts_survive_a_round_trip_and_a_torn_file_is_ignored(tmp_path: Path) -> None:
    folder = LocalFolder(tmp_path)
    assert read_written(folder) == Written(rows={}, last={})
    written = Written().after(4, {"a": 3})
    write_written(folder, written, BatchClock("cp"))
    assert replace(read_written(folder), clock=None, digests=False) == written
    assert read_written(folder).clock is not None
    for torn in ('{"batch', "[]", '{"batch": "x"}', '{"clock": {}}', '{"a":' * 100_000):
        folder.write_text("compiled-plan/written.json", torn)
        assert read_written(folder).batches == 0
