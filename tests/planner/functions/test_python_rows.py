"""Constant rows from Python objects. The types are those of Flink 2.3's `fromValues`."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pytest

from compiled_plan.planner.functions.python_rows import constant_of, constant_rows
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.rex import Call, Literal
from compiled_plan.plans.types.conversions.data_types import DataTypes
from compiled_plan.plans.types.row import Row

NOON = dt.datetime(2020, 1, 1, 12)


@dataclass
class Point:
    x: int
    y: float | None


class Pair(NamedTuple):
    a: str
    b: list[int]


@dataclass
class Loose:
    thing: object


@pytest.mark.parametrize(
    ("rows", "types"),
    [
        ([1, 2], "`f0` INT NOT NULL"),
        ([(1, "ABC"), (2**40, "ABCDE")], "`f0` BIGINT NOT NULL, `f1` VARCHAR(5) NOT NULL"),
        ([(1,), (Decimal("1.25"),)], "`f0` DECIMAL(12, 2) NOT NULL"),
        ([(1.5,), (Decimal("1.25"),)], "`f0` DOUBLE NOT NULL"),
        ([(1,), (1.5,)], "`f0` DOUBLE NOT NULL"),
        ([(None, 1), ("a", 1)], "`f0` CHAR(1), `f1` INT NOT NULL"),
        ([True], "`f0` BOOLEAN NOT NULL"),
        ([2**63], "`f0` DECIMAL(19, 0) NOT NULL"),
        ([np.int64(1)], "`f0` INT NOT NULL"),
        ([(b"ab",), (b"abc",)], "`f0` VARBINARY(3) NOT NULL"),
        (
            [(NOON, NOON.time(), NOON.date(), dt.timedelta(days=1, milliseconds=1))],
            "`f0` TIMESTAMP(0) NOT NULL, `f1` TIME(0) NOT NULL, `f2` DATE NOT NULL, "
            "`f3` INTERVAL DAY(1) TO SECOND(3) NOT NULL",
        ),
        (
            [(NOON.replace(microsecond=123000), dt.time(1)), (NOON.replace(microsecond=1), dt.time(1, 1, 1, 1000))],
            "`f0` TIMESTAMP(6) NOT NULL, `f1` TIME(3) NOT NULL",
        ),
        ([([1, 2**40],)], "`f0` ARRAY<BIGINT NOT NULL> NOT NULL"),
        ([({"a": 1, "bcd": 2},)], "`f0` MAP<VARCHAR(3) NOT NULL, INT NOT NULL> NOT NULL"),
        ([((1, "a"),), ((2, "abc"),)], "`f0` ROW<`f0` INT NOT NULL, `f1` VARCHAR(3) NOT NULL> NOT NULL"),
        ([[1, 2]], "`f0` INT NOT NULL, `f1` INT NOT NULL"),
        ([{"a": 1, "b": "x"}, {"b": "y", "c": 1.5}], "`a` INT, `b` CHAR(1) NOT NULL, `c` DOUBLE"),
        ([Row(n=1)], "`n` INT NOT NULL"),
        ([Point(1, 2.0), Point(2, None)], "`x` BIGINT NOT NULL, `y` DOUBLE"),
        ([Pair("a", [])], "`a` VARCHAR(2147483647) NOT NULL, `b` ARRAY<BIGINT NOT NULL> NOT NULL"),
        ([Loose(1), Loose(2)], "`thing` INT NOT NULL"),
    ],
)  # fmt: skip
def test_types_of_rows(rows: list[Any], types: str) -> None:
    assert str(constant_rows(rows).row_type) == f"ROW<{types}>"


def test_objects_in_columns_are_structured() -> None:
    actual = constant_rows([(Point(1, 2.0), Loose("x"))]).row_type
    assert str(actual.types[0]) == f"STRUCTURED<'{__name__}.Point', `x` BIGINT NOT NULL, `y` DOUBLE> NOT NULL"
    assert str(actual.types[1]) == f"STRUCTURED<'{__name__}.Loose', `thing` CHAR(1) NOT NULL> NOT NULL"
    call = constant_of(Point(1, None))
    assert isinstance(call, Call) and call.name == "$OBJECT_OF$1"
    assert [operand.value for operand in call.operands if isinstance(operand, Literal)] == [
        f"{__name__}.Point", "x", 1, "y", None
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "types"),
    [
        (["a", "b"], "`a` INT NOT NULL, `b` CHAR(3) NOT NULL"),
        ("ROW<a DECIMAL(10, 2), b STRING>", "`a` DECIMAL(10, 2), `b` VARCHAR(2147483647)"),
        (DataTypes.ROW(DataTypes.FIELD("a", DataTypes.BIGINT()), DataTypes.FIELD("b", "STRING NOT NULL")),
         "`a` BIGINT, `b` VARCHAR(2147483647) NOT NULL"),
        ([DataTypes.FIELD("a", "INT"), DataTypes.FIELD("b", "STRING")], "`a` INT, `b` VARCHAR(2147483647)"),
    ],
)  # fmt: skip
def test_a_schema(schema: Any, types: str) -> None:
    assert str(constant_rows([(1, "ABC")], schema).row_type) == f"ROW<{types}>"


def test_schemas_for_objects_and_single_values() -> None:
    assert constant_rows([Point(1, 2.0)], ["p", "q"]).row_type.names == ("p", "q")
    assert str(constant_rows([1, None], DataTypes.INT()).row_type) == "ROW<`f0` INT>"
    assert str(constant_rows([(1, None)], Point).row_type) == "ROW<`x` BIGINT NOT NULL, `y` DOUBLE>"
    assert constant_rows([], "ROW<a INT>").cells == ()


@pytest.mark.parametrize(
    ("type_", "value", "literal"),
    [
        ("DECIMAL(10, 2)", 1, "1.00"),
        ("DOUBLE", 1e300, "1" + "0" * 300),
        ("CHAR(3)", "a", "a  "),
        ("BYTES", b"\x01", "AQ=="),
        ("DATE", NOON.date(), "2020-01-01"),
        ("TIME(3)", dt.time(1, 2, 3, 400000), "01:02:03.4"),
        ("TIME(0)", dt.time(1, 2, 3, 400000), "01:02:03"),
        ("TIMESTAMP(3)", NOON.replace(microsecond=123456), "2020-01-01 12:00:00.123"),
        ("TIMESTAMP_LTZ(0)", NOON.replace(tzinfo=dt.timezone(dt.timedelta(hours=1))), "2020-01-01 11:00:00"),
        ("INTERVAL DAY TO SECOND(3)", dt.timedelta(days=-1), "-86400000"),
        ("INTERVAL YEAR TO MONTH", 14, "14"),
    ],
)
def test_literals(type_: str, value: Any, literal: str) -> None:
    ((cell,),) = constant_rows([(value,)], DataTypes.ROW(DataTypes.FIELD("a", type_))).cells
    assert isinstance(cell, Literal) and cell.value == literal and not cell.type.nullable


def test_numbers_that_no_literal_has() -> None:
    ((cell,),) = constant_rows([(float("-inf"),)]).cells
    assert isinstance(cell, Call) and cell.name == "$CAST$1" and cell.operands[0].value == "-Infinity"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("rows", "schema", "message"),
    [
        ([], None, "no rows"),
        ([(None,)], None, "column 'f0' has no value but None"),
        ([("a",), (1,)], None, "no common type: CHAR(1), INT"),
        ([(1, 2), (3,)], None, "row 2 has 1 value(s), and there are 2 columns: f0, f1"),
        ([([],)], None, "a list in column 'f0'"),
        ([({},)], None, "a dict in column 'f0'"),
        ([object()], None, "stands for no value of SQL"),
        ([Decimal("NaN")], None, "DECIMAL has no NaN"),
        ([(1, 2)], ["a"], "row 1 has 2 value(s), and there are 1 columns: a"),
        ([("x",)], "ROW<a INT>", "'x' of class str is no value of INT"),
        ([(1, 2)], "ROW<a INT>", "it has 2 fields, the type 1"),
        ([(None,)], "ROW<a INT NOT NULL>", "None is no value of INT NOT NULL"),
        ([({"a": 1},)], "ROW<a MULTISET<STRING>>", "constants of type MULTISET"),
        ([Point(1, 2.0)], ["a"], "1 names are given for rows of 2 fields"),
    ],
)
def test_refusals(rows: list[Any], schema: Any, message: str) -> None:
    with pytest.raises(CompiledPlanError) as caught:
        constant_rows(rows, schema)
    assert message in caught.value.message
