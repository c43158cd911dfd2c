"""Joins against Flink's StreamingJoinOperator and a model that joins from scratch each time."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.kernel.changelogs import Batches, by_key, retract_streams, updates_alone
from tests.support.kernel.harness import Change, Harness, Step, Table, Values, add_up, batches, short
from tests.support.tiers import but_wide

TYPES = ["INNER", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI"]
#: Types of random tests in `make test`: `FULL` has the parts of `INNER` and `LEFT`, `SEMI` is the reverse of `ANTI`.
MAIN = ("FULL", "ANTI")


def spec(join_type: str, **fields: Any) -> dict[str, Any]:
    output = ["INT", "INT"] if join_type in ("SEMI", "ANTI") else ["INT", "INT", "INT", "INT"]
    return {
        "uid": "join",
        "type": "join",
        "inputTypes": [["INT", "INT"], ["INT", "INT"]],
        "outputTypes": output,
        "joinType": join_type,
        "leftKeys": [0],
        "rightKeys": [0],
        "filterNulls": [True],
        "ttl": [0, 0],
        **fields,
    }


def left(kind: str, *values: int | None) -> Change:
    return Change(kind, values, 0, str(values[0]))


def right(kind: str, *values: int | None) -> Change:
    return Change(kind, values, 1, str(values[0]))


def test_an_inner_join_keeps_the_kind_of_its_input(harness: Harness) -> None:
    rows = [left("+I", 1, 1), right("+I", 1, 7), right("-U", 1, 7), right("+U", 1, 8)]
    (only,) = harness.run(spec("INNER"), batches([rows]))
    assert short(only.out) == ["+I(1, 1, 1, 7)", "-U(1, 1, 1, 7)", "+U(1, 1, 1, 8)"]


def test_a_left_join_pads_until_there_is_a_match(harness: Harness) -> None:
    rows = [left("+I", 1, 1), right("+I", 1, 7), right("+I", 1, 8), right("-D", 1, 7), right("-D", 1, 8)]
    (only,) = harness.run(spec("LEFT"), batches([rows]))
    assert short(only.out) == [
        "+I(1, 1, null, null)",
        "-D(1, 1, null, null)",
        "+I(1, 1, 1, 7)",
        "+I(1, 1, 1, 8)",
        "-D(1, 1, 1, 7)",
        "-D(1, 1, 1, 8)",
        "+I(1, 1, null, null)",
    ]


def test_an_anti_join_retracts_and_inserts_again(harness: Harness) -> None:
    rows = [left("+I", 1, 1), right("+I", 1, 7), right("-D", 1, 7)]
    (only,) = harness.run(spec("ANTI"), batches([rows]))
    assert short(only.out) == ["+I(1, 1)", "-D(1, 1)", "+I(1, 1)"]


@pytest.mark.parametrize(("join_type", "expected"), [("LEFT", ["+I(null, 5, null, null)"]), ("INNER", [])])
def test_null_keys_touch_no_state(harness: Harness, join_type: str, expected: list[str]) -> None:
    (only,) = harness.run(spec(join_type), batches([[left("+I", None, 5), right("+I", None, 6)]]))
    assert short(only.out) == expected
    assert only.keys == 0


def test_null_keys_match_where_nulls_are_not_filtered(harness: Harness) -> None:
    (only,) = harness.run(spec("INNER", filterNulls=[False]), batches([[left("+I", None, 5), right("+I", None, 6)]]))
    assert short(only.out) == ["+I(null, 5, null, 6)"]


def test_each_side_evicts_rows_by_its_own_ttl(harness: Harness) -> None:
    steps = [
        Step(0, [left("+I", 1, 1), right("+I", 1, 7)]),
        Step(600, [left("+I", 1, 2)]),
        Step(1000, [right("+I", 1, 8)]),
        Step(1600, [right("+I", 1, 9)]),
        Step(4999, [left("+I", 1, 3)]),
    ]
    answers = harness.run(spec("INNER", ttl=[1000, 5000]), steps)
    assert short(answers[2].out) == ["+I(1, 2, 1, 8)"]
    assert short(answers[3].out) == []
    assert short(answers[4].out) == ["+I(1, 3, 1, 7)", "+I(1, 3, 1, 8)", "+I(1, 3, 1, 9)"]
    assert [a.state_rows for a in answers] == [2, 3, 3, 3, 4]


def test_state_shrinks_without_new_rows(harness: Harness) -> None:
    steps = [
        Step(0, [left("+I", 1, 1)]),
        Step(500, [right("+I", 1, 7)]),
        Step(1000, []),
        Step(1499, []),
        Step(1500, []),
    ]
    answers = harness.run(spec("INNER", ttl=[1000, 1000]), steps)
    assert [a.state_rows for a in answers] == [1, 2, 1, 1, 0]
    assert [a.timers for a in answers] == [1, 1, 1, 1, 0]


def test_a_side_that_expires_earlier_moves_the_timer(harness: Harness) -> None:
    steps = [Step(0, [left("+I", 1, 1)]), Step(10, [right("+I", 1, 7)]), Step(110, []), Step(10_000, [])]
    answers = harness.run(spec("INNER", ttl=[10_000, 100]), steps)
    assert [a.state_rows for a in answers] == [1, 2, 1, 0]


def test_a_row_of_a_unique_key_replaces_the_one_before(harness: Harness) -> None:
    unique = spec("INNER", leftUpsertKeys=[[1]])
    rows = [left("+I", 1, 5), left("+U", 1, 5), right("+I", 1, 7)]
    (only,) = harness.run(unique, batches([rows]))
    assert short(only.out) == ["+I(1, 5, 1, 7)"]
    assert only.state_rows == 2


@pytest.mark.parametrize(
    ("join_type", "shown"),
    [("LEFT", ["-D(1, 1, 1, 8)", "+I(1, 1, null, null)"]), ("SEMI", ["-D(1, 1)"]), ("ANTI", ["+I(1, 1)"])],
)
@pytest.mark.parametrize("upsert_keys", [[[0]], [[0, 1]]])
def test_counts_of_earlier_releases_that_are_too_high_heal(
    harness: Harness, join_type: str, shown: list[str], upsert_keys: list[list[int]]
) -> None:
    # A left row with a count of 2, and the one right row that it matches: the other one has expired.
    steps = [Step(0, [left("+I", 1, 1), right("+I", 1, 7)]), Step(600, [right("+I", 1, 8)]), Step(1000, [])]
    means = harness.states(spec(join_type, ttl=[0, 1000]), steps)["states"]["1"]["means"]
    assert [row["associations"] for row in means["input0"]["rows"]] == [2]
    assert len(means["input1"]["rows"]) == 1
    steps.append(Step(1001, [right("-D", 1, 8)], spec(join_type, rightUpsertKeys=upsert_keys)))
    assert short(harness.run(spec(join_type, ttl=[0, 1000]), steps)[-1].out) == shown


def test_an_update_of_a_match_is_no_further_match(harness: Harness) -> None:
    # With a TTL of the right side nothing recounts the matches.
    rows = [left("+I", 1, 1), right("+I", 1, 7), right("+U", 1, 7), right("-D", 1, 7)]
    (only,) = harness.run(spec("LEFT", ttl=[0, 1000], rightUpsertKeys=[[0, 1]]), batches([rows]))
    assert short(only.out)[-2:] == ["-D(1, 1, 1, 7)", "+I(1, 1, null, null)"]


def test_a_match_refreshes_the_ttl_of_an_outer_row(harness: Harness) -> None:
    steps = [Step(0, [left("+I", 1, 1)]), Step(600, [right("+I", 1, 7)]), Step(1200, [right("+I", 1, 8)])]
    answers = harness.run(spec("LEFT", ttl=[1000, 0]), steps)
    assert short(answers[2].out) == ["+I(1, 1, 1, 8)"]


def test_an_anti_join_retracts_a_row_whose_update_matches(harness: Harness) -> None:
    rows = [right("+I", 1, 5), left("+I", 1, 9), left("+U", 1, 2)]
    (only,) = harness.run(spec("ANTI", condition="1<3", leftUpsertKeys=[[0]]), batches([rows]))
    assert short(only.out) == ["+I(1, 9)", "-D(1, 9)"]


def test_old_rows_match_after_a_column_was_widened_and_one_added(harness: Harness) -> None:
    wider = spec("INNER", inputTypes=[["BIGINT", "BIGINT", "STRING"], ["INT", "INT"]])
    wider["outputTypes"] = ["BIGINT", "BIGINT", "STRING", "INT", "INT"]
    steps = [
        Step(0, [left("+I", 1, 5), left("+I", 1, 6)]),
        Step(1, [Change("-D", (1, 5, None), 0, "1"), right("+I", 1, 7)], wider),
    ]
    answers = harness.run(spec("INNER"), steps)
    assert short(answers[1].out) == ["+I(1, 6, null, 1, 7)"]


def joined(join_type: str, condition: bool, lefts: Table, rights: Table, width: int = 2) -> Table:
    nulls = (None,) * width

    def match(left: Values, right: Values) -> bool:
        if left[0] is None or left[0] != right[0]:
            return False
        return not condition or (left[-1] is not None and right[-1] is not None and left[-1] < right[-1])

    result: Table = Counter()
    for one in lefts.elements():
        partners = [right for right in rights.elements() if match(one, right)]
        if join_type == "SEMI":
            result[one] += bool(partners)
        elif join_type == "ANTI":
            result[one] += not partners
        else:
            result.update((*one, *right) for right in partners)
            if not partners and join_type in ("LEFT", "FULL"):
                result[(*one, *nulls)] += 1
    if join_type in ("RIGHT", "FULL"):
        for right in rights.elements():
            if not any(match(one, right) for one in lefts):
                result[(*nulls, *right)] += 1
    return +result


ROWS = st.tuples(st.none() | st.integers(0, 1), st.none() | st.integers(0, 3))


@pytest.mark.parametrize("join_type", but_wide(TYPES, MAIN.__contains__))
@given(stream=retract_streams(ROWS, key=lambda row: str(row[0]), ports=2), condition=st.booleans())
def test_changes_result_in_the_join_of_the_remaining_rows(
    harness: Harness, join_type: str, stream: Batches, condition: bool
) -> None:
    answers = harness.run(spec(join_type, condition="1<3" if condition else None), batches(stream))
    check(join_type, condition, stream, [a.out for a in answers])


UNIQUE = st.tuples(st.integers(0, 2), st.integers(0, 3))


@pytest.mark.parametrize("join_type", but_wide(TYPES, MAIN.__contains__))
@pytest.mark.parametrize("upsert_keys", but_wide([[[0]], [[0, 1]]], lambda keys: len(keys[0]) == 2))
@given(stream=retract_streams(UNIQUE, key=lambda row: str(row[0]), ports=2, upsert=True), condition=st.booleans())
def test_inputs_with_unique_keys(
    harness: Harness, join_type: str, upsert_keys: list[list[int]], stream: Batches, condition: bool
) -> None:
    unique = spec(
        join_type,
        condition="1<3" if condition else None,
        leftUpsertKeys=upsert_keys,
        rightUpsertKeys=upsert_keys,
    )
    check(join_type, condition, stream, [a.out for a in harness.run(unique, batches(stream))])


#: Two key columns and a value; the columns of a padded row are null.
THREE = st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 3))


@pytest.mark.parametrize("join_type", but_wide(TYPES, MAIN.__contains__))
@pytest.mark.parametrize("width", [1, 2], ids=["the join key is unique", "more rows of the join key"])
@given(data=st.data(), condition=st.booleans())
def test_updates_without_the_rows_before_them(
    harness: Harness, join_type: str, width: int, data: st.DataObject, condition: bool
) -> None:
    columns = 3 if width == 2 else 2
    rows = THREE if width == 2 else UNIQUE
    stream = data.draw(retract_streams(rows, key=lambda row: str(row[0]), ports=2, upsert=True, key_width=width))
    unique = [list(range(width))]
    one_side = join_type in ("SEMI", "ANTI")
    joins = spec(
        join_type,
        condition=f"{columns - 1}<{2 * columns - 1}" if condition else None,
        inputTypes=[["INT"] * columns] * 2,
        outputTypes=["INT"] * (columns if one_side else 2 * columns),
        leftUpsertKeys=unique,
        rightUpsertKeys=unique,
    )

    def key(row: Values) -> Values:
        return row[:width] if one_side else (*row[:width], *row[columns : columns + width])

    sides: list[Table] = [Counter(), Counter()]
    shown: dict[Values, Values] = {}
    for batch, answer in zip(stream, harness.run(joins, batches(updates_alone(stream))), strict=True):
        for port in (0, 1):
            add_up([c for c in batch if c.port == port], sides[port])
        by_key(answer.out, key, shown)
        assert Counter(shown.values()) == joined(join_type, condition, *sides, columns)


def check(join_type: str, condition: bool, stream: Batches, outs: list[list[Change]]) -> None:
    sides: list[Table] = [Counter(), Counter()]
    result: Table = Counter()
    for batch, out in zip(stream, outs, strict=True):
        for port in (0, 1):
            add_up([c for c in batch if c.port == port], sides[port])
        add_up(out, result)
        assert result == joined(join_type, condition, *sides)
