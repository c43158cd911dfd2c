"""MATCH_RECOGNIZE: against regular expressions if each row fits one variable only, else by example."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.kernel.harness import Change, Harness, OperatorError, Step, short

#: A row: its letter, the letters of the variables, its number, its time.
COLUMNS = ["STRING", "STRING", "STRING", "STRING", "INT", "BIGINT"]
NUMBER, TIME = 4, 5
LETTERS = "abc"


def element(least: int = 1, most: int = 1, greedy: bool = True) -> dict[str, Any]:
    return {"min": least, "max": most, "greedy": greedy}


def current(column: int) -> dict[str, Any]:
    return {"kind": "current", "column": column}


def value(kind: str, variable: int, offset: int = 0) -> dict[str, Any]:
    return {"kind": kind, "variable": variable, "column": NUMBER, "offset": offset}


def total(function: str, variable: int) -> dict[str, Any]:
    return {"kind": "aggregate", "function": function, "variable": variable, "args": [NUMBER], "typeOf": NUMBER}


def spec(pattern: list[dict[str, Any]], **fields: Any) -> dict[str, Any]:
    """By default a variable matches rows of its letter, and the measures are the first and the last row's number."""
    count = len(pattern)
    measures = fields.setdefault("measures", [value("first", -1), value("last", -1)])
    return {
        "uid": "match",
        "type": "match-recognize",
        "timeDomain": "event",
        "inputTypes": [COLUMNS],
        "outputTypes": ["INT"] * len(measures),
        "partition": [],
        "time": TIME,
        "orderBy": [],
        "pattern": pattern,
        "defines": [[current(0), current(1 + at)] for at in range(count)],
        "conditions": ["0=1"] * count,
        "skip": "PAST_LAST_ROW",
        **fields,
    }


def rows(text: str, first: int = 0, at: int = -1) -> list[Change]:
    return [
        Change("+I", (letter, *LETTERS, first + place, first + place), watermark=at)
        for place, letter in enumerate(text)
    ]


PATTERNS = {
    "ab": [element(), element()],
    "ab*c": [element(), element(0, -1), element()],
    "a+b?c": [element(1, -1), element(0, 1), element()],
    "a*b": [element(0, -1), element()],
    "ab{2,3}c": [element(), element(2, 3), element()],
    "a{2}b": [element(2, 2), element()],
    "ab{0,2}c": [element(), element(0, 2), element()],
    "a{2,}b": [element(2, -1), element()],
    "a?b*?c": [element(0, 1), element(0, -1, greedy=False), element()],
    "ab{2,4}?": [element(), element(2, 4, greedy=False)],
    "ab+?": [element(), element(1, -1, greedy=False)],
}


@given(
    st.sampled_from(sorted(PATTERNS)),
    st.text("abcx", max_size=30),
    st.booleans(),
    st.lists(st.integers(0, 30)),
)
def test_matches_are_those_of_the_regular_expression(
    harness: Harness, pattern: str, text: str, overlapping: bool, cuts: list[int]
) -> None:
    skip = "NEXT_ROW" if overlapping else "PAST_LAST_ROW"
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    steps = [Step(at, rows(text[at:to], at), watermark=at - 1) for at, to in pairwise(places)]
    answers = harness.run(spec(PATTERNS[pattern], skip=skip), [*steps, Step(99, [], watermark=99)])
    out = [change.values for answer in answers for change in answer.out]
    if overlapping:
        starts = (re.compile(pattern).match(text, at) for at in range(len(text)))
        expected = [(match.start(), match.end() - 1) for match in starts if match]
    else:
        expected = [(match.start(), match.end() - 1) for match in re.finditer(pattern, text)]
    assert sorted(out) == sorted(expected)


def test_a_greedy_variable_does_not_backtrack(harness: Harness) -> None:
    # b is any row, so c never follows a greedy b, but follows a reluctant one at once.
    for greedy, expected in ((True, []), (False, ["+I(0, 2)"])):
        pattern = [element(), element(0, -1, greedy), element()]
        match = spec(pattern, conditions=["0=1", None, "0=1"])
        (only,) = harness.run(match, [Step(0, rows("abc"), watermark=9)])
        assert short(only.out) == expected


