"""Top-n, limit and upsert sinks that continue Flink's state."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.kernel.harness import Change, Harness, Savepoint, Step, short


def rank(strategy: str = "append", **fields: Any) -> dict[str, Any]:
    types = ["STRING", "INT"]
    return {
        "uid": "rank",
        "type": "rank",
        "inputTypes": [types],
        "outputTypes": types,
        "ports": [{"key": [0]}],
        "strategy": strategy,
        "orderBy": [{"index": 1, "ascending": True, "nullsLast": False}],
        "end": 2,
        **fields,
    }


def row(value: int | None, kind: str = "+I", key: str = "a") -> Change:
    return Change(kind, (key, value), key=key)


def entry(state: str, value: Any, key: str = "a", **more: Any) -> dict[str, Any]:
    return {"state": state, "key": [key], "value": value, **more}


def test_rows_by_sort_key_rank_in_the_order_of_the_plan(harness: Harness) -> None:
    state = "data-state-with-append"
    savepoint = Savepoint([entry(state, [["a", 7]], uk=[7]), entry(state, [["a", 5]], uk=[5])])
    (answer,) = harness.run(rank(), [Step(1000, [row(8), row(6)])], savepoint=savepoint)
    assert short(answer.out) == ["-D(a, 7)", "+I(a, 6)"]


def test_a_limit_counts_the_rows_without_an_order(harness: Harness) -> None:
    limit = rank(orderBy=[], ports=[{"key": []}])
    rows = {"state": "data-state-with-append", "key": [], "uk": [], "value": [["a", 1]]}
    (answer,) = harness.run(
        limit, [Step(1000, [Change("+I", ("b", at)) for at in (2, 3)])], savepoint=Savepoint([rows])
    )
    assert short(answer.out) == ["+I(b, 2)"]


@pytest.mark.parametrize("strategy", ["append", "update"])
def test_a_single_row_is_replaced(harness: Harness, strategy: str) -> None:
    spec = rank(strategy, end=1, primaryKeys=[0] if strategy == "update" else [])
    savepoint = Savepoint([entry("Top1-Rank-State", ["a", 5], kind="+U")])
    (answer,) = harness.run(spec, [Step(1000, [row(6), row(4)] if strategy == "append" else [row(4)])], None, savepoint)
    assert [change.values for change in answer.out][-1] == ("a", 4)
    assert short(answer.out)[0] in ("-D(a, 5)", "-U(a, 5)")


def test_updated_rows_rank_among_equal_ones_as_in_flink(harness: Harness) -> None:
    types = ["STRING", "INT", "INT"]
    spec = rank("update", inputTypes=[types], outputTypes=types, primaryKeys=[2], end=1)
    state = "data-state-with-update"
    savepoint = Savepoint(
        [entry(state, [["a", 5, 2], 2], uk=[2], kind="+U"), entry(state, [["a", 5, 1], 1], uk=[1])],
    )
    (answer,) = harness.run(
        spec | {"end": 2, "outputRowNumber": True, "outputTypes": [*types, "BIGINT"]},
        [Step(1000, [Change("+U", ("a", 4, 2), key="a")])],
        savepoint=savepoint,
    )
    assert short(answer.out) == ["-U(a, 5, 1, 1)", "+U(a, 4, 2, 1)", "-U(a, 5, 2, 2)", "+U(a, 5, 1, 2)"]


def test_retracted_rows_move_those_up_that_were_behind_the_last_rank(harness: Harness) -> None:
    entries = [entry("data-state", [["a", at]], uk=[at]) for at in (9, 5, 7)]
    counts = entry("sorted-map", [[[5], 1], [[7], 1], [[9], 1]])
    (answer,) = harness.run(rank("retract"), [Step(1000, [row(5, "-D")])], savepoint=Savepoint([*entries, counts]))
    assert short(answer.out) == ["-D(a, 5)", "+I(a, 9)"]


def test_the_first_rows_by_arrival_are_only_counted(harness: Harness) -> None:
    types = ["STRING", "TIMESTAMP"]
    order = [{"index": 1, "ascending": True, "nullsLast": True}]
    spec = rank(inputTypes=[types], outputTypes=types, orderBy=order)
    rows = [Change("+I", ("a", at), key="a") for at in ("2024-01-01T00:00:00Z", "2024-01-01T00:00:01Z")]
    (answer,) = harness.run(spec, [Step(1000, rows)], savepoint=Savepoint([entry("counterState", 1)], written=500))
    assert len(answer.out) == 1
    assert answer.state_rows == 2


def test_the_last_rank_of_a_key_stays_in_force(harness: Harness) -> None:
    spec = rank(end=None, endColumn=1)
    entries = [entry("rankEnd", 1), entry("data-state-with-append", [["a", 5]], uk=[5])]
    (answer,) = harness.run(spec, [Step(1000, [row(4)])], savepoint=Savepoint(entries))
    assert short(answer.out) == ["-D(a, 5)", "+I(a, 4)"]


def test_rows_keep_their_times_of_last_write(harness: Harness) -> None:
    entries = [
        entry("data-state-with-append", [["a", 5]], uk=[5], writtenEach=[100]),
        entry("data-state-with-append", [["a", 7]], uk=[7], writtenEach=[900]),
    ]
    steps = [Step(1099, [row(9)]), Step(1100, [row(8)])]
    answers = harness.run(rank(ttl=[1000]), steps, savepoint=Savepoint(entries, time=1000))
    assert short(answers[0].out) == []
    assert short(answers[1].out) == ["+I(a, 8)"]


def sink(**fields: Any) -> dict[str, Any]:
    types = ["STRING", "INT"]
    return {
        "uid": "sink",
        "type": "sink-upsert-materializer",
        "inputTypes": [types],
        "outputTypes": types,
        "ports": [{"key": [0]}],
        **fields,
    }


def test_a_sink_shows_the_row_before_the_deleted_one(harness: Harness) -> None:
    savepoint = Savepoint([entry("values", [["a", 1], ["a", 2]])])
    (answer,) = harness.run(sink(), [Step(1000, [row(2, "-D"), row(1, "-D")])], savepoint=savepoint)
    assert short(answer.out) == ["+U(a, 1)", "-D(a, 1)"]


def test_rows_of_a_sink_expire_after_their_last_write(harness: Harness) -> None:
    savepoint = Savepoint([entry("values", [["a", 1]], written=100)], time=1000)
    answers = harness.run(sink(ttl=[1000]), [Step(1100, [row(2)])], savepoint=savepoint)
    assert short(answers[0].out) == ["+I(a, 2)"]


def test_a_stored_row_has_the_time_of_its_last_write(harness: Harness) -> None:
    types = ["STRING", "TIMESTAMP", "TIMESTAMP"]
    spec = sink(inputTypes=[types], outputTypes=types, upsertKey=[0])
    rows = {"state": "values", "key": ["a"], "value": [["a", None, None]], "written": 1000}
    step = Step(2000, [Change("+I", ("b", None, None), key="a"), Change("-D", ("b", None, None), key="a")])
    (answer,) = harness.run(spec, [step], savepoint=Savepoint([rows], facts={"proctimes": [[1]]}))
    assert short(answer.out)[1] == "+U(a, 1970-01-01T00:00:01Z, null)"
