"""The entries of a key: decoded with names and types."""

from __future__ import annotations

from typing import Any

import pytest

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.state.reading.model import Field, KeyState
from tests.plans.execution.state.reading.programs import Looked

TEXT = "STRING"


def plain(field: Field) -> Any:
    """The values of a field without types: dicts and lists."""
    value = field.value
    if not isinstance(value, tuple):
        return value
    if field.type in ("LIST", "ROWS"):
        return [values(item) for item in value]
    return values(value) if all(isinstance(item, Field) for item in value) else list(value)


def values(fields: Any) -> dict[str, Any]:
    return {field.name: plain(field) for field in fields}


def one(states: tuple[KeyState, ...]) -> dict[str, Any]:
    (key,) = states
    return values(key.fields)


def types(fields: Any) -> dict[str, str]:
    return {field.name: field.type for field in fields}


def row(key: KeyState, *path: str | int) -> tuple[Field, ...]:
    """The fields at a path of names and positions."""
    value: Any = key.fields
    for step in path:
        value = value[step] if isinstance(step, int) else next(field for field in value if field.name == step).value
    return tuple(value)


@pytest.mark.wide
def test_an_aggregate_has_a_part_for_each_call(looked: Looked) -> None:
    (key,) = looked.states("aggregate", item="nut")
    state = values(key.fields)
    assert (state["key"], state["rows"]) == ({"item": "nut"}, 3)
    assert set(state["aggregates"]) == {"COUNT(DISTINCT d)", "SUM(id)"}
    assert 9 in state["aggregates"]["SUM(id)"].values()
    assert types(row(key, "key")) == {"item": TEXT}
    assert types(key.fields)["lastWrite"] == "TIMESTAMP_LTZ(3)"


@pytest.mark.parametrize(
    ("key", "rows"),
    [
        ({"item": "nut", "d": "2024-01-01"}, 2),
        ({"d": "2024-01-03", "item": "nut"}, 1),
        ({"item": "NULL", "d": "NULL"}, 1),
        ({"item": 'O\'Neil, "x"', "d": "2024-01-03"}, 1),
        ({"item": "'O''Neil, \"x\"'", "d": "2024-01-03"}, 1),
    ],
)
def test_a_key_is_found_by_all_its_columns(key: dict[str, str], rows: int, looked: Looked) -> None:
    assert one(looked.states("by_two", **key))["rows"] == rows


def test_keys_are_found_by_their_first_columns(looked: Looked) -> None:
    states = looked.states("by_two", item="nut")
    assert [values(key.fields)["key"]["d"] for key in states] == ["2024-01-01", "2024-01-03"]


def test_the_text_NULL_is_written_in_quotes(looked: Looked) -> None:
    assert looked.states("aggregate", item="'NULL'") == ()
    assert one(looked.states("aggregate", item="NULL"))["key"] == {"item": None}


def test_missing_keys_have_no_entries(looked: Looked) -> None:
    assert looked.states("aggregate", item="screw") == ()
    # The prefix of a text is no key.
    assert looked.states("aggregate", item="nu") == ()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("sink", ["inner_join", "left_join", "semi_join"])
def test_a_join_has_a_part_for_each_side(sink: str, looked: Looked) -> None:
    (key,) = looked.states(sink, id="1")
    assert looked.states(sink, oid="1") == (key,)
    state = values(key.fields)
    (order,) = state["input0"]["rows"]
    ships = state["input1"]["rows"]
    assert order["row"]["id"] == 1
    assert len(ships) == 2
    assert {ship["row"]["oid"] for ship in ships} == {1}
    if sink == "left_join":
        # One of the two ships satisfies the condition.
        assert order["associations"] == 1
        assert types(row(key, "input1", "rows", 0, "row")) == {"oid": "INT", "place": TEXT}
        assert [ship["row"]["place"] for ship in ships] == ["port", "nut"]


def test_a_rank_keeps_rows_in_order(looked: Looked) -> None:
    (key,) = looked.states("ranked", item="nut")
    assert [row["row"]["price"] for row in values(key.fields)["rows"]] == ["9.50", "7.25"]
    assert types(row(key, "rows", 0, "row"))["price"] == "DECIMAL(10, 2)"


def test_deduplication_keeps_a_row_or_its_key(looked: Looked) -> None:
    assert one(looked.states("last_row", item="nut"))["row"]["id"] == 5
    assert one(looked.states("first_row", item="nut"))["row"] == {"item": "nut"}


def test_a_normalized_row_is_whole(looked: Looked) -> None:
    row = one(looked.states("normalized", item="bolt"))["row"]
    assert (row["item"], row["rate"], row["ts"]) == ("bolt", 3, "2024-01-01 10:31:00.000")


def test_a_sink_knows_the_rows_of_its_primary_key(looked: Looked) -> None:
    rows = one(looked.states("keyed", **{"EXPR$0": "1"}))["rows"]
    assert [row["item"] for row in rows] == ["bolt", None, 'O\'Neil, "x"']


def test_a_window_has_its_end_on_the_clock(looked: Looked) -> None:
    (key,) = looked.states("tumbled", item="nut")
    state = values(key.fields)
    (pane,) = state["panes"]
    assert (state["key"], pane["firstEnd"]) == ({"item": "nut"}, "2024-01-01 10:40:00.000")
    assert "6.00" in pane["aggregates"]["SUM(price)"].values()
    (session,) = one(looked.states("sessions", item="nut"))["sessions"]
    assert (session["start"], session["end"]) == ("2024-01-01 10:30:00.000", "2024-01-01 10:40:00.000")


def test_rows_that_wait_for_the_watermark(looked: Looked) -> None:
    (waiting,) = one(looked.states("over_rows", item='O\'Neil, "x"'))["waiting"]["rows"]
    assert (waiting["time"], waiting["row"]["price"]) == ("2024-01-01 10:31:00.000Z", "2.00")
    (left,) = one(looked.states("versions", item='O\'Neil, "x"'))["left"]["rows"]
    assert left["row"]["item"] == 'O\'Neil, "x"'
    (version,) = one(looked.states("versions", item="nut"))["right"]["versions"]
    assert version["row"]["rate"] == 7


def test_times_of_rows_of_an_interval_join(looked: Looked) -> None:
    (row,) = one(looked.states("near", id="3"))["left"]["rows"]
    assert (row["time"], row["row"]["item"]) == ("2024-01-01 10:03:00.000Z", "nut")


def test_a_match_has_the_rows_of_open_matches(looked: Looked) -> None:
    state = one(looked.states("matched", item="nut"))
    assert [row["row"]["id"] for row in state["rows"]] == [5]
    assert len(state["partial"]) >= 1


@pytest.mark.parametrize(
    ("sink", "key", "says"),
    [
        ("aggregate", {"itm": "x"}, "has no column itm\n  try: did you mean `item`?"),
        ("aggregate", {"id": "1"}, "the column id is no part of the key"),
        ("by_two", {"d": "2024-01-01"}, "give item too: --key item=..."),
        ("by_two", {"item": "nut", "d": "2024-13-01"}, "'2024-13-01' is no value of the key column d, which is DATE"),
        ("inner_join", {"id": "1.5"}, "'1.5' is no value of the key column id, which is INT"),
        ("inner_join", {"id": "3000000000"}, "'3000000000' is no value of the key column id"),
        ("inner_join", {"id": "1", "oid": "1"}, "id, oid do not belong to one key"),
    ],
)
def test_invalid_keys(sink: str, key: dict[str, str], says: str, looked: Looked) -> None:
    with pytest.raises(CheckpointError) as refused:
        looked.states(sink, **key)
    assert says in str(refused.value)
