"""Patterns that continue Flink's state."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.kernel.harness import Change, Harness, OperatorError, Savepoint, Step, short

TYPES = ["STRING", "INT", "TIMESTAMP_NTZ"]


def spec(**fields: Any) -> dict[str, Any]:
    return {
        "uid": "match",
        "type": "match-recognize",
        "timeDomain": "event",
        "inputTypes": [[*TYPES, "INT"]],
        "outputTypes": ["STRING", "INT"],
        "ports": [{"key": [0]}],
        "partition": [0],
        "time": 2,
        "pattern": [{"min": 1, "max": 1, "greedy": True}] * 2,
        "defines": [[], []],
        "conditions": [None, None],
        "measures": [{"kind": "last", "variable": 1, "column": 1, "offset": 0}],
        "skip": "PAST_LAST_ROW",
        **fields,
    }


def row(value: int, time: int) -> list[Any]:
    return ["a", value, [time, 0]]


def entry(state: str, value: Any, **more: Any) -> dict[str, Any]:
    return {"state": state, "key": ["a"], "value": value, **more}


START = ["A:0", [4], -1, -1, None, None]
ENTRIES = [
    entry("eventQueuesStateName", [row(3, 7)], uk=7),
    entry("eventQueuesStateName", [row(1, 5), row(2, 5)], uk=5),
    entry("nfaStateName", [[START], []]),
    entry("sharedBuffer-events-count", 1, uk=4),
]


def test_rows_wait_for_the_watermark(harness: Harness) -> None:
    rows = [Change("+I", ("a", 4, "1970-01-01T00:00:00.007", None), key="a", watermark=4)]
    steps = [Step(0, rows, watermark=4), Step(1, [], watermark=5), Step(2, [], watermark=7)]
    answers = harness.run(spec(), steps, savepoint=Savepoint(ENTRIES, watermark=4))
    assert [short(answer.out) for answer in answers] == [[], ["+I(a, 2)"], ["+I(a, 4)"]]


#: Two matches of A{2,} B: with rows 8 and 7 after the mandatory ones, and with row 7 as the first.
OPEN = [
    entry(
        "nfaStateName",
        [
            [
                ["A", [1, 0, 0], 3, 4, [0, 3], [[0, 4], "A"]],
                ["A:0", [2, 0], 4, 4, [0, 4], [[0, 4], "A"]],
                ["A:1", [3], -1, -1, None, None],
            ],
            [],
        ],
    ),
    entry("sharedBuffer-events", [row(7, 4), 1], uk=[0, 4]),
    entry("sharedBuffer-events", [row(8, 3), 1], uk=[0, 3]),
    entry("sharedBuffer-events-count", 1, uk=4),
    entry("sharedBuffer-entries-with-lockable-edges", [[[[None, [1]], 1]], 1], uk=[[0, 3], "A"]),
    entry(
        "sharedBuffer-entries-with-lockable-edges",
        [[[[[[0, 3], "A"], [1, 0]], 1], [[None, [2]], 1]], 2],
        uk=[[0, 4], "A"],
    ),
]
FACTS = {"variables": ["A", "B"], "computes": False}


def falling(**fields: Any) -> dict[str, Any]:
    """A{2,} of falling values, then B; the measures are the first value and the last."""
    last = {"kind": "last", "variable": 0, "column": 1, "offset": 1}
    value = {"kind": "current", "column": 1}
    return spec(
        outputTypes=["STRING", "INT", "INT"],
        pattern=[{"min": 2, "max": -1, "greedy": True}, {"min": 1, "max": 1, "greedy": True}],
        defines=[[value, last], [value, {**last, "offset": 0}]],
        conditions=["0<1", "1<0"],
        measures=[{"kind": kind, "variable": -1, "column": 1, "offset": 0} for kind in ("first", "last")],
        skip="NEXT_ROW",
        **fields,
    )


@pytest.mark.parametrize("quantifier", [(2, -1), (0, -1), (1, -1), (2, 2), (1, 3), (0, 2)])
def test_open_matches_go_on(harness: Harness, quantifier: tuple[int, int]) -> None:
    least, most = quantifier
    elements = [{"min": least, "max": most, "greedy": True}, {"min": 1, "max": 1, "greedy": True}]
    rows = [
        Change("+I", ("a", value, f"1970-01-01T00:00:00.{time:03}", None), key="a", watermark=4)
        for value, time in ((5, 5), (9, 6))
    ]
    savepoint = Savepoint(OPEN, watermark=4, facts=FACTS)
    answers = harness.run(
        falling() | {"pattern": elements}, [Step(0, rows, watermark=4), Step(1, [], watermark=6)], savepoint=savepoint
    )
    # The second match is in the first of two states: it needs another row.
    second = [] if most == 2 and least == 2 else ["+I(a, 7, 9)"]
    assert short(answers[1].out) == ["+I(a, 8, 9)", *second]


def test_an_open_match_in_an_unknown_state_is_refused(harness: Harness) -> None:
    elements = [{"min": 0, "max": 1, "greedy": True}, {"min": 1, "max": 1, "greedy": True}]
    with pytest.raises(OperatorError, match='a match is open in state "A:0", which is not converted'):
        harness.run(falling() | {"pattern": elements}, [], savepoint=Savepoint(OPEN, facts=FACTS))


def test_a_complete_match_waits_for_one_that_began_earlier(harness: Harness) -> None:
    """Rows 8 and 9 match and wait, since row 7 before them may still begin a match."""
    nodes = "sharedBuffer-entries-with-lockable-edges"
    entries = [
        entry(
            "nfaStateName",
            [
                [["A", [1, 0], 2, 2, [0, 2], [[0, 4], "A"]], ["A:1", [4], -1, -1, None, None]],
                [["$endState$", [2, 0], 3, 3, [0, 3], [[0, 4], "B"]]],
            ],
        ),
        *(
            entry("sharedBuffer-events", [row(value, time), 1], uk=[0, time])
            for value, time in ((7, 2), (8, 3), (9, 4))
        ),
        entry(nodes, [[[[None, [1]], 1]], 1], uk=[[0, 2], "A"]),
        entry(nodes, [[[[[[0, 2], "A"], [1, 0]], 1]], 1], uk=[[0, 4], "A"]),
        entry(nodes, [[[[None, [2]], 1]], 1], uk=[[0, 3], "A"]),
        entry(nodes, [[[[[[0, 3], "A"], [2, 0]], 1]], 1], uk=[[0, 4], "B"]),
    ]
    rows = [Change("+I", ("a", 12, "1970-01-01T00:00:00.005", None), key="a", watermark=4)]
    savepoint = Savepoint(entries, watermark=4, facts=FACTS)
    steps = [Step(0, rows, watermark=4), Step(1, [], watermark=5)]
    answers = harness.run(falling(), steps, savepoint=savepoint)
    assert short(answers[1].out) == ["+I(a, 7, 12)", "+I(a, 8, 9)"]
