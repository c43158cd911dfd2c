"""The micro-batches in which history is read again."""

from __future__ import annotations

import json

from compiled_plan.plans.execution.state.checkpoint.offsets import Entry
from compiled_plan.plans.execution.state.upgrade.filling import Batch, Clock, batches_of
from compiled_plan.plans.execution.state.upgrade.history import ReadFile

A0, A1, A2 = (ReadFile(f"a{at}", at, at) for at in range(3))
B0, B1 = (ReadFile(f"b{at}", at, at) for at in range(2))


def entry(number: int, watermark: int, **positions: int) -> Entry:
    return Entry(number, watermark, {name: json.dumps({"logOffset": at}) for name, at in positions.items()}, {})


def test_without_watermarks_all_at_once_or_so_many_files() -> None:
    pasts = {"a": ((A0, A1, A2), False), "b": ((B0,), False)}
    assert batches_of(pasts, Clock(), None) == (Batch({"a": (A0, A1, A2), "b": (B0,)}),)
    assert batches_of(pasts, Clock(), 2) == (Batch({"a": (A0, A1), "b": (B0,)}), Batch({"a": (A2,)}))
    assert batches_of({}, Clock(), None) == ()


def test_with_the_log_of_the_query_its_own_micro_batches() -> None:
    log = (entry(0, 0, a=0), entry(1, 5, a=0, b=0), entry(2, 7, a=0, b=0), entry(3, 7, a=2, b=0), entry(4, 7, a=2, b=0))
    batches = batches_of({"a": ((A0, A1, A2), False), "b": ((B0,), False)}, Clock(True, log, 7), None)
    assert batches == (
        Batch({"a": (A0,)}, 0),
        Batch({"b": (B0,)}, 5),
        Batch({}, 7),
        Batch({"a": (A1, A2)}, 7),
    ), "one without rows moves the watermark; one in which nothing happens is none"


def test_a_history_table_is_read_in_the_first_batch() -> None:
    log = (entry(0, 0, a=0), entry(1, 5, a=1))
    batches = batches_of({"a": ((A0, A1), False), "b": ((B0, B1), True)}, Clock(True, log, 5), None)
    assert [dict(batch.files) for batch in batches] == [{"a": (A0,), "b": (B0, B1)}, {"a": (A1,)}]


def test_without_the_log_batches_follow_the_files_and_timers_fire_last() -> None:
    batches = batches_of({"a": ((A0, A1), False)}, Clock(True, (), 9), 1)
    assert batches == (Batch({"a": (A0,)}), Batch({"a": (A1,)}), Batch({}, 9))
