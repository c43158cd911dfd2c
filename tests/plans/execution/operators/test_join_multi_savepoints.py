"""Joins of several inputs that continue Flink's state."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.kernel.harness import Change, Harness, OperatorError, Savepoint, Step, short

TYPES = ["INT", "STRING"]


def spec(**fields: Any) -> dict[str, Any]:
    return {
        "uid": "join",
        "type": "multi-join",
        "inputTypes": [TYPES, ["STRING", "INT"], TYPES],
        "outputTypes": [*TYPES, "STRING", "INT", *TYPES],
        "ports": [{"key": [0]}, {"key": [1]}, {"key": [0]}],
        "joinTypes": ["INNER", "INNER", "LEFT"],
        "conditions": [None, None, None],
        "inputUniqueKeys": [[[0]], [], [[1]]],
        **fields,
    }


def entry(number: int, key: int | None, user_key: list[Any], value: Any, **more: Any) -> dict[str, Any]:
    return {"state": f"multi-join-input-{number}", "key": [key], "uk": user_key, "value": value, **more}


ENTRIES = [
    entry(0, 1, [1], [1, "l"]),
    entry(1, 1, [[1], ["m", 1]], 2),
    entry(2, 1, [[1], ["r"]], [1, "r"]),
]


def test_the_rows_of_all_inputs_are_joined(harness: Harness) -> None:
    steps = [Step(1000, [Change("+I", (1, "s"), 2, "1"), Change("-D", ("m", 1), 1, "1")])]
    (answer,) = harness.run(spec(), steps, savepoint=Savepoint(ENTRIES))
    joined = ["(1, l, m, 1, 1, s)", "(1, l, m, 1, 1, s)"]
    assert short(answer.out)[:2] == [f"+I{row}" for row in joined]
    assert sorted(short(answer.out)[2:]) == ["-D(1, l, m, 1, 1, r)", "-D(1, l, m, 1, 1, s)"]
    assert answer.state_rows == 4


def test_keys_come_from_rows_in_any_order_of_flinks_key(harness: Harness) -> None:
    two = spec(
        inputTypes=[["INT", "INT"], ["INT", "INT"]],
        outputTypes=["INT"] * 4,
        ports=[{"key": [0, 1]}, {"key": [1, 0]}],
        joinTypes=["INNER", "INNER"],
        conditions=[None, None],
        inputUniqueKeys=[[[0]], []],
    )
    entries = [
        {"state": "multi-join-input-0", "key": [2, 1], "uk": [1], "value": [1, 2]},
        {"state": "multi-join-input-1", "key": [2, 1], "uk": [[2, 1], [2, 1]], "value": 1},
    ]
    steps = [Step(1000, [Change("-D", (2, 1), 1, "1,2")])]
    (answer,) = harness.run(two, steps, savepoint=Savepoint(entries))
    assert short(answer.out) == ["-D(1, 2, 2, 1)"]


def test_rows_with_a_null_in_the_key_have_no_state(harness: Harness) -> None:
    entries = [entry(0, None, [None], [None, "l"])]
    (answer,) = harness.run(spec(), [Step(1000, [])], savepoint=Savepoint(entries))
    assert answer.state_rows == 0


def test_each_input_has_its_own_ttl(harness: Harness) -> None:
    entries = [entry(0, 1, [1], [1, "l"], written=100), ENTRIES[1], ENTRIES[2]]
    steps = [Step(1099, [Change("+I", (1, "s"), 2, "1")]), Step(1100, [Change("+I", (1, "t"), 2, "1")])]
    answers = harness.run(spec(ttl=[1000, 0, 0]), steps, savepoint=Savepoint(entries, time=1000, written=500))
    assert [len(answer.out) for answer in answers] == [2, 0]


def test_rows_of_another_width_are_refused(harness: Harness) -> None:
    with pytest.raises(OperatorError, match=r"multi-join-input-1 has a row of 1 columns"):
        harness.run(spec(), [], savepoint=Savepoint([entry(1, 1, [[1], ["m"]], 1)]))