def test_conditions_see_the_rows_before_and_the_row_itself(harness: Harness) -> None:
    # b: its number is above that of the previous row in b; or it is the first.
    measures = [value("first", 1), value("last", 1), value("last", 1, 1), value("first", 0), total("$SUM$1", 1)]
    match = spec(
        [element(), element(2, -1), element()],
        defines=[[], [value("last", 1, 1), value("last", 1)], [current(NUMBER), total("$SUM$1", 1)]],
        conditions=[None, "0<1", "0>1"],
        measures=measures,
        outputTypes=["INT"] * 5,
    )
    first = rows("x")
    first += [Change("+I", ("x", *LETTERS, number, at), watermark=-1) for at, number in enumerate((3, 4, 9), start=1)]
    (only,) = harness.run(match, [Step(0, first, watermark=9)])
    assert only.out == []
    reading = {**match, "defines": [[], [], match["defines"][2]], "conditions": [None, None, "0>1"]}
    (only,) = harness.run(reading, [Step(0, first, watermark=9)])
    assert only.out == []
    (only,) = harness.run({**reading, "pattern": [element(), element(2, 2), element()]}, [Step(0, first, watermark=9)])
    assert short(only.out) == ["+I(3, 4, 3, 0, 7)"]


@pytest.mark.parametrize(
    ("skip", "variable", "expected"),
    [
        ("NEXT_ROW", None, [(0, 3), (1, 4), (2, 5)]),
        ("PAST_LAST_ROW", None, [(0, 3)]),
        ("FIRST", 1, [(0, 3), (1, 4), (2, 5)]),
        ("LAST", 1, [(0, 3), (2, 5)]),
    ],
)
def test_skip_strategies_after_a_match(harness: Harness, skip: str, variable: int | None, expected: list[Any]) -> None:
    pattern = [element(), element(2, 2), element()]
    match = spec(pattern, conditions=[None, None, None], skip=skip, skipVariable=variable)
    (only,) = harness.run(match, [Step(0, rows("xxxxxx"), watermark=9)])
    assert [change.values for change in only.out] == expected


@pytest.mark.parametrize(("variable", "why"), [(0, "first row"), (1, "does not have")])
def test_a_skip_to_an_unmatched_variable_fails(harness: Harness, variable: int, why: str) -> None:
    pattern = [element(), element(0, 1), element()]
    with pytest.raises(OperatorError, match=why):
        harness.run(spec(pattern, skip="FIRST", skipVariable=variable), [Step(0, rows("ac"), watermark=9)])


def test_a_match_must_be_complete_within_its_time(harness: Harness) -> None:
    match = spec([element(), element(0, -1), element()], within=3)
    steps = [Step(0, rows("abc") + rows("abbc", 3), watermark=5), Step(1, [], watermark=6)]
    answers = harness.run(match, steps)
    assert [short(answer.out) for answer in answers] == [["+I(0, 2)"], []]
    assert [answer.keys for answer in answers] == [1, 0]


def test_a_match_waits_for_those_that_began_before_it(harness: Harness) -> None:
    # a b* c from row 0 is open until x comes; a c within it is complete at row 2.
    match = spec(
        [element(), element(0, -1, greedy=False), element()],
        conditions=["0=1", None, "0>1"],
        defines=[[current(0), current(1)], [], [current(NUMBER), value("first", 0)]],
        skip="NEXT_ROW",
        within=100,
    )
    (only,) = harness.run(match, [Step(0, rows("aa"), watermark=9)])
    assert [change.values for change in only.out] == [(0, 1)]


def test_late_rows_are_dropped_and_rows_are_taken_in_order(harness: Harness) -> None:
    late = rows("c", 1, at=1) + rows("c", 2, at=1)
    first, second = harness.run(spec(PATTERNS["ab*c"]), [Step(0, rows("a"), watermark=0), Step(1, late, watermark=2)])
    assert (short(first.out), short(second.out)) == ([], ["+I(0, 2)"])
    assert (first.late, second.late) == (0, 1)
    assert second.out[0].at == 2
    shuffled = list(reversed(rows("abc")))
    (only,) = harness.run(spec(PATTERNS["ab*c"]), [Step(0, shuffled, watermark=9)])
    assert short(only.out) == ["+I(0, 2)"]
    equal = [Change("+I", (letter, *LETTERS, at, 0), watermark=-1) for at, letter in ((2, "c"), (0, "a"), (1, "b"))]
    by_number = spec(PATTERNS["ab*c"], orderBy=[{"index": NUMBER}])
    (only,) = harness.run(by_number, [Step(0, equal, watermark=9)])
    assert short(only.out) == ["+I(0, 2)"]


def test_processing_time_takes_rows_as_they_come(harness: Harness) -> None:
    match = spec(PATTERNS["ab*c"], timeDomain="processing", within=5)
    steps = [Step(0, rows("a")), Step(4, rows("bca", 1)), Step(9, rows("c", 4)), Step(20, [])]
    answers = harness.run(match, steps)
    assert [short(answer.out) for answer in answers] == [[], ["+I(0, 2)"], [], []]
    assert answers[-1].keys == 0
