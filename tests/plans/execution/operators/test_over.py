"""OVER windows: in event time against Flink's functions row by row, otherwise against simple models."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.kernel.arrivals import arrivals, in_order
from tests.support.kernel.changelogs import Batches, retract_streams
from tests.support.kernel.flink_timers import TimedFunction
from tests.support.kernel.harness import Change, Harness, OperatorError, Step, add_up, batches, short

COUNT = {"function": "$COUNT$1", "args": []}
SUM = {"function": "$SUM$1", "args": [1]}
LAST = {"function": "$LAST_VALUE$1", "args": [1]}
LAG = {"function": "$LAG$1", "args": [1, 3, 4]}


_ORDER: dict[str, dict[str, Any]] = {"rowtime": {"time": 2}, "proctime": {}, "column": {"orderBy": [{"index": 1}]}}


def spec(order: str, aggs: list[dict[str, Any]], output: list[str], **fields: Any) -> dict[str, Any]:
    return {
        "uid": "over",
        "type": f"{order}-over",
        "timeDomain": "event" if order == "rowtime" else "processing",
        "inputTypes": [["STRING", "INT", "BIGINT"]],
        "outputTypes": ["STRING", "INT", "BIGINT", *output],
        **_ORDER[order],
        "aggs": aggs,
        **fields,
    }


class Unbounded(TimedFunction):
    """RowTimeUnboundedPrecedingOverFunctionV2, of a count and a sum."""

    def __init__(self, rows: bool) -> None:
        super().__init__()
        self.rows = rows
        self.waiting: dict[tuple[str, int], list[Change]] = defaultdict(list)
        self.seen: dict[str, list[Any]] = defaultdict(list)

    def process(self, row: Change) -> None:
        time = row.values[2]
        if time > self.watermark:
            self.waiting[row.key, time].append(row)
            self.register(row.key, time)

    def fire(self, key: str, time: int) -> None:
        peers = self.waiting.pop((key, time))
        if not self.rows:
            self.seen[key] += [peer.values[1] for peer in peers]
        for peer in peers:
            if self.rows:
                self.seen[key].append(peer.values[1])
            self.emit(key, *peer.values, *_totals(self.seen[key]))


class Bounded(TimedFunction):
    """RowTimeRowsBoundedPrecedingFunction and RowTimeRangeBoundedPrecedingFunction, of a count and a sum."""

    def __init__(self, rows: bool, preceding: int) -> None:
        super().__init__()
        self.rows, self.preceding = rows, preceding
        self.kept: dict[str, dict[int, list[Change]]] = defaultdict(dict)
        self.frame: dict[str, list[Any]] = defaultdict(list)
        self.last: dict[str, int] = {}
        self.cleanup: dict[str, int] = {}

    def process(self, row: Change) -> None:
        key, time = row.key, row.values[2]
        if time <= self.last.get(key, -(10**9)):
            return
        self.kept[key].setdefault(time, []).append(row)
        self.register(key, time)
        if not self.rows and self.cleanup.get(key, -(10**9)) < time + self.preceding + 1:
            self.cleanup[key] = time + int(self.preceding * 1.5) + 1
            self.register(key, self.cleanup[key])

    def fire(self, key: str, time: int) -> None:
        if not self.rows and self.cleanup.get(key, 10**9) <= time:
            for state in (self.kept, self.last, self.cleanup):
                state.pop(key, None)
            return
        peers = self.kept[key].get(time, [])
        for peer in peers:
            if self.rows:
                self.frame[key] = [*self.frame[key], peer.values[1]][-self.preceding - 1 :]
                self.emit(key, *peer.values, *_totals(self.frame[key]))
            else:
                near = [
                    row.values[1]
                    for at, rows in self.kept[key].items()
                    for row in rows
                    if time - self.preceding <= at <= time
                ]
                self.emit(key, *peer.values, *_totals(near))
        self.last[key] = time


def _totals(values: list[Any]) -> tuple[Any, ...]:
    known = [value for value in values if value is not None]
    return len(values), sum(known) if known else None


ROWS = st.tuples(st.sampled_from("ab"), st.none() | st.integers(-3, 3), st.integers(-5, 40))


@given(arrivals(ROWS, time=lambda row: int(row[2]), key=lambda row: str(row[0])), st.booleans(), st.data())
def test_windows_in_event_time_are_as_flinks_row_by_row(
    harness: Harness, steps: list[Step], rows: bool, data: st.DataObject
) -> None:
    preceding = data.draw(st.none() | st.integers(0, 3 if rows else 12))
    model = Unbounded(rows) if preceding is None else Bounded(rows, preceding)
    over = spec("rowtime", [COUNT, SUM], ["BIGINT", "INT"], rows=rows, preceding=preceding)
    answers = harness.run(over, steps)
    out = [(change.key, change.values) for answer in answers for change in answer.out]
    expected = model.run(in_order(steps))
    for key in "ab":
        assert [values for at, values in out if at == key] == [values for at, values in expected if at == key]
    if preceding is not None and not rows:
        assert (answers[-1].keys, answers[-1].state_rows) == (0, 0)


def rows(*values: tuple[Any, ...], at: int = -1000) -> list[Change]:
    return [Change("+I", row, key=row[0], watermark=at) for row in values]


def test_rows_are_emitted_with_their_time(harness: Harness) -> None:
    steps = [Step(0, rows(("a", 1, 30), ("a", 2, 5))), Step(1, [], watermark=29), Step(2, [], watermark=30)]
    answers = harness.run(spec("rowtime", [COUNT], ["BIGINT"]), steps)
    assert [[(change.values[1:], change.at) for change in answer.out] for answer in answers] == [
        [],
        [((2, 5, 1), 5)],
        [((1, 30, 2), 30)],
    ]


@pytest.mark.parametrize("bounds", [{}, {"rows": True, "preceding": 1}])
def test_late_rows_are_counted(harness: Harness, bounds: dict[str, Any]) -> None:
    steps = [Step(0, rows(("a", 1, 5)), watermark=5), Step(1, rows(("a", 2, 4), ("a", 3, 9), at=5), watermark=9)]
    answers = harness.run(spec("rowtime", [COUNT], ["BIGINT"], **bounds), steps)
    assert [answer.late for answer in answers] == [0, 1]


def test_state_survives_a_restart(harness: Harness) -> None:
    over = spec("rowtime", [COUNT, SUM], ["BIGINT", "INT"], rows=True, preceding=1)
    steps = [Step(at, rows(("a", at, at)), over, watermark=at) for at in range(4)]
    answers = harness.run(over, steps)
    assert [change.values[3:] for answer in answers for change in answer.out] == [(1, 0), (2, 1), (2, 3), (2, 5)]


def test_lag_takes_rows_of_one_time_as_peers(harness: Harness) -> None:
    lag = spec("rowtime", [LAG], ["INT"], inputTypes=[["STRING", "INT", "BIGINT", "INT", "INT"]])
    values = [("a", 7, 1), ("a", None, 2), ("a", 5, 3), ("a", 6, 3), ("a", 8, 4)]
    given_rows = rows(*((*row, 2, -1) for row in values))
    _, after = harness.run(lag, [Step(0, given_rows[:2], watermark=3), Step(1, given_rows[2:], watermark=9)])
    assert [(change.values[1], change.values[3]) for change in after.out] == [(5, None), (6, None), (8, 5)]


def test_lag_of_a_null_is_null_whatever_the_default(harness: Harness) -> None:
    lag = spec("rowtime", [LAG], ["INT"], inputTypes=[["STRING", "INT", "BIGINT", "INT", "INT"]])
    given_rows = rows(("a", None, 1, 1, -1), ("a", 2, 2, 1, -1), ("a", 3, 3, 1, -1))
    _, after = harness.run(lag, [Step(0, given_rows), Step(1, [], watermark=9)])
    assert [change.values[3] for change in after.out] == [-1, None, 2]
    with pytest.raises(OperatorError, match="offset -1 of LAG is below 0"):
        harness.run(lag, [Step(0, rows(("a", 1, 1, -1, 0))), Step(1, [], watermark=9)])


def test_an_update_in_event_time_is_refused(harness: Harness) -> None:
    with pytest.raises(OperatorError, match="insert-only"):
        harness.run(spec("rowtime", [COUNT], ["BIGINT"]), batches([[Change("+U", ("a", 1, 1))]]))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, [(1, 1), (2, 3), (3, 3), (4, 8)]),
        ({"rows": True, "preceding": 1}, [(1, 1), (2, 3), (2, 2), (2, 5)]),
        # Rows of one micro-batch have one time; 5 ms back.
        ({"preceding": 5}, [(2, 3), (2, 3), (1, None), (2, 5)]),
    ],
)
def test_windows_in_processing_time(harness: Harness, fields: dict[str, Any], expected: list[Any]) -> None:
    over = spec("proctime", [COUNT, SUM], ["BIGINT", "INT"], **fields)
    values = [("a", 1, 0), ("a", 2, 0), ("a", None, 0), ("a", 5, 0)]
    steps = [Step(0, rows(*values[:2]), over), Step(6, rows(values[2]), over), Step(11, rows(values[3]), over)]
    answers = harness.run(over, [*steps, Step(17, [], over)])
    assert [change.values[3:] for answer in answers for change in answer.out] == expected
    assert answers[-1].keys == (0 if fields.get("preceding") == 5 else 1)


TABLE_ROWS = st.tuples(st.sampled_from("ab"), st.none() | st.integers(0, 4), st.integers(0, 2))


@given(retract_streams(TABLE_ROWS, key=lambda row: str(row[0])), st.booleans())
def test_windows_by_a_column_follow_a_changelog(harness: Harness, stream: Batches, by_rows: bool) -> None:
    over = spec("column", [COUNT, SUM], ["BIGINT", "INT"], rows=by_rows)
    table: Any = None
    live: list[Any] = []
    for batch, answer in zip(stream, harness.run(over, batches(stream)), strict=True):
        for change in batch:
            if change.adds:
                live.append(change.values)
            else:
                # Of equal rows the last is removed.
                del live[len(live) - 1 - live[::-1].index(change.values)]
        table = add_up(answer.out, table)
        result = []
        for key in "ab":
            mine = sorted((row for row in live if row[0] == key), key=lambda row: (row[1] is not None, row[1] or 0))
            for at, row in enumerate(mine):
                upto = mine[: at + 1] if by_rows else [peer for peer in mine if mine.index(peer) <= _last(mine, row)]
                result.append((*row, *_totals([peer[1] for peer in upto])))
        assert sorted(table.elements(), key=repr) == sorted(result, key=repr)
    assert live or answer.keys == 0


def _last(rows: list[Any], row: Any) -> int:
    return max(at for at, peer in enumerate(rows) if peer[1] == row[1])


def test_rows_behind_a_new_row_are_updated(harness: Harness) -> None:
    over = spec("column", [SUM], ["INT"], rows=True)
    first, second = harness.run(over, batches([rows(("a", 1, 0), ("a", 5, 0)), rows(("a", 3, 0))]))
    assert short(first.out) == ["+I(a, 1, 0, 1)", "+I(a, 5, 0, 6)"]
    assert short(second.out) == ["+I(a, 3, 0, 4)", "-U(a, 5, 0, 6)", "+U(a, 5, 0, 9)"]
