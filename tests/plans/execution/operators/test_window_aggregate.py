"""Aligned windows against a model that computes each window from the rows that arrived before it was complete."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.kernel.arrivals import arrivals, in_order, watermark
from tests.support.kernel.harness import Change, Harness, OperatorError, Step, short

COUNT = {"function": "$COUNT$1", "args": []}
SUM = {"function": "$SUM$1", "args": [1]}
TEXTS = {"function": "$LISTAGG$1", "args": [3]}


def spec(window: dict[str, Any], aggs: list[dict[str, Any]], output: list[str], **fields: Any) -> dict[str, Any]:
    return {
        "uid": "window",
        "type": "window-aggregate",
        "timeDomain": "event",
        "inputTypes": [["STRING", "INT", "BIGINT"]],
        "outputTypes": ["STRING", *output, "TIMESTAMP_NTZ", "TIMESTAMP_NTZ"],
        "grouping": [0],
        "aggs": aggs,
        "properties": ["start", "end"],
        "window": window,
        "time": 2,
        **fields,
    }


TUMBLE = {"type": "tumbling", "size": 10, "offset": 3}
HOP = {"type": "hopping", "size": 10, "slide": 3, "offset": 1}
GAPS = {"type": "hopping", "size": 3, "slide": 7, "offset": 0}
CUMULATE = {"type": "cumulative", "maxSize": 12, "step": 4, "offset": 2}
ALL = (TUMBLE, HOP, GAPS, CUMULATE)


def ends(window: dict[str, Any], time: int) -> Iterator[tuple[int, int]]:
    """All windows of a time, by trial."""
    slide = window.get("slide") or window.get("step") or window["size"]
    size = window.get("size") or window["maxSize"]
    step = window.get("step") or size
    for start in range(time - size - slide, time + 1):
        if (start - window["offset"]) % (size if window["type"] == "cumulative" else slide) == 0:
            for end in range(start + step, start + size + 1, step):
                if start <= time < end:
                    yield start, end


def stamp(ms: int) -> str:
    """A time as the harness writes it."""
    from datetime import datetime, timedelta

    text = (datetime(1970, 1, 1) + timedelta(milliseconds=ms)).isoformat(timespec="milliseconds")
    return text.removesuffix(".000").removesuffix(":00") if text.endswith("00.000") else text.removesuffix(".000")


def expected(window: dict[str, Any], rows: list[Change], retracting: bool) -> Counter[tuple[Any, ...]]:
    panes: dict[tuple[str, int, int], list[tuple[int, int | None]]] = {}
    for row in rows:
        key, value, time = row.values
        for start, end in ends(window, time):
            if end - 1 > watermark(row):
                panes.setdefault((key, start, end), []).append((1 if row.adds else -1, value))
    result: Counter[tuple[Any, ...]] = Counter()
    for (key, start, end), values in panes.items():
        count = sum(sign for sign, _ in values)
        known = [sign * value for sign, value in values if value is not None]
        present = sum(sign for sign, value in values if value is not None)
        if not (retracting and count == 0):
            result[(key, count, sum(known) if present else None, stamp(start), stamp(end))] += 1
    return result


ROWS = st.tuples(st.sampled_from("ab"), st.none() | st.integers(-3, 3), st.integers(-5, 40))


@given(
    arrivals(ROWS, time=lambda row: int(row[2]), key=lambda row: str(row[0])),
    st.sampled_from(ALL),
)
def test_each_window_fires_once_with_the_rows_that_were_in_time(
    harness: Harness, steps: list[Step], window: dict[str, Any]
) -> None:
    answers = harness.run(spec(window, [COUNT, SUM], ["BIGINT", "INT"]), steps)
    out = [change for answer in answers for change in answer.out]
    assert Counter(change.values for change in out) == expected(window, in_order(steps), False)
    assert {change.kind for change in out} <= {"+I"}
    assert (answers[-1].keys, answers[-1].state_rows, answers[-1].timers) == (0, 0, 0)


@given(
    arrivals(ROWS, time=lambda row: int(row[2]), key=lambda row: str(row[0]), retracting=True),
    st.sampled_from(ALL),
)
def test_retracted_rows_leave_their_windows(harness: Harness, steps: list[Step], window: dict[str, Any]) -> None:
    # The retraction of a row that was in time when it arrived, and is late now, leaves the window unchanged.
    answers = harness.run(spec(window, [COUNT, SUM], ["BIGINT", "INT"], needRetraction=True), steps)
    out = Counter(change.values for answer in answers for change in answer.out)
    assert out == expected(window, in_order(steps), True)
    assert (answers[-1].keys, answers[-1].state_rows) == (0, 0)


def rows(*values: tuple[Any, ...], at: int = -1000) -> list[Change]:
    return [Change("+I", row, key=row[0], watermark=at) for row in values]


def test_a_window_fires_when_the_watermark_has_its_last_millisecond(harness: Harness) -> None:
    steps = [Step(0, rows(("a", 1, 0), ("a", 2, 12))), Step(1, [], watermark=11), Step(2, [], watermark=12)]
    first, before, after = harness.run(spec(TUMBLE, [SUM], ["INT"]), steps)
    assert (short(first.out), short(before.out)) == ([], ["+I(a, 1, 1969-12-31T23:59:59.993, 1970-01-01T00:00:00.003)"])
    assert [change.at for change in after.out] == [12]
    assert short(after.out) == ["+I(a, 2, 1970-01-01T00:00:00.003, 1970-01-01T00:00:00.013)"]


def test_windows_fire_in_the_order_of_their_ends(harness: Harness) -> None:
    steps = [Step(0, rows(("a", 1, 30), ("a", 2, 5), ("a", 3, 7))), Step(1, [], watermark=1000)]
    answers = harness.run(spec(HOP, [COUNT], ["BIGINT"]), steps)
    times = [change.at for change in answers[1].out]
    assert len(times) == 7
    assert times == sorted(times, key=lambda time: time or 0)


@pytest.mark.parametrize(("newest_first", "text"), [(True, "c,a,b"), (False, "a,b,c")])
def test_texts_of_slices_join_in_the_order_of_the_slices(harness: Harness, newest_first: bool, text: str) -> None:
    texts = spec(
        {"type": "hopping", "size": 10, "slide": 5, "offset": 0},
        [TEXTS],
        ["STRING"],
        inputTypes=[["STRING", "INT", "BIGINT", "STRING"]],
        newestFirst=newest_first,
    )
    given_rows = rows(("k", 1, 1, "a"), ("k", 1, 6, "c"), ("k", 1, 2, "b"))
    answers = harness.run(texts, [Step(0, given_rows, watermark=0), Step(1, [], watermark=9)])
    assert [change.values[1] for change in answers[1].out] == ["a,b", text]


def test_a_late_text_goes_to_its_slice(harness: Harness) -> None:
    texts = spec(
        {"type": "hopping", "size": 10, "slide": 4, "offset": 0},
        [TEXTS],
        ["STRING"],
        inputTypes=[["STRING", "INT", "BIGINT", "STRING"]],
    )
    # Both are only in the windows that end at 14 and 18: the first for its time, the second for being late.
    given_rows = [*rows(("k", 1, 10, "b")), *rows(("k", 1, 8, "a"), at=9)]
    answers = harness.run(texts, [Step(0, given_rows), Step(1, [], watermark=100)])
    assert [change.values[1] for change in answers[1].out] == ["a,b", "a,b"]


def test_state_survives_a_restart(harness: Harness) -> None:
    hop = spec(HOP, [COUNT, SUM], ["BIGINT", "INT"])
    steps = [Step(0, rows(("a", 1, 0))), Step(1, rows(("a", 2, 1)), hop), Step(2, [], hop, watermark=1000)]
    answers = harness.run(hop, steps)
    assert [change.values[1:3] for change in answers[2].out] == [(2, 3), (2, 3), (2, 3), (1, 2)]


def test_a_row_without_a_time_fails_or_is_dropped(harness: Harness) -> None:
    steps = [Step(0, rows(("a", 1, None))), Step(1, [], watermark=1000)]
    with pytest.raises(OperatorError, match="without a time"):
        harness.run(spec(TUMBLE, [COUNT], ["BIGINT"]), steps)
    answers = harness.run(spec(TUMBLE, [COUNT], ["BIGINT"], dropNullTimes=True), steps)
    assert (answers[0].late, answers[1].out) == (0, [])


def test_windows_of_processing_time_are_by_the_clock_of_the_zone(harness: Harness) -> None:
    proctime = spec(
        {"type": "tumbling", "size": 3_600_000, "offset": 0},
        [COUNT],
        ["BIGINT"],
        timeDomain="processing",
        zone="Asia/Kolkata",
        time=None,
    )
    # 05:30 in the zone at 0.
    steps = [Step(0, rows(("a", 1, None))), Step(1_799_999, rows(("a", 1, None))), Step(1_800_000, [])]
    answers = harness.run(proctime, steps)
    assert [len(answer.out) for answer in answers] == [0, 0, 1]
    assert short(answers[2].out) == ["+I(a, 2, 1970-01-01T05:00, 1970-01-01T06:00)"]


@pytest.mark.parametrize(
    ("day", "hour", "fires"),
    [
        # 01:00 to 02:00 occurs twice on the day on which the clock is set back, then 09:59:59.999 UTC is its last.
        ("2021-11-07", 1, "2021-11-07T09:59:59.999"),
        ("2021-11-07", 0, "2021-11-07T07:59:59.999"),
        # 01:59:59.999 is followed by 03:00.
        ("2022-03-13", 1, "2022-03-13T09:59:59.999"),
        ("2022-03-13", 3, "2022-03-13T10:59:59.999"),
    ],
)
def test_windows_fire_by_the_clock_of_the_zone(harness: Harness, day: str, hour: int, fires: str) -> None:
    from datetime import UTC, datetime

    local = int(datetime.fromisoformat(f"{day}T{hour:02}:30:00").replace(tzinfo=UTC).timestamp() * 1000)
    due = round(datetime.fromisoformat(fires).replace(tzinfo=UTC).timestamp() * 1000)
    hourly = spec({"type": "tumbling", "size": 3_600_000, "offset": 0}, [COUNT], ["BIGINT"], zone="America/Los_Angeles")
    steps = [Step(0, rows(("a", 1, local))), Step(1, [], watermark=due - 1), Step(2, [], watermark=due)]
    answers = harness.run(hourly, steps)
    assert [len(answer.out) for answer in answers] == [0, 0, 1]


def test_rows_that_carry_their_window(harness: Harness) -> None:
    attached = spec(
        {"type": "attached"},
        [SUM],
        ["INT"],
        inputTypes=[["STRING", "INT", "BIGINT", "BIGINT"]],
        windowStart=2,
        windowEnd=3,
        time=None,
    )
    in_time, late = rows(("a", 1, 0, 10), ("a", 2, 0, 10), at=8), rows(("a", 4, 0, 10), at=9)
    answers = harness.run(attached, [Step(0, [*in_time, *late]), Step(1, [], watermark=9)])
    assert [answer.late for answer in answers] == [1, 0]
    assert short(answers[1].out) == ["+I(a, 3, 1970-01-01T00:00, 1970-01-01T00:00:00.010)"]


@given(st.lists(st.sampled_from("ab"), max_size=30), st.integers(1, 4), st.integers(1, 4), st.integers(1, 5))
def test_windows_of_a_number_of_rows(harness: Harness, keys: list[str], size: int, slide: int, batch: int) -> None:
    count = {
        "uid": "count",
        "type": "count-window-aggregate",
        "inputTypes": [["STRING", "INT"]],
        "outputTypes": ["STRING", "BIGINT", "INT", "INT"],
        "grouping": [0],
        "aggs": [COUNT, {"function": "$MIN$1", "args": [1]}, {"function": "$MAX$1", "args": [1]}],
        "window": {"size": size, "slide": slide},
    }
    numbered = [(key, keys[:at].count(key)) for at, key in enumerate(keys)]
    changes = [Change("+I", row, key=row[0]) for row in numbered]
    steps = [Step(at, changes[at : at + batch]) for at in range(0, len(changes), batch)]
    out = Counter(change.values for answer in harness.run(count, steps) for change in answer.out)
    assert out == Counter(
        (key, size, start, start + size - 1) for key in "ab" for start in range(0, keys.count(key) - size + 1, slide)
    )
