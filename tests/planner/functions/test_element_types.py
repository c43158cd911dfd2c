"""Types of `from_elements`: those of PyFlink 2.3, printed by its `print_schema` for the same rows."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from compiled_plan import DataTypes, TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.types.mutable_row import MutableRow as Row

FLINKS: list[tuple[list[Any], Any, list[str]]] = [
    ([(1, "a"), (2, None)], None, ["`_1` BIGINT", "`_2` STRING"]),
    (
        [([1, 2], {"a": 1}, (1, "x"), Row(p=1, q="y"))],
        ["l", "m", "t", "r"],
        [
            "`l` ARRAY<BIGINT>",
            "`m` MAP<STRING NOT NULL, BIGINT>",
            "`t` ROW<`_1` BIGINT, `_2` STRING>",
            "`r` ROW<`p` BIGINT, `q` STRING>",
        ],
    ),
    ([{"b": 1, "a": "x"}], None, ["`a` STRING", "`b` BIGINT"]),
    ([Row(z=1, y="q"), Row(y="w", z=2)], None, ["`z` BIGINT", "`y` STRING"]),
    ([(1, "a")], ["x"], ["`x` BIGINT", "`_2` STRING"]),
    ([(1,)], ["x", "y"], ["`x` BIGINT"]),
    ([(dt.datetime(2020, 1, 2, 3, 4, 5),)], ["i"], ["`i` TIMESTAMP_LTZ(6)"]),
    (
        [(2.5, True, Decimal("1.25"), dt.date(2020, 1, 2), bytearray(b"z"))],
        None,
        ["`_1` DOUBLE", "`_2` BOOLEAN", "`_3` DECIMAL(38, 18)", "`_4` DATE", "`_5` BYTES"],
    ),
    (
        [(1, "a")],
        DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT(False)), DataTypes.FIELD("b", DataTypes.CHAR(1))]),
        ["`a` INT NOT NULL", "`b` CHAR(1)"],
    ),
]


@pytest.mark.parametrize(("rows", "schema", "columns"), FLINKS)
def test_columns_have_the_types_of_pyflink(rows: list[Any], schema: Any, columns: list[str]) -> None:
    table = TableEnvironment().from_elements(rows, schema)
    assert str(table.get_schema()) == "(\n  " + ",\n  ".join(columns) + "\n)"


@pytest.mark.parametrize(
    ("rows", "schema", "message"),
    [
        ([], None, "there are no rows"),
        ([1, 2], None, "1 is no row"),
        ([(1,), (2.5,)], ["i"], "the values of column 'i' have no common type: BIGINT, DOUBLE"),
        ([(dt.timedelta(days=1),)], ["i"], "of class timedelta in column 'i' has no type"),
        ([(b"xy",)], ["i"], "of class bytes in column 'i' has no type"),
        ([(None,)], ["i"], "column 'i' has no value but None"),
        ([(300,)], DataTypes.ROW([DataTypes.FIELD("a", DataTypes.TINYINT())]), "300 is no value of TINYINT"),
        ([(None,)], DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT(False))]), "is no value of INT NOT NULL"),
    ],
)
def test_rows_that_pyflink_refuses(rows: list[Any], schema: Any, message: str) -> None:
    with pytest.raises(CompiledPlanError, match=message):
        TableEnvironment().from_elements(rows, schema)
