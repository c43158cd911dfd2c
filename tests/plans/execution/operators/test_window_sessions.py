"""Sessions as in Flink row by row: sessions fire as soon as the watermark has passed them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.support.kernel.arrivals import END, arrivals, in_order, watermark
from tests.support.kernel.harness import Change, Harness, Step, short

GAP = 5
WINDOW = {"gap": GAP}
AGGREGATE: dict[str, Any] = {
    "uid": "session",
    "type": "session-aggregate",
    "timeDomain": "event",
    "inputTypes": [["STRING", "INT", "BIGINT"]],
    "outputTypes": ["STRING", "BIGINT", "INT", "BIGINT", "TIMESTAMP_NTZ", "TIMESTAMP_NTZ"],
    "grouping": [0],
    "aggs": [
        {"function": "$COUNT$1", "args": []},
        {"function": "$SUM$1", "args": [1]},
        {"function": "$COUNT$1", "args": [1], "distinct": True},
    ],
    "properties": ["start", "end"],
    "window": WINDOW,
    "time": 2,
}
ROWS_OF: dict[str, Any] = {
    "uid": "session",
    "type": "session-rows",
    "timeDomain": "event",
    "inputTypes": [["STRING", "INT", "BIGINT"]],
    "outputTypes": ["STRING", "INT", "TIMESTAMP_NTZ", "TIMESTAMP_NTZ", "TIMESTAMP_NTZ"],
    "window": WINDOW,
    "time": 2,
}


def millis(stamp: str) -> int:
    """A time of the harness as ms."""
    from datetime import datetime

    return round((datetime.fromisoformat(stamp) - datetime(1970, 1, 1)).total_seconds() * 1000)


@dataclass
class Model:
    """Sessions of one key: start, end and their rows."""

    open: list[tuple[int, int, list[Change]]] = field(default_factory=list)
    fired: list[tuple[int, int, list[Change]]] = field(default_factory=list)

    def advance(self, to: int) -> None:
        self.fired += [session for session in self.open if session[1] - 1 <= to]
        self.open = [session for session in self.open if session[1] - 1 > to]

    def take(self, row: Change) -> None:
        self.advance(watermark(row))
        start = row.values[2]
        end = start + GAP
        joined = [session for session in self.open if session[0] <= end and start <= session[1]]
        start, end = min([start, *(s[0] for s in joined)]), max([end, *(s[1] for s in joined)])
        if end - 1 <= watermark(row):
            return
        self.open = [session for session in self.open if session not in joined]
        self.open.append((start, end, [*(member for s in joined for member in s[2]), row]))


def sessions(rows: list[Change]) -> dict[str, list[tuple[int, int, list[Change]]]]:
    models: dict[str, Model] = {}
    for row in rows:
        models.setdefault(row.key, Model()).take(row)
    for model in models.values():
        model.advance(END)
    return {key: model.fired for key, model in models.items()}


ROWS = st.tuples(st.sampled_from("ab"), st.none() | st.integers(-3, 3), st.integers(0, 40))
STEPS = arrivals(ROWS, time=lambda row: int(row[2]), key=lambda row: str(row[0]))


@given(STEPS)
def test_each_session_fires_once_with_its_rows(harness: Harness, steps: list[Step]) -> None:
    answers = harness.run(AGGREGATE, steps)
    expected: Counter[tuple[Any, ...]] = Counter()
    for key, spans in sessions(in_order(steps)).items():
        for start, end, rows in spans:
            known = [row.values[1] for row in rows if row.values[1] is not None]
            expected[(key, len(rows), sum(known) if known else None, len(set(known)), start, end)] += 1
    out = [change.values for answer in answers for change in answer.out]
    assert Counter((*row[:4], millis(row[4]), millis(row[5])) for row in out) == expected
    assert (answers[-1].keys, answers[-1].state_rows, answers[-1].timers) == (0, 0, 0)


@given(arrivals(ROWS, time=lambda row: int(row[2]), key=lambda row: str(row[0]), retracting=True))
def test_a_session_of_retracted_rows_emits_nothing(harness: Harness, steps: list[Step]) -> None:
    answers = harness.run({**AGGREGATE, "needRetraction": True}, steps)
    expected: Counter[tuple[Any, ...]] = Counter()
    for key, spans in sessions(in_order(steps)).items():
        for start, end, rows in spans:
            count = sum(1 if row.adds else -1 for row in rows)
            if count:
                expected[(key, count, start, end)] += 1
    out = [change.values for answer in answers for change in answer.out]
    assert Counter((row[0], row[1], millis(row[4]), millis(row[5])) for row in out) == expected


@given(STEPS)
def test_the_table_function_gives_each_row_its_session(harness: Harness, steps: list[Step]) -> None:
    answers = harness.run(ROWS_OF, steps)
    expected: Counter[tuple[Any, ...]] = Counter()
    for spans in sessions(in_order(steps)).values():
        for start, end, rows in spans:
            for row in rows:
                expected[(row.values[0], row.values[1], start, end, end - 1)] += 1
    out = [change.values for answer in answers for change in answer.out]
    assert Counter((*row[:2], *(millis(text) for text in row[2:])) for row in out) == expected
    assert (answers[-1].keys, answers[-1].state_rows) == (0, 0)


def rows(*pairs: tuple[int | None, int], at: int) -> list[Change]:
    return [Change("+I", ("a", value, time), key="a", watermark=at) for value, time in pairs]


def test_sessions_that_touch_are_one(harness: Harness) -> None:
    steps = [Step(0, rows((1, 0), (2, 10), (4, 5), at=-100)), Step(1, [], watermark=100)]
    answers = harness.run(AGGREGATE, steps)
    assert short(answers[1].out) == ["+I(a, 3, 7, 3, 1970-01-01T00:00, 1970-01-01T00:00:00.015)"]


def test_a_session_of_nulls_leaves_the_last_value_of_the_one_it_joins(harness: Harness) -> None:
    last = {
        **AGGREGATE,
        "outputTypes": ["STRING", "INT", "TIMESTAMP_NTZ", "TIMESTAMP_NTZ"],
        "aggs": [{"function": "$LAST_VALUE$1", "args": [1]}],
    }
    (only,) = harness.run(last, [Step(0, rows((1, 0), (None, 8), (None, 4), at=-100), watermark=100)])
    assert [change.values[1] for change in only.out] == [1]


def test_a_late_row_joins_a_session_that_is_open_still(harness: Harness) -> None:
    # At watermark 7 a session of its own from 1 would be complete, that from 4 is not.
    steps = [Step(0, [*rows((1, 4), at=-100), *rows((2, 1), at=7)]), Step(1, [], watermark=100)]
    assert [change.values[1] for change in harness.run(AGGREGATE, steps)[1].out] == [2]
    alone = [Step(0, rows((2, 1), at=7)), Step(1, [], watermark=100)]
    answers = harness.run(AGGREGATE, alone)
    assert (answers[0].late, answers[1].out) == (1, [])


def test_kinds_of_rows_stay(harness: Harness) -> None:
    changes = [*rows((1, 0), at=-100), Change("-D", ("a", 1, 0), key="a", watermark=-100)]
    answers = harness.run(ROWS_OF, [Step(0, changes), Step(1, [], watermark=100)])
    assert [change.kind for change in answers[1].out] == ["+I", "-D"]
