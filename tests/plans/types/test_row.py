"""Rows as objects: `collect(data_type)`, by name or position, in types that hold the columns' values without loss."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, NamedTuple

import pytest

from compiled_plan.plans.errors import DataError, ProgramError
from compiled_plan.plans.types import RowType, parse_type
from compiled_plan.plans.types.conversions import DataTypeConverter
from compiled_plan.plans.types.conversions.data_types import DataTypes
from compiled_plan.plans.types.conversions.lossless import widening
from compiled_plan.plans.types.conversions.rows import rows_as
from compiled_plan.plans.types.row import Row


def columns(text: str) -> RowType:
    type_ = parse_type(f"ROW<{text}>")
    assert isinstance(type_, RowType)
    return type_


def as_(data_type: Any, text: str) -> Callable[[Any], Any]:
    return rows_as(data_type, columns(text), "collect()")


LOSSLESS = [
    ("TINYINT", "BIGINT", 1, 1),
    ("INT", "BIGINT", 1, 1),
    ("INT", "INT", 1, 1),
    ("INT", "DOUBLE", 3, 3.0),
    ("SMALLINT", "FLOAT", 3, 3.0),
    ("INT", "DECIMAL(12, 2)", 3, Decimal("3.00")),
    ("BIGINT", "DECIMAL(19, 0)", -(2**63), Decimal(-(2**63))),
    ("DECIMAL(9, 0)", "INT", Decimal(7), 7),
    ("DECIMAL(4, 2)", "DECIMAL(38, 20)", Decimal("1.25"), Decimal("1.25")),
    ("FLOAT", "DOUBLE", 0.5, 0.5),
    ("CHAR(3)", "STRING", "abc", "abc"),
    ("VARCHAR(3)", "VARCHAR(4)", "abc", "abc"),
    ("BINARY(2)", "BYTES", b"ab", b"ab"),
    ("TIMESTAMP(3)", "TIMESTAMP(6)", dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1)),
    ("TIME(0)", "TIME(3)", 1000, 1000),
    ("INTERVAL DAY TO SECOND(3)", "INTERVAL SECOND(3)", 5, 5),
    ("ARRAY<INT>", "ARRAY<DOUBLE>", [1, None], [1.0, None]),
    ("MAP<CHAR(1), INT>", "MAP<STRING, DECIMAL(10, 0)>", {"a": 1, "b": None}, {"a": Decimal(1), "b": None}),
    ("MULTISET<SMALLINT>", "MULTISET<INT>", {1: 2}, {1: 2}),
    ("ROW<a INT, b CHAR(2)>", "ROW<b STRING, a BIGINT>", (1, "x"), ("x", 1)),
    ("ROW<a INT, b CHAR(2)>", "ROW<x BIGINT, y STRING>", (1, "x"), (1, "x")),
    ("ROW<a INT, b CHAR(2)>", "ROW<B STRING, A DOUBLE>", (1, "x"), ("x", 1.0)),
    ("ROW<a ROW<b ARRAY<INT>>>", "ROW<a ROW<b ARRAY<DOUBLE>>>", (([1],),), (([1.0],),)),
    ("STRUCTURED<'x.Y', a INT>", "ROW<a DOUBLE>", (1,), (1.0,)),
    ("ROW<a INT>", "STRUCTURED<'x.Y', a DOUBLE>", (None,), (None,)),
]


@pytest.mark.parametrize(("source", "target", "value", "wide"), LOSSLESS)
def test_lossless_conversions(source: str, target: str, value: Any, wide: Any) -> None:
    convert = widening(parse_type(source), parse_type(target), "c")
    assert (value if convert is None else convert(value)) == wide
    assert convert is None or convert(None) is None


LOSSY = [
    ("BIGINT", "INT"),
    ("INT", "SMALLINT"),
    ("INT", "FLOAT"),
    ("BIGINT", "DOUBLE"),
    ("INT", "DECIMAL(9, 0)"),
    ("DOUBLE", "FLOAT"),
    ("DOUBLE", "INT"),
    ("DECIMAL(4, 2)", "DECIMAL(4, 3)"),
    ("DECIMAL(4, 2)", "DECIMAL(10, 1)"),
    ("DECIMAL(4, 2)", "DOUBLE"),
    ("DECIMAL(10, 0)", "INT"),
    ("STRING", "CHAR(3)"),
    ("CHAR(3)", "VARCHAR(2)"),
    ("VARCHAR(4)", "VARCHAR(3)"),
    ("BYTES", "BINARY(2)"),
    ("INT", "STRING"),
    ("INT", "BOOLEAN"),
    ("DATE", "TIMESTAMP(3)"),
    ("TIMESTAMP(3)", "TIMESTAMP(0)"),
    ("TIMESTAMP(3)", "TIMESTAMP_LTZ(3)"),
    ("INTERVAL YEAR", "INTERVAL DAY"),
    ("ARRAY<INT>", "ARRAY<SMALLINT>"),
    ("ARRAY<INT>", "MULTISET<INT>"),
    ("MAP<INT, INT>", "MAP<INT, STRING>"),
    ("ROW<a INT>", "ROW<a BOOLEAN>"),
]


@pytest.mark.parametrize(("source", "target"), LOSSY)
def test_lossy_conversions_are_refused_with_column_and_types(source: str, target: str) -> None:
    with pytest.raises(ProgramError, match="column amount") as fault:
        as_(f"ROW<amount {target}>", f"amount {source}")
    message = fault.value.message
    assert "without loss" in message and "of type" in message


def test_lossy_inside_names_the_place() -> None:
    with pytest.raises(ProgramError, match=r"column r\.b\.element of type BIGINT cannot become INT without loss"):
        as_("ROW<r ROW<a INT, b ARRAY<INT>>>", "r ROW<a INT, b ARRAY<BIGINT>>")


def test_null_where_the_type_is_not_null() -> None:
    convert = as_("ROW<r ROW<a BIGINT NOT NULL>>", "r ROW<a INT>")
    assert convert(((1,),)) == Row(r=Row(a=1)) and convert((None,)) == Row(r=None)
    with pytest.raises(DataError, match=r"NULL is no value of BIGINT NOT NULL(.|\n)*column r\.a"):
        convert(((None,),))


class Address(NamedTuple):
    street: str
    number: int


@dataclass
class Person:
    name: str
    age: float | None
    address: Address | None = None
    born: dt.datetime | None = None


@dataclass
class Loose:
    a: Any
    b: Decimal
    c: list  # type: ignore[type-arg]


class Plain:
    def __init__(self, name: str, age: int) -> None:
        self.pair = name, age


def test_a_class_takes_the_columns_by_name_in_the_types_of_its_annotations() -> None:
    convert = as_(Person, "age INT, born TIMESTAMP_LTZ(3), name CHAR(3), address ROW<number SMALLINT, street STRING>")
    moment = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
    assert convert((4, moment, "Bob", (7, "Elm"))) == Person("Bob", 4.0, Address("Elm", 7), moment)
    assert isinstance(convert((4, None, "Bob", None)).age, float)
    assert as_(Person, "name STRING, age INT")(("Bob", None)) == Person("Bob", None)
    assert as_(Plain, "age INT, name STRING")((4, "Bob")).pair == ("Bob", 4)
    with pytest.raises(DataError, match=r"NULL is no value of (.|\n)*column name"):
        convert((4, None, None, None))


def test_a_class_with_other_names_takes_them_by_position() -> None:
    assert as_(Address, "EXPR$0 STRING, EXPR$1 BIGINT")(("Elm", 7)) == Address("Elm", 7)


def test_annotations_that_stand_for_no_type_take_what_comes() -> None:
    loose = as_(Loose, "c ARRAY<INT>, a DATE, b DECIMAL(4, 2)")
    assert loose(([1], dt.date(2024, 1, 1), Decimal("1.25"))) == Loose(dt.date(2024, 1, 1), Decimal("1.25"), [1])


@pytest.mark.parametrize(
    ("data_type", "there", "message"),
    [
        (Address, "street STRING", r"1 field\(s\), the type wanted 2"),
        (Address, "street STRING, number INT, more INT", r"3 field\(s\), the type wanted 2"),
        (Address, "number INT, name STRING", "no field 'street', and 'number' at another place"),
        (Address, "street STRING, number DOUBLE", "column number of type DOUBLE cannot become BIGINT NOT NULL"),
        (Person, "name INT, age INT", "column name of type INT cannot become"),
        ("ROW<a INT>", "a INT, b INT", r"2 field\(s\), the type wanted 1"),
        ("ROW<b BIGINT, x INT>", "a INT, b BIGINT", "no field 'x', and 'b' at another place"),
        ("BIGINT", "a INT, b INT", "rows of 2 columns cannot become BIGINT"),
        (int, "a INT, b INT", "rows of 2 columns cannot become BIGINT NOT NULL"),
        ("ARRAY<INT>", "a INT", "column a of type INT cannot become ARRAY<INT>"),
    ],
)
def test_what_does_not_fit_is_refused(data_type: Any, there: str, message: str) -> None:
    with pytest.raises(ProgramError, match=message):
        as_(data_type, there)


@pytest.mark.parametrize("class_", [dict, tuple, list, Row])
def test_containers_take_all_columns(class_: type) -> None:
    value = as_(class_, "`a b` INT, `select` ROW<x INT>")((1, (2,)))
    assert type(value) is class_
    assert value == {dict: {"a b": 1, "select": Row(x=2)}, list: [1, Row(x=2)]}.get(class_, (1, (2,)))


def test_a_single_column_may_become_its_own_value() -> None:
    assert as_("BIGINT", "n INT")((3,)) == 3
    assert as_(str, "n CHAR(2)")(("ab",)) == "ab"
    assert as_(list[float], "n ARRAY<INT NOT NULL>")(([1],)) == [1.0]
    assert as_(Annotated[dt.date, None], "d DATE")((dt.date(2024, 1, 1),)) == dt.date(2024, 1, 1)
    assert as_(DataTypes.DATE().bridged_to(int), "d DATE")((dt.date(1970, 1, 3),)) == 2


class Cents(DataTypeConverter[Decimal, int]):
    def to_internal(self, external: int) -> Decimal:
        return Decimal(external) / 100

    def to_external(self, internal: Decimal) -> int:
        return int(internal * 100)


def test_a_converter_is_given_the_values_of_its_own_type() -> None:
    cents = DataTypes.DECIMAL(12, 2).bridged_to(int, Cents())
    assert as_(DataTypes.ROW(DataTypes.FIELD("price", cents)), "price INT")((3,)) == Row(price=300)
