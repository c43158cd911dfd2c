"""Aggregates in windows that continue Flink's state: slices, windows, sessions, and rows of sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import pytest

from tests.support.kernel.harness import Answer, Change, Harness, OperatorError, Savepoint, Step

TUMBLE = {"type": "tumbling", "size": 10, "offset": 3}
HOP = {"type": "hopping", "size": 10, "slide": 5, "offset": 0}
CUMULATE = {"type": "cumulative", "maxSize": 15, "step": 5, "offset": 0}
#: Windows of GROUP BY whose panes are shorter than their slide.
PANED = {"type": "hopping", "size": 9, "slide": 6, "offset": 0}
_EVENT_TIMERS = "_timer_state/event_window-timers"


def spec(window: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "uid": "window",
        "type": "window-aggregate",
        "timeDomain": "event",
        "inputTypes": [["STRING", "INT", "BIGINT"]],
        "outputTypes": ["STRING", "BIGINT", "INT", "TIMESTAMP_NTZ", "TIMESTAMP_NTZ"],
        "ports": [{"key": [0]}],
        "grouping": [0],
        "aggs": [{"function": "$COUNT$1", "args": []}, {"function": "$SUM$1", "args": [1]}],
        "properties": ["start", "end"],
        "window": window,
        "time": 2,
        **fields,
    }


def content(namespace: Any, value: Any) -> dict[str, Any]:
    return {"state": "window-aggs", "key": ["k"], "ns": namespace, "value": value}


def timer(namespace: Any, time: int, state: str = _EVENT_TIMERS) -> dict[str, Any]:
    return {"state": state, "key": ["k"], "ns": namespace, "timer": time}


def outputs(answers: Sequence[Answer]) -> list[tuple[int, int, int, int]]:
    """Counts and sums with start and end in ms."""
    rows = [change.values for answer in answers for change in answer.out]
    return [(row[1], row[2], millis(row[3]), millis(row[4])) for row in rows]


def millis(text: str) -> int:
    return datetime.fromisoformat(text).microsecond // 1000


def continued(
    harness: Harness,
    described: dict[str, Any],
    entries: Sequence[dict[str, Any]],
    watermark: int,
    rows: Mapping[int, int],
    facts: Mapping[str, Any] | None = None,
) -> list[tuple[int, int, int, int]]:
    """The windows that fire up to 90 ms after rows with these numbers at these times."""
    changes = [Change("+I", ("k", number, time), key="k", watermark=watermark) for time, number in rows.items()]
    savepoint = Savepoint(entries, watermark=watermark, facts=facts)
    steps = [Step(1000, changes, watermark=watermark), Step(1000, [], watermark=90)]
    return outputs(harness.run(described, steps, savepoint=savepoint))


@pytest.mark.parametrize("group_by", [False, True])
def test_a_tumbling_window_goes_on(harness: Harness, group_by: bool) -> None:
    namespace = [13, 23] if group_by else 23
    entries = [timer(namespace, 22), content(namespace, [2, 7])]
    assert continued(harness, spec(TUMBLE), entries, 15, {16: 1, 23: 5}) == [(3, 8, 13, 23), (1, 5, 23, 33)]


def test_slices_belong_to_the_windows_that_have_not_fired(harness: Harness) -> None:
    # The window up to 10 has fired: its second slice belongs to the next window only.
    entries = [timer(15, 14), content(10, [2, 7]), content(15, [1, 1])]
    windows = continued(harness, spec(HOP), entries, 11, {12: 4}, {"countsRows": True})
    assert windows == [(4, 12, 5, 15), (2, 5, 10, 20)]


def test_a_hidden_count_tells_the_rows_of_a_slice(harness: Harness) -> None:
    described = spec(HOP, aggs=[{"function": "$SUM$1", "args": [1]}, {"function": "$SUM$1", "args": [1]}])
    described["outputTypes"][1] = "INT"
    entries = [timer(15, 14), content(15, [3, 3, 2])]
    windows = continued(harness, described, entries, 11, {}, {"countsRows": True})
    assert windows == [(3, 3, 5, 15), (3, 3, 10, 20)]


def test_fired_slices_of_a_cumulating_window_are_in_its_first_one(harness: Harness) -> None:
    entries = [timer(15, 14), content(5, [2, 7]), content(15, [1, 1])]
    assert continued(harness, spec(CUMULATE), entries, 11, {12: 4}) == [(4, 12, 0, 15)]


def test_a_cumulating_window_that_has_not_fired(harness: Harness) -> None:
    entries = [timer(5, 4), timer(10, 9), content(5, [2, 7]), content(10, [1, 1])]
    windows = continued(harness, spec(CUMULATE), entries, 3, {})
    assert windows == [(2, 7, 0, 5), (3, 8, 0, 10), (3, 8, 0, 15)]


def test_panes_of_windows_in_group_by(harness: Harness) -> None:
    # Panes of 3 ms; the window from 6 to 15 has fired, so that (12, 15) is left in the one from 12 to 21.
    entries = [timer([12, 21], 20), content([12, 15], [2, 7]), content([15, 18], [1, 1])]
    assert continued(harness, spec(PANED), entries, 16, {}) == [(3, 8, 12, 21)]


def test_slices_without_a_pending_window_are_dropped(harness: Harness) -> None:
    assert continued(harness, spec(HOP), [content(10, [0, None])], 40, {}, {"countsRows": True}) == []


def test_a_slice_of_other_windows_is_refused(harness: Harness) -> None:
    with pytest.raises(OperatorError, match="a slice ends at 20 ms on the clock of its windows, and none"):
        continued(harness, spec(TUMBLE), [timer(20, 19), content(20, [1, 1])], 0, {})


def test_attached_windows_get_their_starts_from_the_plan(harness: Harness) -> None:
    described = spec(
        {"type": "attached"},
        inputTypes=[["STRING", "INT", "BIGINT", "BIGINT"]],
        time=None,
        windowStart=2,
        windowEnd=3,
    )
    facts = {"countsRows": True, "window": HOP}
    savepoint = Savepoint([timer(15, 14), content(15, [2, 7])], watermark=11, facts=facts)
    row = Change("+I", ("k", 1, 5, 15), key="k", watermark=11)
    steps = [Step(1000, [row], watermark=11), Step(1000, [], watermark=90)]
    assert outputs(harness.run(described, steps, savepoint=savepoint)) == [(3, 8, 5, 15)]


def test_distinct_values_of_each_slice(harness: Harness) -> None:
    aggs = [{"function": "$COUNT$1", "args": [1], "distinct": True}, {"function": "$SUM$1", "args": [1]}]
    values = [
        {"state": "distinctAcc_0", "key": ["k"], "ns": slice_, "uk": value, "value": count}
        for slice_, value, count in ((10, 7, 2), (15, 7, 1), (15, 8, 1))
    ]
    entries = [timer(15, 14), content(10, [1, 14, 2, None]), content(15, [2, 15, 2, None]), *values]
    windows = continued(harness, spec(HOP, aggs=aggs), entries, 11, {12: 8}, {"countsRows": True})
    assert windows == [(2, 37, 5, 15), (2, 23, 10, 20)]


def test_windows_by_processing_time(harness: Harness) -> None:
    described = spec(HOP, timeDomain="processing", time=None)
    entries = [timer(15, 15, "_timer_state/processing_window-timers"), content(10, [2, 7]), content(15, [1, 1])]
    savepoint = Savepoint(entries, time=11, facts={"countsRows": True})
    answers = harness.run(described, [Step(12, [Change("+I", ("k", 4, 0), key="k")]), Step(90, [])], None, savepoint)
    assert outputs(answers) == [(4, 12, 5, 15), (2, 5, 10, 20)]


def session(type_: str = "session-aggregate", **fields: Any) -> dict[str, Any]:
    return spec({"gap": 5}, type=type_, **fields)


def mapping(window: list[int], state: list[int]) -> dict[str, Any]:
    return {"state": "session-window-mapping", "key": ["k"], "uk": window, "value": state}


def test_a_session_is_that_of_its_present_window(harness: Harness) -> None:
    entries = [timer([10, 19], 18), mapping([10, 19], [12, 17]), content([12, 17], [2, 7])]
    assert continued(harness, session(), entries, 11, {18: 1, 40: 5}) == [(3, 8, 10, 23), (1, 5, 40, 45)]


def test_a_session_without_content_is_refused(harness: Harness) -> None:
    with pytest.raises(OperatorError, match=r"has the window \[10,19\], which has no content"):
        continued(harness, session(), [mapping([10, 19], [12, 17])], 11, {})


def test_rows_of_a_session_stay_in_order(harness: Harness) -> None:
    described = session(
        "session-rows", outputTypes=["STRING", "INT", "TIMESTAMP_NTZ", "TIMESTAMP_NTZ", "TIMESTAMP_NTZ"]
    )
    del described["properties"], described["aggs"], described["grouping"]
    rows = [
        {"state": "session-window-tvf-acc", "key": ["k"], "ns": [12, 17], "uk": at, "value": ["k", number]}
        for at, number in ((10, 2), (9, 1))
    ]
    savepoint = Savepoint([mapping([10, 19], [12, 17]), *rows], watermark=11)
    steps = [
        Step(1000, [Change("+I", ("k", 3, 18), key="k", watermark=11)], watermark=11),
        Step(1000, [], watermark=90),
    ]
    answers = harness.run(described, steps, savepoint=savepoint)
    assert [change.values[1] for answer in answers for change in answer.out] == [1, 2, 3]
    assert {millis(change.values[2]) for answer in answers for change in answer.out} == {10}
