"""Every operator with timers, with times before 1970, at 1970, and at both ends of BIGINT.

No time means that there is no timer: each row comes out once, and nothing is left that would wake a key again.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import pytest

from tests.support.kernel.harness import Answer, Change, Harness, OperatorError, Step, short
from tests.support.kernel.specs import fields_of

COLUMNS = ["STRING", "INT", "BIGINT"]
STAMPS = ["TIMESTAMP_NTZ", "TIMESTAMP_NTZ"]
#: The extreme times of a Spark timestamp, ms from 1970.
FURTHEST = (2**63 - 1) // 1000
FIRST, LAST = -(2**63), 2**63 - 1
#: The longest window, ms.
LONGEST = LAST // 4
DAY = 86_400_000

BEFORE = [-DAY - 1, -DAY, -DAY + 1, -2, -1]
AROUND = [*BEFORE, 0, 1, 2, DAY - 1, DAY]
YEARS = [-62_135_596_800_000, 253_402_300_799_999]
ENDS = [-FURTHEST, -FURTHEST + 1, -1, 0, 1, FURTHEST - 1, FURTHEST]

COUNT = {"function": "$COUNT$1", "args": []}
SUM = {"function": "$SUM$1", "args": [1]}


def event(type_: str, output: Sequence[str] = COLUMNS, **fields: Any) -> dict[str, Any]:
    known = {"uid": "it", "type": type_, "timeDomain": "event", "inputTypes": [COLUMNS], "outputTypes": [*output]}
    return {**known, **({"time": 2} if "time" in fields_of(type_) else {}), **fields}


def aggregate(window: dict[str, Any], type_: str = "window-aggregate") -> dict[str, Any]:
    output = ["STRING", "BIGINT", *STAMPS]
    return event(type_, output, grouping=[0], aggs=[COUNT], properties=["start", "end"], window=window)


def over(rows: bool, preceding: int | None) -> dict[str, Any]:
    reach = {} if preceding is None else {"preceding": preceding}
    return event("rowtime-over", [*COLUMNS, "INT"], rows=rows, aggs=[SUM], **reach)


def tumbling(size: int, offset: int = 0) -> dict[str, Any]:
    return {"type": "tumbling", "size": size, "offset": offset}


def hopping(size: int, slide: int) -> dict[str, Any]:
    return {"type": "hopping", "size": size, "slide": slide}


def cumulative(size: int, step: int) -> dict[str, Any]:
    return {"type": "cumulative", "maxSize": size, "step": step}


def session(gap: int) -> dict[str, Any]:
    return {"gap": gap}


def match(within: int) -> dict[str, Any]:
    return event(
        "match-recognize",
        ["INT"],
        partition=[],
        orderBy=[],
        pattern=[{"min": 1, "max": 1, "greedy": True}],
        defines=[[]],
        conditions=[None],
        measures=[{"kind": "last", "variable": 0, "column": 1, "offset": 0}],
        skip="PAST_LAST_ROW",
        within=within,
    )


def interval_join(lower: int, upper: int) -> dict[str, Any]:
    return event(
        "interval-join",
        [*COLUMNS, *COLUMNS],
        inputTypes=[COLUMNS, COLUMNS],
        joinType="FULL",
        leftKeys=[0],
        rightKeys=[0],
        filterNulls=[True],
        leftTime=2,
        rightTime=2,
        sharedWatermark=True,
        lowerBound=lower,
        upperBound=upper,
    )


def run(harness: Harness, spec: dict[str, Any], times: Sequence[int], **steps: Any) -> list[Answer]:
    """One row per time, all of one key, numbered from 1; then the watermark goes to 0, and to the end."""
    rows = [Change("+I", ("a", at + 1, time), key="a") for at, time in enumerate(times)]
    all_steps = [Step(1, rows), Step(2, [], watermark=0), Step(3, [], watermark=LAST)]
    return harness.run(spec, all_steps, **steps)


def counted(answers: list[Answer]) -> int:
    """The rows in all windows."""
    return sum(change.values[1] for answer in answers for change in answer.out)


TIMES = pytest.mark.parametrize("times", [BEFORE, AROUND, YEARS, ENDS], ids=["before", "around", "years", "ends"])


@pytest.mark.sampled(3)
@TIMES
@pytest.mark.parametrize(
    ("window", "windows_of_a_row"),
    [
        (tumbling(1), 1),
        (tumbling(10, 3), 1),
        (tumbling(DAY), 1),
        (tumbling(DAY, -7_200_000), 1),
        (tumbling(LONGEST), 1),
        (tumbling(LONGEST, LAST), 1),
        (hopping(10, 5), 2),
        (hopping(2 * DAY, DAY), 2),
        (hopping(LONGEST, LONGEST), 1),
        (cumulative(DAY, DAY), 1),
    ],
    ids=str,
)
def test_windows(harness: Harness, times: list[int], window: dict[str, Any], windows_of_a_row: int) -> None:
    answers = run(harness, aggregate(window), times)
    assert counted(answers) == len(times) * windows_of_a_row
    fired = [change.at for answer in answers for change in answer.out]
    assert fired == sorted(fired, key=lambda at: at or 0)
    assert all(change.at is not None and change.at <= 0 for change in answers[1].out)
    assert (answers[-1].keys, answers[-1].timers, answers[-1].state_rows) == (0, 0, 0)


def test_growing_windows(harness: Harness) -> None:
    answers = run(harness, aggregate(cumulative(10, 5)), [-6, -5, -1, 0, 4, 9])
    actual = [(change.values[1], str(change.values[3])) for answer in answers for change in answer.out]
    day = "1969-12-31T23:59:59."
    assert actual == [
        (1, day + "995"),
        (3, "1970-01-01T00:00"),
        (2, "1970-01-01T00:00:00.005"),
        (3, "1970-01-01T00:00:00.010"),
    ]


@TIMES
@pytest.mark.parametrize("gap", [1, DAY, LONGEST])
def test_sessions(harness: Harness, times: list[int], gap: int) -> None:
    answers = run(harness, aggregate(session(gap), "session-aggregate"), times)
    assert counted(answers) == len(times)
    assert (answers[-1].keys, answers[-1].timers) == (0, 0)
    rows = event("session-rows", ["STRING", "INT", *STAMPS, "TIMESTAMP_NTZ"], window=session(gap))
    answers = run(harness, rows, times)
    assert sum(len(answer.out) for answer in answers) == len(times)
    assert (answers[-1].keys, answers[-1].timers) == (0, 0)


@TIMES
@pytest.mark.parametrize(
    "spec",
    [
        event("window-rank", [*COLUMNS, "BIGINT"], windowEnds=[2], orderBy=[{"index": 1}], outputRowNumber=True),
        event("window-deduplicate", windowEnds=[2], orderColumn=1),
        event(
            "window-join",
            [*COLUMNS, *COLUMNS],
            inputTypes=[COLUMNS, COLUMNS],
            windowEnds=[2, 2],
            joinType="LEFT",
            leftKeys=[0],
            rightKeys=[0],
            filterNulls=[True],
        ),
    ],
    ids=["rank", "deduplicate", "join"],
)
def test_rows_that_carry_the_end_of_their_window(harness: Harness, times: list[int], spec: dict[str, Any]) -> None:
    rows = [Change("+I", ("a", 1, time), key=str(time)) for time in times]
    answers = harness.run(spec, [Step(1, rows), Step(2, [], watermark=-1), Step(3, [], watermark=LAST)])
    assert [change.values[2] for change in sorted(answers[1].out, key=lambda c: c.values[2])] == sorted(
        time for time in times if time <= 0
    )
    assert len(answers[1].out) + len(answers[2].out) == len(times)
    assert (answers[-1].keys, answers[-1].timers) == (0, 0)


@TIMES
@pytest.mark.parametrize(("rows", "preceding"), [(False, None), (True, None), (False, DAY), (True, 1), (False, LAST)])
def test_over_windows(harness: Harness, times: list[int], rows: bool, preceding: int | None) -> None:
    # Flink uses 0 as the time of the missing last row, and drops rows up to 1970 from bounded windows.
    answers = run(harness, over(rows, preceding), times)
    assert sorted(change.values[2] for answer in answers for change in answer.out) == sorted(times)
    if preceding in (None, LAST):
        newest = max((change for answer in answers for change in answer.out), key=lambda change: change.values[2])
        assert newest.values[3] == sum(range(1, len(times) + 1))


@TIMES
@pytest.mark.parametrize("reach", [(0, 0), (-DAY, DAY), (-LAST, LAST), (FIRST, LAST), (LAST, LAST), (FIRST, FIRST)])
def test_interval_joins(harness: Harness, times: list[int], reach: tuple[int, int]) -> None:
    # Flink uses 0 as the missing watermark, and joins no rows whose interval ends before 1970.
    lower, upper = reach
    rows = [Change("+I", ("a", at, time), port, "a") for at, time in enumerate(times) for port in (0, 1)]
    answers = harness.run(interval_join(*reach), [Step(1, rows), Step(2, [], watermark=0), Step(3, [], watermark=LAST)])
    out = [change.values for answer in answers for change in answer.out]
    pairs = [(left, right) for left in times for right in times if lower <= left - right <= upper]
    assert sorted((row[2], row[5]) for row in out if None not in row) == sorted(pairs)
    assert answers[-1].timers == 0
    if max(-lower, upper) < LAST:
        lonely = {*times} - {left for left, _ in pairs}
        assert len(out) == len(pairs) + 2 * len(lonely)
        assert answers[-1].keys == 0


@TIMES
def test_temporal_joins(harness: Harness, times: list[int]) -> None:
    spec = event(
        "temporal-join",
        [*COLUMNS, *COLUMNS],
        inputTypes=[COLUMNS, COLUMNS],
        joinType="LEFT",
        leftKeys=[0],
        rightKeys=[0],
        filterNulls=[True],
        leftTime=2,
        rightTime=2,
        sharedWatermark=True,
    )
    rows = [Change("+I", ("a", at, time), port, "a") for at, time in enumerate(times) for port in (1, 0)]
    answers = harness.run(spec, [Step(1, rows), Step(2, [], watermark=0), Step(3, [], watermark=LAST)])
    out = [change.values for answer in answers for change in answer.out]
    assert sorted((row[2], row[5]) for row in out) == sorted((time, time) for time in times)
    assert (answers[-1].state_rows, answers[-1].timers) == (1, 0), "the newest version is kept"


@TIMES
def test_sorts_and_first_rows(harness: Harness, times: list[int]) -> None:
    answers = run(harness, event("rowtime-sort", orderBy=[]), list(reversed(times)))
    assert [change.values[2] for answer in answers for change in answer.out] == sorted(times)
    assert answers[-1].timers == 0
    first = event("keep-first-in-order", rowtime=2, ttl=[LAST])
    answers = run(harness, first, list(reversed(times)))
    assert [change.values[2] for answer in answers for change in answer.out] == [min(times)]
    assert answers[-1].timers == 0


@TIMES
@pytest.mark.parametrize("within", [1, DAY, LAST])
def test_matches(harness: Harness, times: list[int], within: int) -> None:
    answers = run(harness, match(within), times)
    assert sorted(change.values[0] for answer in answers for change in answer.out) == [*range(1, len(times) + 1)]
    assert (answers[-1].keys, answers[-1].timers) == (0, 0)


def test_changes_before_a_sink(harness: Harness) -> None:
    compact = event("sink-compactor", conflict="NOTHING", primaryKey=[0], keyNames=["name"], table="t", ttl=[0])
    rows = [Change("+I", ("a", at, 0), key="a", watermark=w) for at, w in enumerate([None, -2, -1, 0, 1, LAST - 1])]
    answers = harness.run(compact, [Step(1, rows), Step(2, [], watermark=0), Step(3, [], watermark=LAST)])
    assert short(change for answer in answers for change in answer.out) == ["+I(a, 0, 0)"]
    assert answers[-1].timers == 0


@pytest.mark.parametrize("now", [-DAY, -1, 0, 1, FURTHEST])
@pytest.mark.parametrize("ttl", [0, 1, LAST])
def test_state_expires_by_a_clock_at_any_time(harness: Harness, now: int, ttl: int) -> None:
    spec = {
        "uid": "it",
        "type": "deduplicate",
        "inputTypes": [["STRING"]],
        "outputTypes": ["STRING"],
        "keepLast": False,
        "ttl": [ttl],
    }
    row = [Change("+I", ("a",), key="a")]
    answers = harness.run(spec, [Step(now, row), Step(now, row), Step(now + 1, []), Step(now + 1, row)])
    expires = ttl == 1
    assert [len(answer.out) for answer in answers] == [1, 0, 0, 1 if expires else 0]
    assert answers[1].timers == (1 if ttl == 1 or (ttl == LAST and now <= 0) else 0), "none where it never expires"
    assert answers[2].keys == (0 if expires else 1)


@pytest.mark.parametrize("now", [-DAY, -1, 0, 1])
def test_windows_by_a_clock_at_any_time(harness: Harness, now: int) -> None:
    spec = {**aggregate(tumbling(10)), "timeDomain": "processing", "time": None}
    row = [Change("+I", ("a", 1, 0), key="a")]
    answers = harness.run(spec, [Step(now, row), Step(now + 10, []), Step(now + 20, [])])
    assert counted(answers) == 1
    assert answers[-1].timers == 0


@pytest.mark.parametrize("time", [FIRST, -FURTHEST - 1, FURTHEST + 1, LAST])
def test_a_time_that_no_timestamp_holds_is_refused(harness: Harness, time: int) -> None:
    for spec in (aggregate(tumbling(DAY)), over(False, DAY), event("rowtime-sort", orderBy=[])):
        with pytest.raises(OperatorError, match=f"{time} ms from 1970, is out of range"):
            run(harness, spec, [time])


@pytest.mark.parametrize("window", [tumbling(LONGEST + 1), hopping(DAY, LAST), cumulative(LAST, DAY), tumbling(0)])
def test_a_window_that_no_time_ends_is_refused(harness: Harness, window: dict[str, Any]) -> None:
    with pytest.raises(OperatorError, match="has windows"):
        run(harness, aggregate(window), [0])


def test_a_timer_at_the_first_of_all_times_is_one(harness: Harness) -> None:
    spec = {"uid": "it", "type": "deduplicate", "inputTypes": [["STRING"]], "outputTypes": ["STRING"], "ttl": [1]}
    state = b"\x01" + struct.pack(">q", -1) + b"\x00"
    timer = struct.pack(">q", 0) + b"\x03"
    (answer,) = harness.run({**spec, "keepLast": False}, [Step(0, [])], {"a": state + timer})
    assert (answer.keys, answer.timers) == (0, 0)
