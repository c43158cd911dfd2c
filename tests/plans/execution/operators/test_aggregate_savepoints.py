"""Group aggregates that continue Flink's state: a row of accumulators, and views of collections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.support.kernel.harness import Change, Harness, OperatorError, Savepoint, Step, short

TEXT, NUMBER = 1, 2


def spec(aggs: Sequence[Mapping[str, Any]], output: Sequence[str], **fields: Any) -> dict[str, Any]:
    return {
        "uid": "agg",
        "type": "group-aggregate",
        "inputTypes": [["STRING", "STRING", "INT", "DECIMAL(10,2)", "BOOLEAN", "DOUBLE"]],
        "outputTypes": ["STRING", *output],
        "ports": [{"key": [0]}],
        "grouping": [0],
        "aggs": [*aggs],
        # With a TTL, updates that change nothing are emitted, too.
        "ttl": [1_000_000],
        **fields,
    }


def call(function: str, *args: int, **more: Any) -> dict[str, Any]:
    return {"function": f"${function}$1", "args": [*args], **more}


def entry(state: str, value: Any, **more: Any) -> dict[str, Any]:
    return {"state": state, "key": ["k"], "value": value, **more}


def view(state: str, values: Mapping[Any, Any]) -> list[dict[str, Any]]:
    return [entry(state, value, uk=key) for key, value in values.items()]


def row(text: str | None, number: int | None, kind: str = "+I", double: float | None = None) -> Change:
    return Change(kind, ("k", text, number, None if number is None else f"{number}.50", True, double), key="k")


def results(harness: Harness, described: dict[str, Any], entries: Sequence[dict[str, Any]], *rows: Change) -> list[str]:
    steps = [Step(1000, rows or [row(None, None)])]
    (answer,) = harness.run(described, steps, savepoint=Savepoint(entries))
    return [text for text in short(answer.out) if text[1] in "ID" or text.startswith("+U")]


#: An aggregate over insert-only input: its type, Flink's columns and views, and its result after (x, 9).
INSERTED = [
    (call("COUNT"), "BIGINT", [4], [], "5"),
    (call("SUM", 2), "INT", [7], [], "16"),
    (call("SUM", 2), "INT", [None], [], "9"),
    (call("SUM", 3), "DECIMAL(38,2)", ["7.25"], [], "16.75"),
    (call("SUM", 5), "DOUBLE", ["-Infinity"], [], "-Infinity"),
    ({"function": "$$SUM0$1", "args": [2]}, "INT", [0], [], "9"),
    (call("AVG", 2), "INT", [7, 3], [], "4"),
    (call("AVG", 3), "DECIMAL(38,6)", ["7.50", 3], [], "4.250000"),
    (call("MIN", 2), "INT", [3], [], "3"),
    (call("MAX", 1), "STRING", [None], [], "x"),
    (call("FIRST_VALUE", 2), "INT", [[4, 1700000000000]], [], "4"),
    (call("LAST_VALUE", 2), "INT", [[4, -(2**63)]], [], "9"),
    (call("LISTAGG", 1), "STRING", [",", "a,b"], [], "a,b,x"),
    (call("ARRAY_AGG", 2), "ARRAY<INT>", [[[4, None], []]], [], "(4, None, 9)"),
    (call("COLLECT", 1), "MULTISET", [[None]], view("agg0$map", {"x": 2, "y": 1}), "(('x', 3), ('y', 1))"),
    (call("PERCENTILE", 2, 5), "DOUBLE", [[[0.5], None]], view("agg0$valueCount", {1.0: 1, 4.0: 1}), "4.0"),
    (call("$WELFORD_M2$1", 2), "DOUBLE", [[2, 7.0, 8.0]], [], "10.666666666666666"),
    (call("JSON_ARRAYAGG_NULL_ON_NULL", 1), "STRING", [[None]], [entry("agg0$list", ["1", "null"])], "[1,null,x]"),
    (call("JSON_OBJECTAGG_NULL_ON_NULL", 1, 1), "STRING", [[None]], view("agg0$map", {"a": ""}), '{"a":null,"x":x}'),
    (
        call("JSON_OBJECTAGG_NULL_ON_NULL", 1, 1),
        "STRING",
        [[None]],
        view("agg0$map", {"z": "1", "b": "2"}),
        '{"b":2,"x":x,"z":1}',
    ),
    (call("COUNT", 1, distinct=True), "BIGINT", [2, None], view("distinctAcc_0", {"x": 1, "y": 1}), "2"),
    (call("COUNT", 1, distinct=True), "BIGINT", [1, None], view("distinctAcc_0", {"y": 1}), "2"),
    (call("SUM", 2, distinct=True), "INT", [5, None], view("distinctAcc_0", {5: 1}), "14"),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("aggregate", "type_", "columns", "views", "expected"), INSERTED)
def test_an_aggregate_goes_on(
    harness: Harness,
    aggregate: dict[str, Any],
    type_: str,
    columns: list[Any],
    views: list[dict[str, Any]],
    expected: str,
) -> None:
    entries = [*views, entry("accState", columns)]
    (last,) = results(harness, spec([aggregate], [type_]), entries, row("x", 9, double=0.5))
    assert last == f"+U(k, {expected})"


#: An aggregate over input with retraction: its type, Flink's columns before COUNT(*), views, and its result after a
#: retraction of (b, 4).
RETRACTED = [
    (call("COUNT", 1), "BIGINT", [3], [], "2"),
    (call("SUM", 2), "INT", [7, 2], [], "3"),
    (call("SUM", 2), "INT", [4, 1], [], "null"),
    ({"function": "$$SUM0$1", "args": [2]}, "INT", [7], [], "3"),
    (call("AVG", 2), "INT", [7, 2], [], "3"),
    (call("MAX", 2), "INT", [[4, 2, None]], view("agg0$map", {4: 1, 3: 2}), "3"),
    (
        call("FIRST_VALUE", 1),
        "STRING",
        [["b", 10, None, None]],
        [*view("agg0$orderToValueMap", {20: ["c", "a"], 10: ["b"]}), *view("agg0$valueToOrderMap", {"b": [10]})],
        "c",
    ),
    (
        call("LAST_VALUE", 1),
        "STRING",
        [["b", 20, None, None]],
        view("agg0$orderToValueMap", {20: ["c", "b"], 10: ["a"]}),
        "c",
    ),
    (call("LISTAGG", 1), "STRING", [[None, None]], [entry("agg0$list", ["b", "a", "b"])], "a,b"),
    (call("ARRAY_AGG", 2), "ARRAY<INT>", [[[5, 4], []]], [], "(5,)"),
    (call("COLLECT", 1), "MULTISET", [[None]], view("agg0$map", {"a": 2, "b": 1}), "(('a', 2),)"),
    (call("COUNT", 1, distinct=True), "BIGINT", [2], view("distinctAcc_0", {"a": 3, "b": 1}), "1"),
    (call("COUNT", 1, distinct=True), "BIGINT", [2], view("distinctAcc_0", {"a": 1, "b": 2}), "2"),
]


@pytest.mark.parametrize(("aggregate", "type_", "columns", "views", "expected"), RETRACTED)
def test_a_retraction_of_a_row_that_flink_counted(
    harness: Harness,
    aggregate: dict[str, Any],
    type_: str,
    columns: list[Any],
    views: list[dict[str, Any]],
    expected: str,
) -> None:
    views_of_distinct = [None] if aggregate.get("distinct") else []
    entries = [*views, entry("accState", [*columns, 3, *views_of_distinct])]
    described = spec([aggregate], [type_], needRetraction=True)
    assert results(harness, described, entries, row("b", 4, "-D")) == [f"+U(k, {expected})"]


def test_a_group_ends_with_its_last_row(harness: Harness) -> None:
    described = spec([call("SUM", 2), call("COUNT")], ["INT", "BIGINT"], needRetraction=True)
    assert results(harness, described, [entry("accState", [4, 1, 1])], row("b", 4, "-D")) == ["-D(k, 4, 1)"]


def test_calls_over_the_same_columns_share_their_distinct_values(harness: Harness) -> None:
    calls = [
        call("COUNT", 2, distinct=True, filter=4),
        call("COUNT", 2, distinct=True),
        call("SUM", 2, distinct=True),
        call("COUNT", 1, distinct=True),
    ]
    described = spec(calls, ["BIGINT", "BIGINT", "INT", "BIGINT"])
    # Bits of the calls: 9 occurred in the second and third only, null in none but the first.
    entries = [
        entry("accState", [1, 1, 9, 0, None, None]),
        *view("distinctAcc_0", {9: 0b110}),
        entry("distinctAcc_0_null_state", 0b001),
    ]
    assert results(harness, described, entries, row("x", 9)) == ["+U(k, 2, 1, 9, 1)"]


def test_calls_with_retraction_have_a_count_each(harness: Harness) -> None:
    calls = [call("COUNT", 2, distinct=True, filter=4), call("SUM", 2, distinct=True)]
    described = spec(calls, ["BIGINT", "INT"], needRetraction=True)
    entries = [entry("accState", [1, 9, 1, 3, None]), *view("distinctAcc_0", {9: [1, 2]})]
    assert results(harness, described, entries, row("x", 9, "-D")) == ["+U(k, 0, 9)"]


def test_distinct_values_of_all_buckets_belong_to_the_last_phase(harness: Harness) -> None:
    described = spec([call("SUM", 2), call("COUNT", 1, distinct=True)], ["INT", "BIGINT"])
    entries = [
        entry("accState", [7, 2]),
        {**entry("distinctAcc_0", 1, uk="x"), "key": ["k", 12]},
        {**entry("distinctAcc_0", 1, uk="y"), "key": ["k", 801]},
    ]
    assert results(harness, described, entries, row("y", 1)) == ["+U(k, 8, 2)"]


def test_a_group_expires_at_its_last_write(harness: Harness) -> None:
    described = spec([call("COUNT")], ["BIGINT"], ttl=[1000])
    savepoint = Savepoint([entry("accState", [4], written=500)], time=600)
    (before,) = harness.run(described, [Step(1499, [row("x", 1)])], savepoint=savepoint)
    (after,) = harness.run(described, [Step(1500, [row("x", 1)])], savepoint=savepoint)
    assert (short(before.out)[-1], short(after.out)) == ("+U(k, 5)", ["+I(k, 1)"])


@pytest.mark.parametrize(
    ("aggregate", "columns", "message"),
    [
        (call("SUM", 2), [7, 2], "a row of accumulators has 2 columns instead of 1"),
        (call("FIRST_VALUE", 2), [4], r"aggregate call 0 \(\$FIRST_VALUE\$1\): an accumulator of 2 fields is expected"),
        (call("SUM", 2), ["x"], "is no INT"),
    ],
)
def test_an_unknown_form_is_refused(
    harness: Harness, aggregate: dict[str, Any], columns: list[Any], message: str
) -> None:
    with pytest.raises(OperatorError, match=message):
        results(harness, spec([aggregate], ["INT"]), [entry("accState", columns)])
