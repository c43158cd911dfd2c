"""Temporal sorts, and the first row by time that waits for the watermark, against Flink's functions row by row."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.support.kernel.arrivals import arrivals, in_order
from tests.support.kernel.flink_timers import TimedFunction
from tests.support.kernel.harness import Change, Harness, Step, Values, short

COLUMNS = ["STRING", "INT", "BIGINT"]
SORT = {
    "uid": "sort",
    "type": "rowtime-sort",
    "timeDomain": "event",
    "inputTypes": [COLUMNS],
    "outputTypes": COLUMNS,
    "time": 2,
    "orderBy": [{"index": 1, "ascending": False}],
}
FIRST = {
    "uid": "first",
    "type": "keep-first-in-order",
    "timeDomain": "event",
    "inputTypes": [COLUMNS],
    "outputTypes": COLUMNS,
    "rowtime": 2,
    "ttl": [0],
}


class Sort(TimedFunction):
    """RowTimeSortOperator."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: dict[int, list[Values]] = defaultdict(list)
        self.last = -(10**9)

    def process(self, row: Change) -> None:
        time = row.values[2]
        if time > self.last:
            self.waiting[time].append(row.values)
            self.register("", time)

    def fire(self, key: str, time: int) -> None:
        for values in sorted(self.waiting.pop(time), key=lambda row: -int(row[1])):
            self.emit(key, *values)
        self.last = time


class First(TimedFunction):
    """RowTimeDeduplicateKeepFirstRowFunction."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: dict[str, Values] = {}
        self.emitted: set[str] = set()

    def process(self, row: Change) -> None:
        key, time = row.key, row.values[2]
        if time < self.watermark or key in self.emitted:
            return
        if key not in self.waiting or time < self.waiting[key][2]:
            self.waiting[key] = row.values
            self.register(key, time)

    def fire(self, key: str, time: int) -> None:
        if key in self.waiting and self.waiting[key][2] == time:
            self.emit(key, *self.waiting.pop(key))
            self.emitted.add(key)


ROWS = st.tuples(st.sampled_from("ab"), st.integers(0, 3), st.integers(-5, 40))


@given(arrivals(ROWS, time=lambda row: int(row[2]), key=lambda row: ""))
def test_rows_come_in_the_order_of_their_time(harness: Harness, steps: list[Step]) -> None:
    answers = harness.run(SORT, steps)
    out = [change.values for answer in answers for change in answer.out]
    assert out == [values for _, values in Sort().run(in_order(steps))]
    assert answers[-1].timers == 0


@given(arrivals(ROWS, time=lambda row: int(row[2]), key=lambda row: str(row[0])))
def test_the_first_row_by_time_is_given_out_once_it_is_known(harness: Harness, steps: list[Step]) -> None:
    answers = harness.run(FIRST, steps)
    out = sorted(change.values for answer in answers for change in answer.out)
    assert out == sorted(values for _, values in First().run(in_order(steps)))
    assert answers[-1].timers == 0


def rows(*values: tuple[Any, ...], at: int = -1000) -> list[Change]:
    return [Change("+I", row, watermark=at) for row in values]


def test_the_first_row_comes_with_the_watermark(harness: Harness) -> None:
    steps = [
        Step(0, rows(("a", 1, 7))),
        Step(1, rows(("a", 2, 5), ("a", 3, 6), ("a", 4, 5), at=4), watermark=4),
        Step(2, rows(("a", 5, 1), at=5), watermark=5),
        Step(3, rows(("a", 6, 9), at=5), watermark=50),
    ]
    answers = harness.run(FIRST, steps)
    assert [short(answer.out) for answer in answers] == [[], [], ["+I(a, 2, 5)"], []]
    assert [answer.late for answer in answers] == [0, 0, 1, 0]
    assert answers[2].out[0].at == 5
    assert answers[3].state_rows == 1


def test_a_first_row_expires(harness: Harness) -> None:
    steps = [
        Step(0, rows(("a", 1, 5)), watermark=5),
        Step(999, rows(("a", 2, 6)), watermark=8),
        Step(1000, rows(("a", 3, 9)), watermark=9),
    ]
    answers = harness.run({**FIRST, "ttl": [1000]}, steps)
    assert [short(answer.out) for answer in answers] == [["+I(a, 1, 5)"], [], ["+I(a, 3, 9)"]]


def test_processing_time_sorts_a_batch(harness: Harness) -> None:
    sort = {name: value for name, value in SORT.items() if name not in ("time", "timeDomain")} | {
        "type": "proctime-sort"
    }
    answers = harness.run(sort, [Step(0, rows(("a", 1, 9), ("b", 3, 1), ("c", 2, 5))), Step(1, rows(("d", 9, 0)))])
    assert [[change.values[0] for change in answer.out] for answer in answers] == [["b", "c", "a"], ["d"]]
