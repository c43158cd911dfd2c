"""Group aggregate against Flink's GroupAggFunction and a model that aggregates from scratch each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import date, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.kernel.changelogs import Batches, retract_streams
from tests.support.kernel.harness import Change, Harness, OperatorError, Step, add_up, batches, short


def spec(aggs: list[dict[str, Any]], output: list[str], **fields: Any) -> dict[str, Any]:
    return {
        "uid": "agg",
        "type": "group-aggregate",
        "inputTypes": [["STRING", "INT"]],
        "outputTypes": ["STRING", *output],
        "grouping": [0],
        "aggs": aggs,
        "ttl": [0],
        **fields,
    }


COUNT_SUM = spec([{"function": "$COUNT$1", "args": []}, {"function": "$SUM$1", "args": [1]}], ["BIGINT", "INT"])


def test_a_batch_gives_one_net_change_for_a_key(harness: Harness) -> None:
    rows = [Change("+I", ("a", 1), key="a"), Change("+I", ("b", None), key="b"), Change("+I", ("a", 2), key="a")]
    first, second = harness.run(COUNT_SUM, batches([rows, [Change("+I", ("a", 3), key="a")]]))
    assert short(first.out) == ["+I(a, 2, 3)", "+I(b, 1, null)"]
    assert short(second.out) == ["-U(a, 2, 3)", "+U(a, 3, 6)"]
    assert second.state_rows == 2


@pytest.mark.parametrize("arguments", [[1], [1, 2]])
def test_distinct_floating_numbers_are_equal_by_their_bits(harness: Harness, arguments: list[int]) -> None:
    aggs = [{"function": "$COUNT$1", "args": arguments, "distinct": True}]
    distinct = {**spec(aggs, ["BIGINT"]), "inputTypes": [["STRING", "DOUBLE", "INT"]]}
    rows = [Change("+I", ("a", value, 1)) for value in (0.0, -0.0, 1.5, -0.0)]
    (only,) = harness.run(distinct, batches([rows]))
    assert short(only.out) == ["+I(a, 3)"]


def test_without_coalescing_each_row_changes(harness: Harness) -> None:
    rows = [Change("+I", ("a", 1)), Change("+I", ("a", 2))]
    (only,) = harness.run({**COUNT_SUM, "coalesce": False, "generateUpdateBefore": False}, batches([rows]))
    assert short(only.out) == ["+I(a, 1, 1)", "+U(a, 2, 3)"]


def test_an_emptied_group_is_deleted_and_comes_back(harness: Harness) -> None:
    retracting = {**COUNT_SUM, "needRetraction": True}
    steps = [[Change("+I", ("a", 1))], [Change("-D", ("a", 1))], [Change("+I", ("a", 7))]]
    answers = harness.run(retracting, batches(steps))
    assert [short(a.out) for a in answers] == [["+I(a, 1, 1)"], ["-D(a, 1, 1)"], ["+I(a, 1, 7)"]]
    assert [a.keys for a in answers] == [1, 0, 1]


def test_a_retraction_for_an_unknown_key_is_ignored(harness: Harness) -> None:
    retracting = {**COUNT_SUM, "needRetraction": True}
    (only,) = harness.run(retracting, batches([[Change("-D", ("a", 1)), Change("+I", ("a", 5))]]))
    assert short(only.out) == ["+I(a, 1, 5)"]


def test_values_that_only_grow_need_no_list_of_all_values(harness: Harness) -> None:
    """Flink plans MAX of a count so: each retraction is followed by a larger value."""
    highest = spec([{"function": "$MAX$1", "args": [1], "needRetract": False}], ["INT"], needRetraction=True)
    steps = [[Change("+I", ("a", 1))], [Change("-U", ("a", 1)), Change("+U", ("a", 2))]]
    answers = harness.run(highest, batches(steps))
    assert [short(a.out) for a in answers] == [["+I(a, 1)"], ["-U(a, 1)", "+U(a, 2)"]]


def test_unchanged_results_are_suppressed_only_without_a_ttl(harness: Harness) -> None:
    maximum = spec([{"function": "$MAX$1", "args": [1]}], ["INT"])
    steps = batches([[Change("+I", ("a", 5))], [Change("+I", ("a", 3))]])
    assert short(harness.run(maximum, steps)[1].out) == []
    assert short(harness.run({**maximum, "ttl": [60_000]}, steps)[1].out) == ["-U(a, 5)", "+U(a, 5)"]


def test_sums_wrap_in_their_type(harness: Harness) -> None:
    rows = [Change("+I", ("a", 2_147_483_647)), Change("+I", ("a", 1))]
    (only,) = harness.run(COUNT_SUM, batches([rows]))
    assert short(only.out) == ["+I(a, 2, -2147483648)"]


def test_decimal_sum_that_overflows_is_null(harness: Harness) -> None:
    decimal = spec([{"function": "$SUM$1", "args": [1]}], ["DECIMAL(4, 1)"], inputTypes=[["STRING", "DECIMAL(4, 1)"]])
    steps = batches([[Change("+I", ("a", "999.9"))], [Change("+I", ("a", "0.1"))]])
    first, second = harness.run(decimal, steps)
    assert short(first.out) == ["+I(a, 999.9)"]
    assert short(second.out) == ["-U(a, 999.9)", "+U(a, null)"]


def test_a_filtered_count(harness: Harness) -> None:
    filtered = spec(
        [{"function": "$COUNT$1", "args": [], "filter": 2}], ["BIGINT"], inputTypes=[["STRING", "INT", "BOOLEAN"]]
    )
    rows = [Change("+I", ("a", 1, True)), Change("+I", ("a", 1, False)), Change("+I", ("a", 1, None))]
    (only,) = harness.run(filtered, batches([rows]))
    assert short(only.out) == ["+I(a, 1)"]


def test_a_second_row_of_a_scalar_subquery_fails(harness: Harness) -> None:
    single = spec([{"function": "$SINGLE_VALUE$1", "args": [1]}], ["INT"], needRetraction=True)
    with pytest.raises(OperatorError, match="SINGLE_VALUE received more than one element"):
        harness.run(single, batches([[Change("+I", ("a", 1)), Change("+I", ("a", 2))]]))


def test_unknown_functions_are_refused_by_name(harness: Harness) -> None:
    with pytest.raises(OperatorError, match=r"\$MEDIAN\$1 is not supported"):
        harness.run(spec([{"function": "$MEDIAN$1", "args": [1]}], ["INT"]), [])


def test_texts_keep_the_order_of_arrival(harness: Harness) -> None:
    texts = spec(
        [
            {"function": "$LISTAGG$1", "args": [1, 2]},
            {"function": "$LISTAGG$1", "args": [1], "distinct": True},
            {"function": "$FIRST_VALUE$1", "args": [1]},
            {"function": "$LAST_VALUE$1", "args": [1]},
            {"function": "$ARRAY_AGG$1", "args": [1]},
            {"function": "$COLLECT$1", "args": [1]},
        ],
        ["STRING", "STRING", "STRING", "STRING", "ARRAY<STRING>", "MULTISET"],
        inputTypes=[["STRING", "STRING", "STRING"]],
    )
    rows = [Change("+I", ("a", text, "-")) for text in (None, "x", "y", "x", None)]
    expected = ("a", "x-y-x", "x,y", "x", "x", (None, "x", "y", "x", None), (("x", 2), ("y", 1)))
    for retracting in (False, True):
        (only,) = harness.run({**texts, "needRetraction": retracting}, batches([rows]))
        assert [c.values for c in only.out] == [expected]


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("BIGINT", lambda n: n * 2**32 if n % 3 else -n),
        ("BYTE", lambda n: n % 256 - 128),
        ("STRING", lambda n: "é" * (n % 5) + str(n)),
        ("DATE", lambda n: str(date(1969, 1, 1) + timedelta(n))),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_values_that_come_and_go_keep_the_order_in_which_they_came(
    harness: Harness, type_: str, value: Callable[[int], Any], seed: int
) -> None:
    """A Python model, whose dictionaries also append a value that was deleted and inserted again."""
    aggs = [{"function": "$COLLECT$1", "args": [1]}, {"function": "$COUNT$1", "args": [1], "distinct": True}]
    multiset = {**spec(aggs, ["MULTISET", "BIGINT"], needRetraction=True), "inputTypes": [["STRING", type_]]}
    random, counts, steps, expected = Random(seed), dict[Any, int](), list[list[Change]](), list[Any]()
    always = Change("+I", ("a", None))
    for values in (3, 40, 250, 10):
        rows = [always]
        for _ in range(400):
            one = value(random.randrange(values))
            if counts.get(one) and random.random() < 0.45:
                counts[one] -= 1
                rows.append(Change("-D", ("a", one)))
            else:
                counts[one] = counts.get(one, 0) + 1
                rows.append(Change("+I", ("a", one)))
            if not counts[one]:
                del counts[one]
        steps.append(rows)
        expected.append(("a", tuple(counts.items()), len(counts)))
    assert [answer.out[-1].values for answer in harness.run(multiset, batches(steps))] == expected


@pytest.mark.parametrize(
    ("function", "args", "values", "output", "expected"),
    [
        ("$$WELFORD_M2$1$1", [1], [1, None, 3], "DOUBLE", 2.0),
        ("$AVG$1", [1], [1, 2, 2], "DECIMAL(10, 6)", "1.666667"),
        ("$AVG$1", [1], [-1, -2, None], "INT", -1),
        ("$AVG$1", [1], [1, 2], "DOUBLE", 1.5),
        ("$JSON_OBJECTAGG_NULL_ON_NULL$1", [2, 1], ["1", None], "STRING", '{"k0":1,"k1":null}'),
        ("$JSON_OBJECTAGG_ABSENT_ON_NULL$1", [2, 1], ["1", None], "STRING", '{"k0":1}'),
        ("$JSON_ARRAYAGG_NULL_ON_NULL$1", [1], ["1", None, "2"], "STRING", "[1,null,2]"),
        ("$JSON_ARRAYAGG_ABSENT_ON_NULL$1", [1], ["1", None, "2"], "STRING", "[1,2]"),
    ],
)
def test_further_functions(
    harness: Harness, function: str, args: list[int], values: list[Any], output: str, expected: Any
) -> None:
    """With and without rows that were inserted and retracted before."""
    column = "STRING" if "JSON" in function else "DECIMAL(10, 2)" if "DECIMAL" in output else "INT"
    one = spec([{"function": function, "args": args}], [output], inputTypes=[["STRING", column, "STRING"]])
    rows = [Change("+I", ("a", value, f"k{i}")) for i, value in enumerate(values)]
    passing = ("a", "7" if column == "STRING" else 7, "k9")
    taken_back = [rows[0], Change("+I", passing), Change("-U", passing), *rows[1:]]
    for stream, retracts in ((rows, False), (rows, True), (taken_back, True)):
        (only,) = harness.run({**one, "needRetraction": retracts}, batches([stream]))
        assert [c.values for c in only.out] == [("a", expected)]


def test_an_expired_group_starts_over(harness: Harness) -> None:
    ttl = {**COUNT_SUM, "ttl": [1000]}
    row = [Change("+I", ("a", 1))]
    steps = [Step(0, row), Step(999, row), Step(1998, row), Step(2998, row)]
    answers = harness.run(ttl, steps)
    assert [short(a.out)[-1] for a in answers] == ["+I(a, 1, 1)", "+U(a, 2, 2)", "+U(a, 3, 3)", "+I(a, 1, 1)"]


def test_an_idle_group_is_removed_at_its_expiry_and_not_before(harness: Harness) -> None:
    ttl = {**COUNT_SUM, "ttl": [1000]}
    row = [Change("+I", ("a", 1))]
    answers = harness.run(ttl, [Step(0, row), Step(600, row), Step(1000, []), Step(1599, []), Step(1600, [])])
    assert [a.state_rows for a in answers] == [1, 1, 1, 1, 0]
    assert [a.timers for a in answers] == [1, 1, 1, 1, 0]


def test_a_changed_ttl_applies_to_existing_state(harness: Harness) -> None:
    row = [Change("+I", ("a", 1))]
    longer, shorter = {**COUNT_SUM, "ttl": [10_000]}, {**COUNT_SUM, "ttl": [1000]}
    shortened = harness.run(longer, [Step(0, row), Step(1000, row, shorter)])
    assert short(shortened[1].out) == ["+I(a, 1, 1)"]
    lengthened = harness.run(shorter, [Step(0, row), Step(500, []), Step(900, [], longer), Step(5000, row)])
    assert short(lengthened[3].out) == ["-U(a, 1, 1)", "+U(a, 2, 2)"]


def test_state_is_read_as_a_wider_type_with_a_new_column(harness: Harness) -> None:
    wider = spec([{"function": "$MAX$1", "args": [1]}], ["BIGINT"], inputTypes=[["STRING", "BIGINT", "STRING"]])
    narrow = spec([{"function": "$MAX$1", "args": [1]}], ["INT"])
    steps = [Step(0, [Change("+I", ("a", 5))]), Step(1, [Change("+I", ("a", 2**40, "new"))], wider)]
    assert short(harness.run(narrow, steps)[1].out) == ["-U(a, 5)", f"+U(a, {2**40})"]


ALL = spec(
    [
        {"function": "$COUNT$1", "args": []},
        {"function": "$COUNT$1", "args": [1]},
        {"function": "$COUNT$1", "args": [1], "distinct": True},
        {"function": "$SUM$1", "args": [1]},
        {"function": "$$SUM0$1", "args": [1]},
        {"function": "$SUM$1", "args": [1], "distinct": True},
        {"function": "$MIN$1", "args": [1]},
        {"function": "$MAX$1", "args": [1]},
        {"function": "$AVG$1", "args": [1]},
    ],
    ["BIGINT", "BIGINT", "BIGINT", "INT", "INT", "INT", "INT", "INT", "INT"],
    needRetraction=True,
)


def model(table: Counter[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    result: Counter[tuple[Any, ...]] = Counter()
    for group in {row[0] for row in table}:
        values = [row[1] for row in table.elements() if row[0] == group]
        known = [v for v in values if v is not None]
        total = sum(known)
        result[
            (
                group,
                len(values),
                len(known),
                len(set(known)),
                total if known else None,
                total,
                sum(set(known)) if known else None,
                min(known, default=None),
                max(known, default=None),
                int(total / len(known)) if known else None,
            )
        ] += 1
    return result


VALUES = st.tuples(st.sampled_from("ab"), st.none() | st.integers(-3, 3))


@given(retract_streams(VALUES, key=lambda row: str(row[0])), st.booleans(), st.sampled_from([0, 10**9]))
def test_changes_result_in_the_aggregate_of_the_remaining_rows(
    harness: Harness, stream: Batches, coalesce: bool, ttl: int
) -> None:
    answers = harness.run({**ALL, "coalesce": coalesce, "ttl": [ttl]}, batches(stream))
    came: Counter[tuple[Any, ...]] = Counter()
    went: Counter[tuple[Any, ...]] = Counter()
    for batch, answer in zip(stream, answers, strict=True):
        add_up(batch, came)
        add_up(answer.out, went)
        assert went == model(came)
        assert answer.keys == answer.state_rows == len(went)


def test_percentile_between_values_with_frequencies_and_taken_back(harness: Harness) -> None:
    aggs = [{"function": "$PERCENTILE$1", "args": [1, 2]}, {"function": "$PERCENTILE$1", "args": [1, 2, 3]}]
    fields = {"inputTypes": [["STRING", "INT", "DOUBLE", "INT"]], "needRetraction": True}
    rows = [("a", 10, 0.5, 3), ("a", 1, 0.5, 1), ("a", 2, 0.5, 0), ("a", None, 0.5, 9), ("a", 5, 0.5, None)]
    steps = [[Change("+I", row) for row in rows], [Change("-D", rows[0])], [Change("-D", rows[1])]]
    answers = harness.run(spec(aggs, ["DOUBLE", "DOUBLE"], **fields), batches(steps))
    assert [short(answer.out)[-1] for answer in answers] == [
        "+I(a, 3.5, 10.0)",
        "+U(a, 2.0, 1.0)",
        "+U(a, 3.5, null)",
    ]
