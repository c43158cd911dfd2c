"""The built-in conversions: classes in and out, limits, errors."""

from __future__ import annotations

import datetime as dt
from collections import Counter, namedtuple
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from dateutil.relativedelta import relativedelta

from compiled_plan.plans.errors import CompiledPlanError, DataError, ProgramError, UnsupportedError
from compiled_plan.plans.types import classes
from compiled_plan.plans.types.classes import constructor, field_names
from compiled_plan.plans.types.conversions import allow_classes_from, class_name, converter_of, resolve_class
from compiled_plan.plans.types.conversions.data_types import DataTypes
from compiled_plan.plans.types.row import Row, RowKind

NOON = dt.datetime(2020, 1, 31, 12, 0, 0, 123456)
BERLIN = dt.timezone(dt.timedelta(hours=1))


@pytest.fixture(autouse=True)
def nothing_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reset permissions of other tests, which hold for the process."""
    monkeypatch.setattr(classes, "_PREFIXES", {})


@pytest.mark.parametrize(
    ("type_", "outside", "inside"),
    [
        ("STRING", "é", "é"),
        ("BOOLEAN", True, True),
        ("BOOLEAN", np.bool_(False), False),
        ("TINYINT", -128, -128),
        ("BIGINT", np.int64(5), 5),
        ("DOUBLE", 1, 1.0),
        ("DOUBLE", Decimal("1.5"), 1.5),
        ("FLOAT", np.float32(1.5), 1.5),
        ("DECIMAL(4, 2)", Decimal("-1.005"), Decimal("-1.01")),
        ("DECIMAL(38, 0)", 10**37, Decimal(10**37)),
        ("BYTES", bytearray(b"a"), b"a"),
        ("DATE", dt.date(1, 1, 1), dt.date(1, 1, 1)),
        ("DATE", 18292, dt.date(2020, 1, 31)),
        ("TIME(3)", dt.time(23, 59, 59, 999999), 86399999),
        ("TIME(3)", 5, 5),
        ("TIMESTAMP(6)", NOON, NOON),
        ("TIMESTAMP(6)", pd.Timestamp(NOON), NOON),
        ("TIMESTAMP_LTZ(3)", NOON.replace(tzinfo=BERLIN), NOON.replace(hour=11, tzinfo=dt.UTC)),
        ("TIMESTAMP_LTZ(3)", -1, dt.datetime(1969, 12, 31, 23, 59, 59, 999000, tzinfo=dt.UTC)),
        ("INTERVAL DAY TO SECOND(3)", dt.timedelta(microseconds=-1500), -2),
        ("INTERVAL YEAR TO MONTH", relativedelta(years=1, months=2), 14),
        ("ARRAY<INT>", (1, None), [1, None]),
        ("ARRAY<INT>", np.array([1, 2]), [1, 2]),
        ("ARRAY<INT>", range(2), [0, 1]),
        ("MAP<STRING, ARRAY<TIME>>", MappingProxyType({"a": [dt.time(0)]}), {"a": [0]}),
        ("MULTISET<STRING>", Counter("aab"), {"a": 2, "b": 1}),
        ("MULTISET<STRING>", ["a", "b", "a"], {"a": 2, "b": 1}),
        ("ROW<a INT, b STRING>", (1, "x"), (1, "x")),
        ("ROW<a INT, b STRING>", {"b": "x"}, (None, "x")),
        ("ROW<a INT, b STRING>", Row(b="x", a=1), (1, "x")),
        ("ROW<a INT, b STRING>", Row(1, "x"), (1, "x")),
        ("ROW<a INT, b STRING>", namedtuple("N", "b a")("x", 1), (1, "x")),
        ("STRUCTURED<'com.example.U', a ROW<b TIME>>", ((dt.time(0),),), ((0,),)),
    ],
)  # fmt: skip
def test_into_a_column(type_: str, outside: Any, inside: Any) -> None:
    converted = converter_of(type_).to_internal(outside)
    assert converted == inside and type(converted) is type(inside)


@pytest.mark.parametrize(
    ("type_", "value", "message"),
    [
        ("TINYINT", 128, "TINYINT, which holds -128 to 127"),
        ("INT", True, "a bool is no number"),
        ("INT", 1.0, "of class float"),
        ("INT", np.float64(1), "of class float64"),
        ("BOOLEAN", 1, "of class int"),
        ("STRING", 1, "of class int"),
        ("STRING", b"\xff", "invalid start byte"),
        ("FLOAT", 1e39, "does not fit FLOAT"),
        ("DECIMAL(4, 2)", Decimal("99.995"), "does not fit DECIMAL(4, 2)"),
        ("DECIMAL(4, 2)", Decimal("NaN"), "DECIMAL has no NaN"),
        ("DECIMAL(4, 2)", 1.5, "of class float"),
        ("DATE", NOON, "take its .date()"),
        ("TIME", dt.time(1, tzinfo=dt.UTC), "no time zone"),
        ("TIME", 86_400_000, "0 to 86399999"),
        ("TIMESTAMP(3)", NOON.replace(tzinfo=dt.UTC), "declare TIMESTAMP_LTZ"),
        ("TIMESTAMP_LTZ(3)", NOON, "give the datetime a tzinfo"),
        ("INTERVAL YEAR TO MONTH", relativedelta(days=1), "years and months alone"),
        ("ARRAY<INT>", "ab", "of class str"),
        ("ARRAY<INT NOT NULL>", [None], "None is no value of INT NOT NULL"),
        ("MAP<STRING, INT>", [("a", 1)], "of class list"),
        ("MULTISET<STRING>", {"a": -1}, "-1 is no count"),
        ("ROW<a INT>", (1, 2), "it has 2 fields, the type 1: a"),
        ("ROW<a INT>", {"b": 1}, "the type has no field b; it has a"),
        ("ROW<a INT>", Row(b=1), "the type has no field b; it has a"),
        ("ROW<a INT>", namedtuple("N", "b")(1), "it has no field a"),
        ("INT NOT NULL", None, "None is no value of INT NOT NULL"),
    ],
)  # fmt: skip
def test_what_is_no_value(type_: str, value: Any, message: str) -> None:
    with pytest.raises(DataError) as caught:
        converter_of(type_, "c").to_internal(value)
    assert message in caught.value.message
    assert caught.value.where.startswith("column c")


def test_an_error_deep_inside_names_the_way() -> None:
    with pytest.raises(DataError) as caught:
        converter_of("ROW<a ARRAY<ROW<b MAP<STRING, INT>>>>", "c").to_internal(([({"k": "v"},)],))
    assert caught.value.where == "column c.a.element.b.value"


@pytest.mark.parametrize(
    ("type_", "class_", "inside", "outside"),
    [
        ("STRING", bytes, "é", b"\xc3\xa9"),
        ("BYTES", bytearray, b"a", bytearray(b"a")),
        ("DATE", int, dt.date(1970, 1, 2), 1),
        ("TIME(3)", int, 5, 5),
        ("TIMESTAMP_LTZ(3)", int, dt.datetime(1970, 1, 1, 0, 0, 1, tzinfo=dt.UTC), 1000),
        ("INTERVAL DAY TO SECOND(3)", int, 5, 5),
        ("INT", np.int32, 5, np.int32(5)),
        ("DOUBLE", np.float64, 1.5, np.float64(1.5)),
        ("TIMESTAMP(6)", pd.Timestamp, NOON, pd.Timestamp(NOON)),
        ("INTERVAL YEAR TO MONTH", relativedelta, 14, relativedelta(years=1, months=2)),
        ("ARRAY<TIME>", tuple, [0, None], (dt.time(0), None)),
        ("MULTISET<STRING>", Counter, {"a": 2}, Counter("aa")),
        ("MULTISET<STRING>", list, {"a": 2}, ["a", "a"]),
        ("ROW<a INT, b TIME>", dict, (1, 0), {"a": 1, "b": dt.time(0)}),
        ("ROW<a INT, b TIME>", tuple, (1, 0), (1, dt.time(0))),
        ("ROW<a INT, b TIME>", list, (1, 0), [1, dt.time(0)]),
    ],
)  # fmt: skip
def test_out_of_a_column(type_: str, class_: type, inside: Any, outside: Any) -> None:
    converter = converter_of(DataTypes.of(type_).bridged_to(class_))
    converted = converter.to_external(inside)
    assert converted == outside and type(converted) is class_
    assert converter.to_external(None) is None


def test_an_array_of_numpy() -> None:
    converted = converter_of(DataTypes.of("ARRAY<INT>").bridged_to(np.ndarray)).to_external([1, 2])
    assert isinstance(converted, np.ndarray) and converted.tolist() == [1, 2]


@pytest.mark.parametrize("type_", ["INT", "STRING", "DECIMAL(4, 2)", "TIMESTAMP_LTZ(3)", "ARRAY<ARRAY<INT>>", "DATE"])
def test_what_needs_no_conversion_says_so(type_: str) -> None:
    assert converter_of(type_).plain


@pytest.mark.parametrize("type_", ["TIME", "ARRAY<TIME>", "ROW<a INT>", "MAP<INT, ROW<a INT>>"])
def test_what_needs_one_says_so(type_: str) -> None:
    assert not converter_of(type_).plain


def test_a_type_without_conversion_is_named() -> None:
    with pytest.raises(UnsupportedError, match="RAW"):
        converter_of("RAW('com.example.C', 'x')")


# --- classes


@dataclass
class Point:
    x: int
    y: int = 0


class Pair(NamedTuple):
    left: str
    right: dt.time


class Keywords:
    def __init__(self, *, y: int, x: int = 1) -> None:
        self.y, self.x = y, x


class Bean:
    x: int
    y: int


class Opaque:
    def __init__(self, *values: int) -> None:
        self.values = values


def test_objects_of_every_kind_of_class() -> None:
    assert constructor(Point, ("y", "x"))((2, 1)) == Point(1, 2)
    assert constructor(Point, ("x",))((1,)) == Point(1)
    assert vars(constructor(Keywords, ("x", "y"))((1, 2))) == {"x": 1, "y": 2}
    assert vars(constructor(Bean, ("x", "y"))((1, 2))) == {"x": 1, "y": 2}
    assert field_names(Bean) == ("x", "y") and field_names(Keywords) == ("y", "x") and field_names(Opaque) is None
    converter = converter_of(Pair)
    assert converter.to_external(converter.to_internal(Pair("a", dt.time(1)))) == Pair("a", dt.time(1))
    assert converter_of(DataTypes.of("ROW<x INT, y INT>").bridged_to(Point)).to_external((1, 2)) == Point(1, 2)


@pytest.mark.parametrize("class_", [Opaque, Point, Pair])
def test_a_class_that_does_not_take_the_fields(class_: type) -> None:
    with pytest.raises(DataError, match=r"cannot be made from the fields x, z"):
        constructor(class_, ("x", "z"))


def test_names_become_classes_of_the_program_alone() -> None:
    assert resolve_class(class_name(Point)) is Point
    for name in (
        "subprocess.Popen",
        "os.PathLike",
        "numpy.ndarray",
        "compiled_plan.plans.errors.PlanError",
        "no.such.Class",
        "Point",
        "",
    ):
        assert resolve_class(name) is None
    # A name that the module only imported is not its own.
    assert resolve_class(f"{Point.__module__}.Decimal") is None


def test_a_class_inside_a_function_is_known_once_it_is_used() -> None:
    @dataclass
    class Inner:
        a: int

    name = class_name(Inner)
    assert "<locals>" not in name and resolve_class(name) is None
    assert DataTypes.of(Inner).conversion_class is Inner
    assert resolve_class(name) is Inner


def test_other_modules_are_allowed_by_prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "allowed_models.py").write_text(
        "class User:\n    def __init__(self, name):\n        self.name = name\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert resolve_class("allowed_models.User") is None
    allow_classes_from("allowed_models")
    class_ = resolve_class("allowed_models.User")
    assert class_ is not None and class_.__name__ == "User"
    assert resolve_class("allowed_models.Nobody") is None


# --- data types


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        (DataTypes.INT().not_null(), "INT NOT NULL"),
        (DataTypes.INT().not_null().nullable(), "INT"),
        (DataTypes.DECIMAL(10, 2), "DECIMAL(10, 2)"),
        (DataTypes.STRING(), "VARCHAR(2147483647)"),
        (DataTypes.BYTES(), "VARBINARY(2147483647)"),
        (DataTypes.CHAR(3), "CHAR(3)"),
        (DataTypes.TIMESTAMP(3), "TIMESTAMP(3)"),
        (DataTypes.TIMESTAMP_LTZ(3), "TIMESTAMP(3) WITH LOCAL TIME ZONE"),
        (DataTypes.INTERVAL_DAY_TIME(2, 3), "INTERVAL DAY(2) TO SECOND(3)"),
        (DataTypes.ARRAY(DataTypes.INT()), "ARRAY<INT>"),
        (DataTypes.MAP("STRING NOT NULL", DataTypes.INT()), "MAP<VARCHAR(2147483647) NOT NULL, INT>"),
        (DataTypes.MULTISET("INT"), "MULTISET<INT>"),
        (DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT(), "it's")]), "ROW<`a` INT 'it''s'>"),
        (DataTypes.ROW(DataTypes.FIELD("a", "INT"), DataTypes.FIELD("b", "INT")), "ROW<`a` INT, `b` INT>"),
        (DataTypes.ROW(DataTypes.INT(), "STRING"), "ROW<`f0` INT, `f1` VARCHAR(2147483647)>"),
        (DataTypes.of(int), "BIGINT NOT NULL"),
        (DataTypes.of(list[str | None]), "ARRAY<VARCHAR(2147483647)> NOT NULL"),
    ],
)  # fmt: skip
def test_data_types(type_: Any, text: str) -> None:
    assert str(type_) == text
    assert str(DataTypes.of(text)) == text


@pytest.mark.parametrize(
    "make",
    [
        lambda: DataTypes.DECIMAL(39, 0),
        lambda: DataTypes.DECIMAL(2, 3),
        lambda: DataTypes.CHAR(0),
        lambda: DataTypes.TIMESTAMP(10),
        lambda: DataTypes.TIME(True),
        lambda: DataTypes.ROW(DataTypes.FIELD("a", "INT"), DataTypes.FIELD("a", "INT")),
        lambda: DataTypes.of("FOO"),
        lambda: DataTypes.of(Decimal),
        lambda: DataTypes.of(list),
        lambda: DataTypes.of(5),
    ],
)
def test_what_is_no_data_type(make: Any) -> None:
    with pytest.raises(ProgramError) as caught:
        make()
    assert isinstance(caught.value, CompiledPlanError) and caught.value.message


# --- rows


def test_rows() -> None:
    row = Row(name="Bob", age=42)
    assert row == ("Bob", 42) and row.name == row["name"] == row[0] == "Bob" and hash(row) == hash(("Bob", 42))
    assert row.kind is RowKind.INSERT and row != row.with_kind(RowKind.DELETE)
    assert row.as_dict() == {"name": "Bob", "age": 42} and str(row) == "+I[Bob, 42]"
    assert repr(row) == "Row(name='Bob', age=42)" and repr(row.with_kind(RowKind.DELETE)).startswith("-D Row(")
    name, age = row
    assert (name, age) == ("Bob", 42)
    with pytest.raises(AttributeError, match="it has name, age"):
        _ = row.first
    with pytest.raises(TypeError):
        Row(1, a=2)
    with pytest.raises(TypeError):
        Row(1).as_dict()
