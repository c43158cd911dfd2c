"""The entries of a key: decoded with names and types."""

from __future__ import annotations

from typing import Any

import pytest

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.state.model import Field, KeyState
from tests.plans.execution.state.programs import Looked

TEXT = "STRING"


def plain(field: Field) -> Any:
    """The values of a field without types: dicts and lists."""
    value = field.value
    if not isinstance(value, tuple):
        return value
    if field.type in ("LIST", "ROWS"):
        return [values(each) for each in value]
    return values(value) if all(isinstance(each, Field) for each in value) else list(value)


def values(fields: Any) -> dict[str, Any]:
    return {each.name: plain(each) for each in fields}


def one(found: tuple[KeyState, ...]) -> dict[str, Any]:
    (key,) = found
    return values(key.fields)


def types(fields: Any) -> dict[str, str]:
    return {each.name: each.type for each in fields}


def row(key: KeyState, *path: str | int) -> tuple[Field, ...]:
    """The fields at a path of names and places."""
    found: Any = key.fields
    for step in path:
        found = found[step] if isinstance(step, int) else next(each for each in found if each.name == step).value
    return tuple(found)


def test_an_aggregate_has_a_part_for_each_call(looked: Looked) -> None:
    (key,) = looked.kept("aggregate", item="nut")
    found = values(key.fields)
    assert (found["key"], found["rows"]) == ({"item": "nut"}, 3)
    assert set(found["aggregates"]) == {"COUNT(DISTINCT d)", "SUM(id)"}
    assert 9 in found["aggregates"]["SUM(id)"].values()
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
    assert one(looked.kept("by_two", **key))["rows"] == rows


def test_keys_are_found_by_their_first_columns(looked: Looked) -> None:
    found = looked.kept("by_two", item="nut")
    assert [values(key.fields)["key"]["d"] for key in found] == ["2024-01-01", "2024-01-03"]


def test_the_text_NULL_is_written_in_quotes(looked: Looked) -> None:
    assert looked.kept("aggregate", item="'NULL'") == ()
    assert one(looked.kept("aggregate", item="NULL"))["key"] == {"item": None}


def test_what_is_not_there_has_no_entries(looked: Looked) -> None:
    assert looked.kept("aggregate", item="screw") == ()
    # The beginning of a text is no key.
    assert looked.kept("aggregate", item="nu") == ()


@pytest.mark.parametrize("sink", ["inner_join", "left_join", "semi_join"])
def test_a_join_has_a_part_for_each_side(sink: str, looked: Looked) -> None:
    (key,) = looked.kept(sink, id="1")
    assert looked.kept(sink, oid="1") == (key,)
    found = values(key.fields)
    (order,) = found["input0"]["rows"]
    ships = found["input1"]["rows"]
    assert order["row"]["id"] == 1
    assert len(ships) == 2
    assert {each["row"]["oid"] for each in ships} == {1}
    if sink == "left_join":
        # One of the two ships passes the condition.
        assert order["associations"] == 1
        assert types(row(key, "input1", "rows", 0, "row")) == {"oid": "INT", "place": TEXT}
        assert [each["row"]["place"] for each in ships] == ["port", "nut"]


def test_a_rank_keeps_rows_in_order(looked: Looked) -> None:
    (key,) = looked.kept("ranked", item="nut")
    assert [each["row"]["price"] for each in values(key.fields)["rows"]] == ["9.50", "7.25"]
    assert types(row(key, "rows", 0, "row"))["price"] == "DECIMAL(10, 2)"


def test_deduplication_keeps_a_row_or_its_key(looked: Looked) -> None:
    assert one(looked.kept("last_row", item="nut"))["row"]["id"] == 5
    assert one(looked.kept("first_row", item="nut"))["row"] == {"item": "nut"}


def test_a_normalized_row_is_whole(looked: Looked) -> None:
    found = one(looked.kept("normalized", item="bolt"))["row"]
    assert (found["item"], found["rate"], found["ts"]) == ("bolt", 3, "2024-01-01 10:31:00.000")


def test_a_sink_knows_the_rows_of_its_primary_key(looked: Looked) -> None:
    found = one(looked.kept("keyed", **{"EXPR$0": "1"}))["rows"]
    assert [each["item"] for each in found] == ["bolt", None, 'O\'Neil, "x"']


def test_a_window_has_its_end_on_the_clock(looked: Looked) -> None:
    (key,) = looked.kept("tumbled", item="nut")
    found = values(key.fields)
    (pane,) = found["panes"]
    assert (found["key"], pane["firstEnd"]) == ({"item": "nut"}, "2024-01-01 10:40:00.000")
    assert "6.00" in pane["aggregates"]["SUM(price)"].values()
    (session,) = one(looked.kept("sessions", item="nut"))["sessions"]
    assert (session["start"], session["end"]) == ("2024-01-01 10:30:00.000", "2024-01-01 10:40:00.000")


def test_rows_that_wait_for_the_watermark(looked: Looked) -> None:
    (waiting,) = one(looked.kept("over_rows", item='O\'Neil, "x"'))["waiting"]["rows"]
    assert (waiting["time"], waiting["row"]["price"]) == ("2024-01-01 10:31:00.000Z", "2.00")
    (left,) = one(looked.kept("versions", item='O\'Neil, "x"'))["left"]["rows"]
    assert left["row"]["item"] == 'O\'Neil, "x"'
    (version,) = one(looked.kept("versions", item="nut"))["right"]["versions"]
    assert version["row"]["rate"] == 7


def test_times_of_rows_of_an_interval_join(looked: Looked) -> None:
    (row,) = one(looked.kept("near", id="3"))["left"]["rows"]
    assert (row["time"], row["row"]["item"]) == ("2024-01-01 10:03:00.000Z", "nut")


def test_a_match_has_the_rows_of_open_matches(looked: Looked) -> None:
    found = one(looked.kept("matched", item="nut"))
    assert [each["row"]["id"] for each in found["rows"]] == [5]
    assert len(found["partial"]) >= 1


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
def test_keys_that_are_none(sink: str, key: dict[str, str], says: str, looked: Looked) -> None:
    with pytest.raises(CheckpointError) as refused:
        looked.kept(sink, **key)
    assert says in str(refused.value)
