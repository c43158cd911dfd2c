"""Joins, top-n and deduplication of rows with their window: the key is the window's, fired when complete."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.kernel.arrivals import arrivals, in_order, watermark
from tests.support.kernel.harness import Change, Harness, Step, short

TYPES = ["STRING", "INT", "BIGINT"]
RANK: dict[str, Any] = {
    "uid": "rank",
    "type": "window-rank",
    "timeDomain": "event",
    "inputTypes": [TYPES],
    "outputTypes": [*TYPES, "BIGINT"],
    "windowEnds": [2],
    "orderBy": [{"index": 1, "ascending": False, "nullsLast": True}],
    "start": 1,
    "end": 2,
    "outputRowNumber": True,
}
DEDUPLICATE: dict[str, Any] = {
    "uid": "deduplicate",
    "type": "window-deduplicate",
    "timeDomain": "event",
    "inputTypes": [TYPES],
    "outputTypes": TYPES,
    "windowEnds": [2],
    "orderColumn": 1,
}
JOIN: dict[str, Any] = {
    "uid": "join",
    "type": "window-join",
    "timeDomain": "event",
    "inputTypes": [TYPES, TYPES],
    "outputTypes": [*TYPES, *TYPES],
    "windowEnds": [2, 2],
    "leftKeys": [0],
    "rightKeys": [0],
    "filterNulls": [True],
}


def groups(steps: list[Step]) -> dict[str, list[Change]]:
    """Rows in time by key."""
    by_key: dict[str, list[Change]] = {}
    for row in in_order(steps):
        if row.values[2] - 1 > watermark(row):
            by_key.setdefault(row.key, []).append(row)
    return by_key


def windowed(values: st.SearchStrategy[int | None], ports: int = 1) -> st.SearchStrategy[list[Step]]:
    rows = st.tuples(st.none() | st.sampled_from("ab") if ports > 1 else st.just("a"), values, st.integers(0, 40))
    return arrivals(
        rows.map(lambda row: (row[0], row[1], row[2] // 10 * 10 + 10)),
        time=lambda row: int(row[2]) - 5,
        key=lambda row: f"{row[0]}|{row[2]}",
        ports=ports,
    )


def outcome(harness: Harness, spec: dict[str, Any], steps: list[Step]) -> Counter[tuple[Any, ...]]:
    answers = harness.run(spec, steps)
    assert (answers[-1].keys, answers[-1].state_rows, answers[-1].timers) == (0, 0, 0)
    return Counter(change.values for answer in answers for change in answer.out)


@given(windowed(st.none() | st.integers(0, 5)), st.integers(1, 2), st.integers(0, 2))
def test_top_n_of_a_window(harness: Harness, steps: list[Step], start: int, more: int) -> None:
    expected: Counter[tuple[Any, ...]] = Counter()
    for rows in groups(steps).values():
        ordered = sorted(rows, key=lambda row: (row.values[1] is None, -(row.values[1] or 0)))
        for at, row in enumerate(ordered[: start + more], start=1):
            if at >= start:
                expected[(*row.values, at)] += 1
    assert outcome(harness, {**RANK, "start": start, "end": start + more}, steps) == expected


def test_equal_rows_rank_by_arrival(harness: Harness) -> None:
    named = {**RANK, "inputTypes": [["STRING", "INT", "BIGINT"]], "outputRowNumber": False, "outputTypes": TYPES}
    rows = [Change("+I", (name, 1, 10), watermark=0) for name in "abc"]
    answers = harness.run(named, [Step(0, rows[:1]), Step(1, rows[1:]), Step(2, [], watermark=9)])
    assert short(answers[2].out) == ["+I(a, 1, 10)", "+I(b, 1, 10)"]


@pytest.mark.parametrize(("value", "first"), [(9, 9), (0, 5)], ids=["a better row", "a worse row"])
def test_rows_from_before_beyond_the_last_rank_do_not_come_out(harness: Harness, value: int, first: int) -> None:
    rows = [Change("+I", ("a", time, 10), watermark=0) for time in (5, 4, 3)]
    more = Change("+I", ("a", value, 10), watermark=0)
    steps = [Step(0, rows), Step(1, [more], spec={**RANK, "end": 1}), Step(2, [], watermark=9)]
    answers = harness.run({**RANK, "end": 3}, steps)
    assert short(answers[2].out) == [f"+I(a, {first}, 10, 1)"]
    assert answers[1].state_rows == 1


@given(windowed(st.integers(0, 3)), st.booleans())
def test_the_first_or_last_row_of_a_window(harness: Harness, steps: list[Step], last: bool) -> None:
    expected: Counter[tuple[Any, ...]] = Counter()
    for rows in groups(steps).values():
        pick = max if last else min
        expected[pick(rows, key=lambda row: row.values[1]).values] += 1
    assert outcome(harness, {**DEDUPLICATE, "keepLast": last}, steps) == expected


@pytest.mark.parametrize(("last", "name"), [(True, "b"), (False, "a")])
def test_of_equal_times_the_last_or_the_first_to_arrive(harness: Harness, last: bool, name: str) -> None:
    rows = [Change("+I", (key, 1, 10), watermark=0) for key in "ab"]
    steps = [Step(0, rows[:1]), Step(1, rows[1:]), Step(2, [], watermark=9)]
    assert short(harness.run({**DEDUPLICATE, "keepLast": last}, steps)[2].out) == [f"+I({name}, 1, 10)"]


def joined(kind: str, condition: bool, left: list[Change], right: list[Change]) -> list[tuple[Any, ...]]:
    def match(a: Change, b: Change) -> bool:
        if a.values[0] is None or a.values[0] != b.values[0]:
            return False
        if not condition:
            return True
        return a.values[1] is not None and b.values[1] is not None and a.values[1] < b.values[1]

    nothing = (None, None, None)
    pairs = [(a, b) for a in left for b in right if match(a, b)]
    lonely = [a for a in left if not any(match(a, b) for b in right)]
    if kind == "SEMI":
        return [a.values for a in left if a not in lonely]
    if kind == "ANTI":
        return [a.values for a in lonely]
    out = [(*a.values, *b.values) for a, b in pairs]
    if kind in ("LEFT", "FULL"):
        out += [(*a.values, *nothing) for a in lonely]
    if kind in ("RIGHT", "FULL"):
        out += [(*nothing, *b.values) for b in right if not any(match(a, b) for a in left)]
    return out


@given(
    windowed(st.none() | st.integers(0, 3), ports=2),
    st.sampled_from(["INNER", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI"]),
    st.booleans(),
)
def test_joins_of_a_window(harness: Harness, steps: list[Step], kind: str, condition: bool) -> None:
    expected: Counter[tuple[Any, ...]] = Counter()
    for rows in groups(steps).values():
        sides = [[row for row in rows if row.port == port] for port in (0, 1)]
        expected.update(joined(kind, condition, *sides))
    output = TYPES if kind in ("SEMI", "ANTI") else [*TYPES, *TYPES]
    spec = {**JOIN, "joinType": kind, "outputTypes": output, "condition": "1<4" if condition else None}
    assert outcome(harness, spec, steps) == expected
