"""Joins, top-n and deduplication of windows that continue Flink's state."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.kernel.harness import Change, Harness, OperatorError, Savepoint, Step, short

#: A value, then the window's start and end.
TYPES = ["STRING", "INT", "BIGINT", "BIGINT"]


def spec(kind: str, **fields: Any) -> dict[str, Any]:
    return {
        "uid": "window",
        "type": kind,
        "timeDomain": "event",
        "inputTypes": [TYPES],
        "outputTypes": TYPES,
        "ports": [{"key": [0, 2, 3]}],
        "windowEnds": [3],
        **fields,
    }


def join(**fields: Any) -> dict[str, Any]:
    return spec(
        "window-join",
        inputTypes=[TYPES, TYPES],
        outputTypes=TYPES * 2,
        ports=[{"key": [0, 2, 3]}] * 2,
        windowEnds=[3, 3],
        joinType="LEFT",
        leftKeys=[0],
        rightKeys=[0],
        filterNulls=[True],
        **fields,
    )


def entry(state: str, value: Any, end: int = 10, key: str | None = "a", **more: Any) -> dict[str, Any]:
    return {"state": state, "key": [key], "ns": end, "value": value, **more}


def timer(end: int = 10) -> dict[str, Any]:
    return {"state": "_timer_state/event_window-timers", "key": ["a"], "ns": end, "timer": end - 1}


def row(value: int, end: int = 10, key: str | None = "a") -> tuple[Any, ...]:
    return (key, value, end - 10, end)


def test_rows_of_both_sides_are_joined_at_the_end_of_the_window(harness: Harness) -> None:
    entries = [
        timer(),
        entry("left-records", [row(1), row(2)]),
        entry("left-records", [row(3, 20)], 20),
        entry("right-records", [row(9)]),
        entry("left-records", [row(5, key=None)], key=None),
    ]
    steps = [Step(0, [Change("+I", row(8), 1, "a,0,10")], watermark=0), Step(1, [], watermark=9)]
    answers = harness.run(join(), steps, savepoint=Savepoint(entries))
    assert answers[0].state_rows == 6
    joined = [(*row(left), *row(right)) for left in (1, 2) for right in (9, 8)]
    padded = (*row(5, key=None), None, None, None, None)
    assert sorted(change.values for change in answers[1].out if change.values[0]) == sorted(joined)
    assert [change.values for change in answers[1].out if not change.values[0]] == [padded]


def test_windows_with_one_end_and_several_starts_are_refused(harness: Harness) -> None:
    with pytest.raises(OperatorError, match="rows of one window differ in column 2 of its key"):
        harness.run(join(), [], savepoint=Savepoint([entry("left-records", [row(1), ("a", 2, 5, 10)])]))


def test_a_row_of_another_window_is_refused(harness: Harness) -> None:
    with pytest.raises(OperatorError, match="a row of the window that ends at 20 ends at 10"):
        harness.run(join(), [], savepoint=Savepoint([entry("left-records", [row(1)], 20)]))


def test_the_rows_of_a_rank_are_sorted_and_cut(harness: Harness) -> None:
    rank = spec("window-rank", orderBy=[{"index": 1, "ascending": False}], end=2)
    entries = [timer(), *(entry("window_rank", [row(at)], uk=[at]) for at in (1, 3, 2))]
    answers = harness.run(rank, [Step(0, [], watermark=0), Step(1, [], watermark=9)], savepoint=Savepoint(entries))
    assert answers[0].state_rows == 2
    assert short(answers[1].out) == ["+I(a, 3, 0, 10)", "+I(a, 2, 0, 10)"]


def test_the_row_of_a_window_is_kept(harness: Harness) -> None:
    deduplicate = spec("window-deduplicate", orderColumn=1, keepLast=True)
    entries = [timer(), entry("window_deduplicate", row(5), kind="+U")]
    steps = [Step(0, [Change("+I", row(4), key="a,0,10")], watermark=0), Step(1, [], watermark=9)]
    answers = harness.run(deduplicate, steps, savepoint=Savepoint(entries))
    assert short(answers[1].out) == ["+I(a, 5, 0, 10)"]


def test_the_end_is_on_the_clock_of_the_zone(harness: Harness) -> None:
    hour = 3_600_000
    types = ["STRING", "INT", "TIMESTAMP_NTZ", "TIMESTAMP_NTZ"]
    rank = spec("window-deduplicate", inputTypes=[types], outputTypes=types, orderColumn=1, zone="Asia/Shanghai")
    entries = [entry("window_deduplicate", ["a", 1, [8 * hour, 0], [9 * hour, 0]], 9 * hour)]
    steps = [Step(0, [], watermark=hour - 2), Step(1, [], watermark=hour - 1)]
    answers = harness.run(rank, steps, savepoint=Savepoint(entries))
    assert [short(answer.out) for answer in answers] == [[], ["+I(a, 1, 1970-01-01T08:00, 1970-01-01T09:00)"]]
