"""Rows of PyFlink programs: access, mutation, equality and text are those of PyFlink's `Row`."""

from __future__ import annotations

import copy
import pickle

import pytest

from compiled_plan.plans.types.mutable_row import MutableRow as Row
from compiled_plan.plans.types.row import RowKind


def test_fields_are_read_and_set_by_position_and_name() -> None:
    row = Row(name="Ann", age=34)
    row["age"] += 1
    row[0] = "Bob"
    assert (row.name, row["age"], row[1], row[:1]) == ("Bob", 35, 35, ["Bob"])
    assert "age" in row and "Bob" not in row and "Bob" in Row("Bob")
    with pytest.raises(AttributeError, match="no field 'size'; it has name, age"):
        _ = row.size
    with pytest.raises(AttributeError, match='row\\["age"\\] = value'):
        row.age = 3
    with pytest.raises(ValueError, match="by position or by name"):
        Row(1, b=2)


def test_a_row_of_names_makes_rows() -> None:
    person = Row("name", "age")
    assert person("Ann", 34) == Row(name="Ann", age=34)
    with pytest.raises(ValueError, match="2 fields, and there are 3 values"):
        person(1, 2, 3)


def test_rows_are_equal_by_values_names_and_kind() -> None:
    assert Row(a=1, b=2) == Row(b=2, a=1) and Row(1, 2) == Row(1, 2)
    assert Row(a=1) != Row(1) and Row(1) != (1,) and Row.of_kind(RowKind.DELETE, 1) != Row(1)


def test_text_dict_and_copies() -> None:
    row = Row(a=1, b=Row(c=2), d=[Row(e=3)])
    assert str(row) == repr(row) == "Row(a=1, b=Row(c=2), d=[Row(e=3)])" and str(Row(1, "x")) == "<Row(1, 'x')>"
    assert row.as_dict() == {"a": 1, "b": Row(c=2), "d": [Row(e=3)]}
    assert row.as_dict(True) == {"a": 1, "b": {"c": 2}, "d": [{"e": 3}]}
    deleted = Row.of_kind(RowKind.DELETE, 1)
    assert pickle.loads(pickle.dumps(deleted)) == deleted == copy.deepcopy(deleted)
    deleted.set_field_names(["n"])
    assert deleted.get_fields_by_names(["n"]) == [1] and deleted.get_row_kind() is RowKind.DELETE
