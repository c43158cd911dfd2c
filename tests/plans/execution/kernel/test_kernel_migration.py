"""State that moves to an operator with other columns continues as if unchanged.

`Harness.run` moves the state of every operator test unchanged; here columns, types and calls change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.plans.execution.kernel.kept_states import (
    CASES,
    COUNT,
    DAY,
    NUMBER,
    PAIR,
    PAIRS,
    REAL,
    SUM,
    TYPES,
    A,
    B,
    Case,
)
from tests.support.kernel.changed import Changed
from tests.support.kernel.harness import Change, Harness, OperatorError, Step, short

WIDER = {"INT": "BIGINT", "BYTE": "INT", "SHORT": "INT", "FLOAT": "DOUBLE", "DECIMAL(20, 2)": "DECIMAL(30, 2)"}
NARROW = {"ARRAY<INT>": "ARRAY<BIGINT>"}
LATER = ("a", 2, 4_000)
END = 10**9


def changed(case: Case, *, wider: bool = True) -> Changed:
    """Reordered columns, a new one first, wider values, reordered calls."""
    orders: list[Sequence[int | None]] = [[None, *reversed(range(len(types)))] for types in case.spec["inputTypes"]]
    calls = list(reversed(range(len(case.spec.get("aggs", ())))))
    return Changed(case.spec, orders, WIDER | NARROW if wider else {}, calls)


def going_on(case: Case) -> list[Step]:
    """Later micro-batches: new rows, windows that close, entries that expire."""
    rows = [row for step in case.steps for row in step.rows]
    if any(call["function"] == "$SINGLE_VALUE$1" for call in case.spec.get("aggs", ())):
        # It accepts one row.
        rows = [replace(row, values=(*row.values[:6], False)) for row in rows]
    event = case.spec.get("timeDomain") == "event"
    steps = [Step(DAY + 5, [replace(row, watermark=0) for row in rows], watermark=0 if event else None)]
    if event:
        now = max([step.watermark or 0 for step in case.steps])
        later = [replace(row, watermark=now) for row in rows]
        steps = [Step(DAY + 5, later, watermark=now)]
        steps += [Step(DAY + 6 + at, [], watermark=max(now, at * 700)) for at in range(12)]
        return [*steps, Step(DAY + 30, [], watermark=END)]
    again = [replace(row) for row in rows]
    return [*steps, Step(2 * DAY - 1, again), Step(2 * DAY + 4, again), Step(3 * DAY + 9, again), Step(9 * DAY, again)]


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.steps])
def test_an_operator_continues_over_other_columns(name: str, harness: Harness) -> None:
    case = CASES[name]
    # Bitmaps have no members wider than INT.
    new, more = changed(case, wider="bitmap" not in name), going_on(case)
    uninterrupted = harness.run(case.spec, [*case.steps, *more])
    last = case.steps[-1]
    move = Step(last.time + 1, [], spec=new.spec, watermark=last.watermark, mapping=new.mapping)
    moved = harness.run(case.spec, [*case.steps, move, *new.steps(more)])
    before = len(case.steps)
    assert moved[before].out == [], "nothing comes out of a move"
    assert moved[before].keys == uninterrupted[before - 1].keys
    for expected, answer in zip(uninterrupted[before:], moved[before + 1 :], strict=True):
        assert short(new.shown_before(answer.out)) == short(expected.out)
        assert answer.state_rows == expected.state_rows


def moved_to(harness: Harness, old: dict[str, Any], steps: list[Step], new: dict[str, Any], **mapping: Any) -> Any:
    """The meaning of the state after a move."""
    inputs = [[{"input": 0, "column": at} for at in range(len(types))] for types in new["inputTypes"]]
    move_mapping = {
        "from": old["uid"],
        "to": new["uid"],
        "inputs": inputs,
        "calls": list(range(len(new.get("aggs", ())))),
    }
    last = steps[-1]
    move = Step(last.time, [], spec=new, watermark=last.watermark, mapping=move_mapping | mapping)
    return harness.states(old, [*steps, move])["states"]["a"]


AGGREGATE = {
    **CASES["deduplicate-first"].spec,
    "type": "group-aggregate",
    "outputTypes": ["STRING", "BIGINT", "INT"],
    "grouping": [0],
    "aggs": [COUNT, SUM],
    "ttl": [0],
}
del AGGREGATE["keepLast"]
ROWS = [Step(DAY, [Change("+I", A, 0, "a"), Change("+I", B, 0, "a")])]


def test_a_removed_call_is_dropped_and_a_new_one_starts_empty(harness: Harness) -> None:
    biggest = {"function": "$MAX$1", "args": [2]}
    new = {**AGGREGATE, "outputTypes": ["STRING", "BIGINT", "BIGINT"], "aggs": [biggest, COUNT]}
    state = moved_to(harness, AGGREGATE, ROWS, new, calls=[None, 0])["means"]
    assert state["rows"] == 2
    assert [frame["fields"] for frame in state["aggregates"]] == [{"best": None}, {"count": 2}]


def test_a_new_count_of_all_rows_knows_those_from_before(harness: Harness) -> None:
    old = {**AGGREGATE, "outputTypes": ["STRING", "INT"], "aggs": [SUM]}
    counts = [COUNT, {**COUNT, "args": [1]}, {**COUNT, "filter": 3}]
    types = [*TYPES, "BOOLEAN"]
    old, new = (
        {**spec, "inputTypes": [types]}
        for spec in (old, {**old, "outputTypes": ["STRING", *["BIGINT"] * 3, "INT"], "aggs": [*counts, SUM]})
    )
    rows = [replace(row, values=(*row.values, True)) for row in ROWS[0].rows]
    state = moved_to(harness, old, [Step(DAY, rows)], new, calls=[None, None, None, 0])["means"]
    assert [frame["fields"]["count"] for frame in state["aggregates"]] == [2, 0, 0, 1]


@pytest.mark.parametrize("type_", ["rowtime-over", "proctime-over"])
def test_a_new_call_of_a_bounded_window_takes_in_the_rows_that_the_window_will_let_go(
    type_: str, harness: Harness
) -> None:
    event = type_ == "rowtime-over"
    fields = {"time": 2, "timeDomain": "event"} if event else {"rows": True}
    old = {**AGGREGATE, **fields, "type": type_, "outputTypes": [*TYPES, "BIGINT"], "aggs": [COUNT]}
    old |= {"preceding": 10_000 if event else 2}
    del old["grouping"]
    new = {**old, "outputTypes": [*TYPES, "BIGINT", "INT"], "aggs": [COUNT, SUM]}
    rows = [("a", 1, 1_000), ("a", 2, 2_000), ("a", 4, 3_000)]

    def batches(values: Sequence[tuple[Any, ...]], start: int) -> list[Step]:
        return [
            Step(DAY + start + at, [Change("+I", row, 0, "a", watermark=0)], watermark=row[2] if event else None)
            for at, row in enumerate(values)
        ]

    later = [("a", 8, 4_000), ("a", 16, 12_500), ("a", 32, 20_000)]
    end = [Step(2 * DAY, [], watermark=END if event else None)]
    inputs = [[{"input": 0, "column": at} for at in range(3)]]
    mapping = {"from": old["uid"], "to": old["uid"], "inputs": inputs, "calls": [0, None]}
    move = Step(DAY + 90, [], spec=new, watermark=3_000 if event else None, mapping=mapping)
    first = [*batches(rows, 0), Step(DAY + 80, [], watermark=3_000 if event else None)]
    moved = harness.run(old, [*first, move, *batches(later, 100), *end])
    scratch = harness.run(new, [*first, Step(DAY + 90, [], watermark=move.watermark), *batches(later, 100), *end])
    out = [short(answer.out) for answer in moved[len(first) :]]
    assert out == [short(answer.out) for answer in scratch[len(first) :]]
    assert any(out)


def test_columns_are_removed(harness: Harness) -> None:
    case = CASES["join"]
    new = {**case.spec, "inputTypes": [["STRING", "INT"], TYPES], "outputTypes": ["STRING", "INT", *TYPES]}
    inputs = [
        [{"input": 0, "column": 0}, {"input": 0, "column": 1}],
        [{"input": 1, "column": at} for at in range(3)],
    ]
    state = moved_to(harness, case.spec, list(case.steps), new, inputs=inputs)["means"]
    assert [entry["row"] for entry in state["input0"]["rows"]] == [["a", 1], ["a", None]]
    assert state["input0"]["rows"][0]["lastWrite"] == DAY
    assert [entry["row"] for entry in state["input1"]["rows"]] == [list(A)]


def test_unchanged_state_keeps_its_bytes(harness: Harness) -> None:
    case = CASES["rank"]
    new = {**case.spec, "inputTypes": [["STRING", "BIGINT", "BIGINT", "DOUBLE"]]}
    new["outputTypes"] = new["inputTypes"][0]
    inputs = [[*({"input": 0, "column": at} for at in range(3)), None]]
    moved = moved_to(harness, case.spec, list(case.steps), new, inputs=inputs)
    assert moved["bytes"] == harness.states(case.spec, case.steps)["states"]["a"]["bytes"]


def python_moved(harness: Harness, old: str, accumulator: Any) -> dict[str, Any]:
    """The state of a Python aggregate function with accumulators of another type."""
    case = CASES[old]
    call = {**case.spec["aggs"][0], "python": {**case.spec["aggs"][0]["python"], "accumulator": accumulator}}
    inputs = [[{"input": 0, "column": at} for at in range(3)]]
    uid = case.spec["uid"]
    mapping = {"from": uid, "to": uid, "inputs": inputs, "calls": [0]}
    move = Step(DAY, [], spec={**case.spec, "aggs": [call]}, mapping=mapping)
    state = harness.states(case.spec, [move], {"a": bytes.fromhex(case.state) + b"\x02"})["states"]["a"]
    [frame] = state["means"]["aggregates"]
    return dict(frame)


NUMBERS = {**PAIRS, "children": [NUMBER]}
WIDER_PAIRS = {**PAIRS, "children": [{**PAIR, "children": [{**NUMBER, "kind": "DECIMAL", "precision": 20}, REAL]}]}


@pytest.mark.parametrize(
    ("old", "accumulator"),
    [
        ("group-aggregate-python", PAIRS),
        ("group-aggregate-python", NUMBERS),
        ("group-aggregate-python", None),
        ("group-aggregate-python-unfit", PAIRS),
        ("group-aggregate-python-unfit", WIDER_PAIRS),
    ],
)
def test_pickled_accumulators_are_not_converted(old: str, accumulator: Any, harness: Harness) -> None:
    """Of an earlier release, or not exactly of their type: Python reads them when a row comes."""
    assert python_moved(harness, old, accumulator) == {"form": "python", "version": 1, "fields": {"state": "80054e"}}


def test_accumulators_of_a_wider_type(harness: Harness) -> None:
    actual = python_moved(harness, "group-aggregate-python-value", WIDER_PAIRS)
    assert actual == {"form": "python-value", "version": 1, "fields": {"accumulator": [["1", 1.5], ["2", None]]}}


@pytest.mark.parametrize(
    ("accumulator", "why"),
    [
        (NUMBERS, r"call 0\.accumulator: .*values of ARRAY<ROW<BIGINT, DOUBLE>> cannot become"),
        (None, r"it is python in version 1 instead of python-value in version 1"),
    ],
)
def test_accumulators_of_another_type_are_refused(accumulator: Any, why: str, harness: Harness) -> None:
    with pytest.raises(OperatorError, match=why):
        python_moved(harness, "group-aggregate-python-value", accumulator)


REFUSED: dict[str, tuple[str, dict[str, Any], dict[str, Any], str]] = {
    "another operator": (
        "rank",
        CASES["deduplicate"].spec | {"uid": "rank", "inputTypes": [TYPES], "outputTypes": TYPES},
        {},
        r"operator rank: cannot convert the state of rank: it is deduplicate instead of rank",
    ),
    "a narrower type": (
        "rank",
        {"inputTypes": [["STRING", "INT", "INT"]], "outputTypes": ["STRING", "INT", "INT"]},
        {},
        r"operator rank, field rows\.row: .* values of BIGINT cannot become INT",
    ),
    "a key of another column": (
        "rank",
        {"ports": [{"key": [1]}]},
        {},
        r"operator rank, field key of input 0: .* its column 0 was column 1 of input 0",
    ),
    "a key that was not there": (
        "rank",
        {},
        {"inputs": [[None, {"input": 0, "column": 1}, {"input": 0, "column": 2}]]},
        r"operator rank, field key of input 0: .* its column 0 was not there",
    ),
    "a column that was not kept": (
        "rank",
        {},
        {"inputs": [[{"input": 0, "column": 0}, {"input": 0, "column": 7}, None]]},
        r"operator rank, field rows\.row: .* column 7 of input 0 was not stored",
    ),
    "a window that becomes bounded": (
        "over-rowtime",
        {"preceding": 1_000},
        {},
        r"operator rowtime-over, field firings: .* the old state has no such field",
    ),
    "a window that is bounded no more": (
        "over-rowtime-bounded",
        {"preceding": None},
        {},
        r"operator rowtime-over, field frame: .* the new state has no fields \[rows\]",
    ),
    "another function of the same form": (
        "over-rowtime",
        {"aggs": [COUNT, {**SUM, "function": "$$SUM0$1"}]},
        {},
        r'operator rowtime-over, field frame\.aggregates\.call 1: .* its function was "\$SUM\$1" and is "\$\$SUM0\$1"',
    ),
    "another argument": (
        "over-rowtime",
        {"aggs": [COUNT, {**SUM, "args": [2]}]},
        {},
        r"operator rowtime-over, field frame\.aggregates\.call 1: .* it reads column 2 of input 0 instead of column 1",
    ),
    "another filter": (
        "over-rowtime",
        {"aggs": [{**COUNT, "filter": 1}, SUM]},
        {},
        r"operator rowtime-over, field frame\.aggregates\.call 0: .* only one of the two has a filter",
    ),
    "another accumulator": (
        "over-rowtime",
        {"aggs": [COUNT, {**SUM, "distinct": True}]},
        {},
        r"operator rowtime-over, field frame\.aggregates\.call 1: .* its distinct was false and is true",
    ),
    "a call that was not there": (
        "over-rowtime",
        {},
        {"calls": [0, 5]},
        r"operator rowtime-over, field frame\.aggregates\.call 1: .* there was no call 5",
    ),
    "a mapping of other calls": (
        "over-rowtime",
        {},
        {"calls": [0]},
        r"operator rowtime-over, field frame\.aggregates: .* there are 2 calls, but the mapping has 1",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_unmappable_changes_are_refused_by_name(what: str, harness: Harness) -> None:
    name, fields, mapping, message = REFUSED[what]
    case = CASES[name]
    new = fields if "type" in fields else case.spec | fields
    with pytest.raises(OperatorError, match=message):
        moved_to(harness, case.spec, list(case.steps), new, **mapping)


WIDENED: list[tuple[str, str, Any, Any]] = [
    ("BYTE", "SHORT", -1, -1),
    ("INT", "BIGINT", 1 << 30, 1 << 30),
    ("INT", "DECIMAL(12, 2)", 5, "5.00"),
    ("INT", "DOUBLE", -7, -7.0),
    ("FLOAT", "DOUBLE", 0.1, 0.10000000149011612),
    ("DECIMAL(5, 2)", "DECIMAL(8, 4)", "-12.30", "-12.3000"),
    ("DECIMAL(5, 2)", "DECIMAL(38, 2)", "12.30", "12.30"),
    ("ARRAY<INT>", "ARRAY<DOUBLE>", [1, None], [1.0, None]),
]


@pytest.mark.parametrize(("old", "new", "value", "expected"), WIDENED)
def test_values_become_wider(old: str, new: str, value: Any, expected: Any, harness: Harness) -> None:
    spec = {**CASES["rank"].spec, "inputTypes": [["STRING", "INT", old]], "outputTypes": ["STRING", "INT", old]}
    changed = spec | {"inputTypes": [["STRING", "INT", new]], "outputTypes": ["STRING", "INT", new]}
    steps = [Step(DAY, [Change("+I", ("a", 1, value), 0, "a"), Change("+I", ("a", 2, None), 0, "a")])]
    moved = moved_to(harness, spec, steps, changed)
    assert [entry["row"][2] for entry in moved["means"]["rows"]] == [expected, None]
    # The written state is the one that the new operator itself would write.
    wide = [Step(DAY, [Change("+I", ("a", 1, expected), 0, "a"), Change("+I", ("a", 2, None), 0, "a")])]
    assert moved["bytes"] == harness.states(changed, wide)["states"]["a"]["bytes"]


NARROWED = [
    ("BIGINT", "INT"),
    ("BIGINT", "DOUBLE"),
    ("INT", "FLOAT"),
    ("INT", "DECIMAL(11, 2)"),
    ("DOUBLE", "FLOAT"),
    ("DECIMAL(5, 2)", "DECIMAL(5, 3)"),
    ("DECIMAL(5, 2)", "DECIMAL(8, 1)"),
    ("STRING", "BINARY"),
    ("DATE", "TIMESTAMP_NTZ"),
    ("TIMESTAMP", "TIMESTAMP_NTZ"),
    ("ARRAY<BIGINT>", "ARRAY<INT>"),
]


@pytest.mark.parametrize(("old", "new"), NARROWED)
def test_values_are_never_narrowed_or_reinterpreted(old: str, new: str, harness: Harness) -> None:
    spec = {**CASES["rank"].spec, "inputTypes": [["STRING", "INT", old]], "outputTypes": ["STRING", "INT", old]}
    changed = spec | {"inputTypes": [["STRING", "INT", new]], "outputTypes": ["STRING", "INT", new]}
    with pytest.raises(OperatorError, match=r"operator rank, field rows\.row: .* values of .* cannot become"):
        moved_to(harness, spec, [Step(DAY, [Change("+I", ("a", 1, None), 0, "a")])], changed)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("INT", "DECIMAL(12, 0)"),
        ("INT", "DOUBLE"),
        ("SHORT", "FLOAT"),
        ("ARRAY<INT>", "ARRAY<DOUBLE>"),
    ],
)
def test_a_key_whose_text_would_change_is_refused(old: str, new: str, harness: Harness) -> None:
    spec = {**CASES["rank"].spec, "inputTypes": [[old, "INT"]], "outputTypes": [old, "INT"], "orderBy": [{"index": 1}]}
    value: Any = [1] if old.startswith("ARRAY") else 1
    steps = [Step(DAY, [Change("+I", (value, 1), 0, "a")])]
    changed = spec | {"inputTypes": [[new, "INT"]], "outputTypes": [new, "INT"]}
    with pytest.raises(OperatorError, match=r"key of input 0: .* of one value are different keys"):
        moved_to(harness, spec, steps, changed)
    # Columns outside the key may become key columns.
    plain = moved_to(harness, spec | {"ports": [{"key": []}]}, steps, changed | {"ports": [{"key": []}]})
    expected: Any = {"DECIMAL(12, 0)": "1", "ARRAY<DOUBLE>": [1.0]}.get(new, 1.0)
    assert plain["means"]["rows"][0]["row"][0] == expected


def test_expired_keys_are_dropped(harness: Harness) -> None:
    case = CASES["deduplicate-first"]
    inputs = [[{"input": 0, "column": at} for at in range(3)]]
    mapping = {"from": "deduplicate", "to": "deduplicate", "inputs": inputs, "calls": []}
    shorter = case.spec | {"ttl": [1_000]}
    for time, keys in ((DAY + 999, 1), (DAY + 1_000, 0)):
        (_, moved) = harness.run(case.spec, [*case.steps, Step(time, [], spec=shorter, mapping=mapping)])
        assert (moved.keys, moved.timers, moved.state_rows) == (keys, keys, keys)


def test_entries_that_were_never_to_expire_get_a_timer(harness: Harness) -> None:
    case = CASES["join"]
    never, soon = case.spec | {"ttl": [0, 0]}, case.spec | {"ttl": [0, 500]}
    inputs = [[{"input": port, "column": at} for at in range(3)] for port in range(2)]
    mapping = {"from": "join", "to": "join", "inputs": inputs, "calls": []}
    steps = [*case.steps, Step(DAY + 400, [], spec=soon, mapping=mapping), Step(DAY + 499, []), Step(DAY + 500, [])]
    first, moved, before, after = harness.run(never, steps)
    assert (first.timers, moved.timers) == (0, 1)
    assert (moved.state_rows, before.state_rows, after.state_rows) == (3, 3, 2)
