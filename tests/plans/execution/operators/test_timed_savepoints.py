"""Joins and sorts by time that continue Flink's state."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.kernel.harness import Change, Harness, OperatorError, Savepoint, Step, short

TYPES = ["STRING", "TIMESTAMP_NTZ"]
JOINED = {
    "inputTypes": [TYPES, TYPES],
    "outputTypes": TYPES * 2,
    "ports": [{"key": [0]}] * 2,
    "joinType": "LEFT",
    "leftKeys": [0],
    "rightKeys": [0],
    "filterNulls": [True],
    "leftTime": 1,
    "rightTime": 1,
}


def interval(**fields: Any) -> dict[str, Any]:
    return {
        "uid": "join",
        "type": "interval-join",
        "timeDomain": "event",
        **JOINED,
        "lowerBound": -2,
        "upperBound": 2,
        **fields,
    }


def entry(state: str, value: Any, key: str | None = "a", **more: Any) -> dict[str, Any]:
    return {"state": state, "key": [key], "value": value, **more}


def shown(time: int) -> str:
    return "1970-01-01T00:00" if time == 0 else f"1970-01-01T00:00:00.{time:03}"


def row(time: int, key: str | None = "a") -> list[Any]:
    return [key, [time, 0]]


def change(time: int, port: int = 0, kind: str = "+I") -> Change:
    return Change(kind, ("a", shown(time)), port, "a")


INTERVAL = [
    entry("IntervalJoinLeftCache", [[row(4), True]], uk=4),
    entry("IntervalJoinLeftCache", [[row(3), False]], uk=3),
    # The time at which the left cache is cleaned up.
    entry("IntervalJoinRightTimerState", 8),
    entry("IntervalJoinRightCache", [[row(1), False]], uk=1),
    entry("IntervalJoinLeftTimerState", 6),
    {"state": "_timer_state/event_user-timers", "key": ["a"], "timer": 6},
]


def test_rows_of_an_interval_join_match_until_their_time_has_passed(harness: Harness) -> None:
    steps = [Step(0, [change(5, 1)], watermark=4), Step(1, [], watermark=7), Step(2, [], watermark=8)]
    answers = harness.run(interval(), steps, savepoint=Savepoint(INTERVAL, watermark=4))
    assert sorted(short(answers[0].out)) == [f"+I(a, {shown(at)}, a, {shown(5)})" for at in (3, 4)]
    assert [answer.out for answer in answers[1:]] == [[], []]


def test_a_row_without_a_match_is_padded_when_its_side_is_cleaned_up(harness: Harness) -> None:
    steps = [Step(1, [], watermark=7), Step(2, [], watermark=8)]
    answers = harness.run(interval(), steps, savepoint=Savepoint(INTERVAL, watermark=4))
    assert [short(answer.out) for answer in answers] == [[], [f"+I(a, {shown(3)}, null, null)"]]


def test_an_interval_join_by_processing_time_gives_rows_their_time_of_arrival(harness: Harness) -> None:
    types = ["STRING", "TIMESTAMP"]
    spec = interval(inputTypes=[types, types], leftTime=-1, rightTime=-1, timeDomain="processing")
    entries = [
        entry("IntervalJoinLeftCache", [[["a", None], False]], uk=1000),
        entry("IntervalJoinRightTimerState", 1005),
    ]
    savepoint = Savepoint(entries, time=1000, facts={"proctimes": [[1], [1]]})
    (answer,) = harness.run(spec, [Step(1001, [Change("+I", ("a", None), 1, "a")])], savepoint=savepoint)
    assert short(answer.out) == ["+I(a, 1970-01-01T00:00:01Z, a, null)"]


def test_an_interval_join_without_its_timer_is_refused(harness: Harness) -> None:
    with pytest.raises(OperatorError, match="IntervalJoinLeftCache has rows, and IntervalJoinRightTimerState has no"):
        harness.run(interval(), [], savepoint=Savepoint(INTERVAL[:1]))


def temporal(**fields: Any) -> dict[str, Any]:
    return {"uid": "join", "type": "temporal-join", "timeDomain": "event", **JOINED, **fields}


TEMPORAL = [
    entry("right", row(6), uk=6, kind="-D"),
    entry("right", row(2), uk=2, kind="+U"),
    entry("left", row(7), uk=2, kind="-D"),
    entry("left", row(5), uk=1),
    entry("next-index", 3),
    entry("timer", 5),
]


def test_left_rows_wait_for_the_version_of_their_time(harness: Harness) -> None:
    steps = [Step(0, [change(4)], watermark=3), Step(1, [], watermark=5), Step(2, [], watermark=7)]
    answers = harness.run(temporal(), steps, savepoint=Savepoint(TEMPORAL, watermark=3))
    assert short(answers[1].out) == [f"+I(a, {shown(at)}, a, {shown(2)})" for at in (4, 5)]
    assert short(answers[2].out) == [f"-D(a, {shown(7)}, null, null)"]


def test_an_idle_key_of_a_temporal_join_expires_when_flinks_timer_would_fire(harness: Harness) -> None:
    entries = [TEMPORAL[1], entry("cleanup-timestamp", 1500)]
    spec = temporal(ttl=[1000])
    for time, expected in ((1499, f"+I(a, {shown(4)}, a, {shown(2)})"), (1500, f"+I(a, {shown(4)}, null, null)")):
        steps = [Step(time, [change(4)], watermark=3), Step(time, [], watermark=5)]
        answers = harness.run(spec, steps, savepoint=Savepoint(entries, time=1000, watermark=3))
        assert short(answers[1].out) == [expected]


def test_a_temporal_join_by_processing_time_knows_the_current_row(harness: Harness) -> None:
    spec = temporal(type="proctime-temporal-join", timeDomain="processing")
    del spec["leftTime"], spec["rightTime"]
    (answer,) = harness.run(spec, [Step(1000, [change(4)])], savepoint=Savepoint([entry("right", row(2))]))
    assert short(answer.out) == [f"+I(a, {shown(4)}, a, {shown(2)})"]


def sort(**fields: Any) -> dict[str, Any]:
    return {
        "uid": "sort",
        "type": "rowtime-sort",
        "timeDomain": "event",
        "inputTypes": [TYPES],
        "outputTypes": TYPES,
        "time": 1,
        "orderBy": [{"index": 0, "ascending": True}],
        **fields,
    }


def sorted_entry(state: str, value: Any, **more: Any) -> dict[str, Any]:
    return {"state": state, "key": [], "value": value, **more}


def test_waiting_rows_are_sorted_and_rows_behind_the_last_are_late(harness: Harness) -> None:
    entries = [
        sorted_entry("dataState", [row(8, "b"), row(8, "a")], uk=8),
        sorted_entry("dataState", [row(6, "c")], uk=6),
        sorted_entry("lastTriggeringTsState", 4),
    ]
    rows = [Change("+I", (key, shown(at)), watermark=5) for key, at in (("d", 4), ("e", 5))]
    steps = [Step(0, rows, watermark=5), Step(1, [], watermark=8)]
    answers = harness.run(sort(), steps, savepoint=Savepoint(entries, watermark=5))
    assert answers[0].late == 1
    out = [values[0] for answer in answers for values in (change.values for change in answer.out)]
    assert out == ["e", "c", "a", "b"]


def test_rows_of_the_last_millisecond_of_a_sort_by_processing_time_are_refused(harness: Harness) -> None:
    spec = sort(type="proctime-sort", timeDomain="processing")
    del spec["time"]
    harness.run(spec, [], savepoint=Savepoint([sorted_entry("sortState", [])]))
    with pytest.raises(OperatorError, match="take a savepoint when no rows arrive"):
        harness.run(spec, [], savepoint=Savepoint([sorted_entry("sortState", [row(1)])]))


def first(**fields: Any) -> dict[str, Any]:
    return {
        "uid": "first",
        "type": "keep-first-in-order",
        "timeDomain": "event",
        "inputTypes": [TYPES],
        "outputTypes": TYPES,
        "ports": [{"key": [0]}],
        "rowtime": 1,
        **fields,
    }


def test_the_first_row_waits_for_the_watermark(harness: Harness) -> None:
    steps = [Step(0, [change(6), change(4)], watermark=3), Step(1, [], watermark=5)]
    savepoint = Savepoint([entry("waiting-to-emit-on-timer", row(5))], watermark=3)
    answers = harness.run(first(), steps, savepoint=savepoint)
    assert [short(answer.out) for answer in answers] == [[], [f"+I(a, {shown(4)})"]]


def test_the_first_row_is_emitted_once_until_its_ttl(harness: Harness) -> None:
    savepoint = Savepoint([entry("already-emitted-state-boolean", True, written=100)], time=200, watermark=3)
    steps = [Step(1099, [change(6)], watermark=3), Step(1100, [change(7)], watermark=3), Step(1101, [], watermark=9)]
    answers = harness.run(first(ttl=[1000]), steps, savepoint=savepoint)
    assert [short(answer.out) for answer in answers] == [[], [], [f"+I(a, {shown(7)})"]]
