"""OVER windows that continue Flink's state."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.kernel.harness import Change, Harness, OperatorError, Savepoint, Step, short

TYPES = ["STRING", "INT", "TIMESTAMP_NTZ"]
SUM = {"function": "$SUM$1", "args": [1]}


def over(kind: str = "rowtime-over", aggs: tuple[dict[str, Any], ...] = (SUM,), **fields: Any) -> dict[str, Any]:
    spec = {
        "uid": "over",
        "type": kind,
        "inputTypes": [TYPES],
        "outputTypes": [*TYPES, *["INT" for _ in aggs]],
        "ports": [{"key": [0]}],
        "aggs": aggs,
        **fields,
    }
    if kind == "rowtime-over":
        spec |= {"timeDomain": "event", "time": 2}
    return spec


def shown(time: int) -> str:
    return "1970-01-01T00:00" if time == 0 else f"1970-01-01T00:00:00.{time:03}"


def row(value: int, time: int) -> list[Any]:
    return ["a", value, [time, 0]]


def change(value: int, time: int, kind: str = "+I", watermark: int | None = None) -> Change:
    return Change(kind, ("a", value, shown(time)), key="a", watermark=watermark)


def entry(state: str, value: Any, **more: Any) -> dict[str, Any]:
    return {"state": state, "key": ["a"], "value": value, **more}


def timer(time: int, domain: str = "event") -> dict[str, Any]:
    return {"state": f"_timer_state/{domain}_user-timers", "key": ["a"], "timer": time}


def out(value: int, time: int, result: int | None) -> str:
    return f"+I(a, {value}, {shown(time)}, {'null' if result is None else result})"


def test_an_unbounded_window_by_rowtime_goes_on_from_its_sum(harness: Harness) -> None:
    entries = [
        entry("accState", [10]),
        entry("inputState", [row(3, 8)], uk=8),
        entry("inputState", [row(1, 6), row(2, 6)], uk=6),
        timer(6),
        timer(8),
    ]
    steps = [Step(0, [change(9, 5, watermark=5)], watermark=5), Step(1, [], watermark=8)]
    answers = harness.run(over(rows=True), steps, savepoint=Savepoint(entries, watermark=5))
    assert answers[0].late == 1
    assert short(answers[1].out) == [out(1, 6, 11), out(2, 6, 13), out(3, 8, 16)]


BOUNDED = [
    entry("accState", [5, 2]),
    entry("inputState", [row(3, 4)], uk=4),
    entry("inputState", [row(2, 2)], uk=2),
    entry("inputState", [row(7, 6)], uk=6),
    entry("lastTriggeringTsState", 4),
]


def test_a_window_of_rows_by_rowtime_has_rows_up_to_the_last_that_was_processed(harness: Harness) -> None:
    entries = [*BOUNDED, entry("processedCountState", 2), timer(6)]
    rows = [change(9, 4, watermark=5), change(1, 5, watermark=5)]
    steps = [Step(0, rows, watermark=5), Step(1, [], watermark=6)]
    answers = harness.run(over(rows=True, preceding=1), steps, savepoint=Savepoint(entries, watermark=5))
    assert answers[0].late == 1
    assert short([*answers[0].out, *answers[1].out]) == [out(1, 5, 4), out(7, 6, 8)]


def test_another_number_of_rows_is_refused(harness: Harness) -> None:
    with pytest.raises(OperatorError, match="the window has 2 rows, and state processedCountState says 3"):
        savepoint = Savepoint([*BOUNDED, entry("processedCountState", 3)])
        harness.run(over(rows=True, preceding=1), [], savepoint=savepoint)


def test_a_window_of_time_by_rowtime_loses_rows_and_forgets_idle_keys(harness: Harness) -> None:
    # The last cleanup timer is at 3 + 2 + 2 / 2 + 1, an earlier one at 6.
    entries = [*BOUNDED[:3], entry("lastTriggeringTsState", 4), entry("cleanupTsState", 8), timer(6), timer(8)]
    steps = [Step(0, [change(1, 5)], watermark=5), Step(1, [change(4, 9)], watermark=9), Step(2, [], watermark=20)]
    answers = harness.run(over(preceding=2), steps, savepoint=Savepoint(entries, watermark=4))
    assert [short(answer.out) for answer in answers] == [[out(1, 5, 4)], [out(4, 9, 4)], []]
    assert answers[2].keys == 0


def test_a_row_behind_a_cleanup_timer_is_late(harness: Harness) -> None:
    entries = [*BOUNDED[:3], entry("lastTriggeringTsState", 4), entry("cleanupTsState", 8), timer(6), timer(8)]
    late = [change(1, 6, watermark=7), change(1, 7, watermark=7)]
    answers = harness.run(over(preceding=2), [Step(0, late, watermark=7)], savepoint=Savepoint(entries, watermark=4))
    assert answers[0].late == 1


def test_an_unbounded_window_in_the_order_of_arrival_expires_after_its_last_row(harness: Harness) -> None:
    savepoint = Savepoint([entry("accState", [10], written=100)], time=200)
    for time, result in ((1099, 12), (1100, 2)):
        answers = harness.run(over("proctime-over", ttl=[1000]), [Step(time, [change(2, 0)])], savepoint=savepoint)
        assert short(answers[0].out) == [out(2, 0, result)]


def test_a_window_of_rows_in_the_order_of_arrival(harness: Harness) -> None:
    entries = [
        entry("accState", [5, 2]),
        entry("inputState", [row(3, 0)], uk=40),
        entry("inputState", [row(2, 0)], uk=20),
        entry("processedCountState", 2),
        entry("smallestTSState", 20),
    ]
    spec = over("proctime-over", rows=True, preceding=1)
    answers = harness.run(spec, [Step(100, [change(1, 0), change(1, 0)])], savepoint=Savepoint(entries, time=50))
    assert short(answers[0].out) == [out(1, 0, 4), out(1, 0, 2)]


def test_a_window_of_time_in_the_order_of_arrival(harness: Harness) -> None:
    entries = [
        entry("inputState", [row(3, 0)], uk=40),
        entry("inputState", [row(2, 0)], uk=20),
        entry("cleanupTsState", 200),
        timer(200, "processing"),
    ]
    spec = over("proctime-over", preceding=70)
    steps = [Step(100, [change(1, 0)]), Step(1000, [])]
    answers = harness.run(spec, steps, savepoint=Savepoint(entries, time=50))
    assert short(answers[0].out) == [out(1, 0, 4)]
    assert answers[1].keys == 0


def test_rows_that_wait_for_the_end_of_their_millisecond_are_refused(harness: Harness) -> None:
    entries = [entry("inputState", [row(3, 0)], uk=40), timer(41, "processing")]
    with pytest.raises(OperatorError, match="take a savepoint when no rows arrive"):
        harness.run(over("proctime-over", preceding=70), [], savepoint=Savepoint(entries))


@pytest.mark.parametrize(("rows", "result"), [(True, 2), (False, 5)])
def test_a_window_by_columns_knows_what_it_emitted(harness: Harness, rows: bool, result: int) -> None:
    entries = [
        entry("idState", 4),
        entry("sortedListState", [[[1], [3, 1]], [[2], [2]]]),
        *(entry("valueMapState", ["a", 2 if at == 3 else 3, [1 if at != 2 else 2, 0]], uk=at) for at in (1, 2, 3)),
        entry("accMapState", [5], uk=[1]),
    ]
    order = [{"index": 2, "ascending": True}]
    steps = [Step(0, [change(2, 1, "-D"), change(7, 9)])]
    (answer,) = harness.run(over("column-over", rows=rows, orderBy=order), steps, savepoint=Savepoint(entries))
    assert short(answer.out) == [
        f"-D(a, 2, {shown(1)}, {result})",
        f"-U(a, 3, {shown(1)}, 5)",
        f"+U(a, 3, {shown(1)}, 3)",
        f"-U(a, 3, {shown(2)}, 8)",
        f"+U(a, 3, {shown(2)}, 6)",
        out(7, 9, 13),
    ]


def test_lag_knows_the_last_values(harness: Harness) -> None:
    lag = {"function": "$LAG$1", "args": [1]}
    steps = [Step(0, [change(9, 6)], watermark=0), Step(1, [], watermark=6)]
    savepoint = Savepoint([entry("accState", [[1, None, [7]]])])
    answers = harness.run(over(aggs=(lag,), rows=True), steps, savepoint=savepoint)
    assert short(answers[1].out) == [out(9, 6, 7)]
