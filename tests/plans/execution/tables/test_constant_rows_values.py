"""Constant rows as values: a round trip of `planner.functions.constant_values`."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan import TableEnvironment
from compiled_plan.planner.functions.constant_values import constant
from compiled_plan.plans.execution.tables.constant_rows import NotConstantError, value_of
from compiled_plan.plans.rex import Call, InputRef
from compiled_plan.plans.types import INT, parse_type

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NOON = dt.datetime(2020, 1, 31, 12, 0, 0, 123456)


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("BOOLEAN", False),
        ("BIGINT", -(2**63)),
        ("DOUBLE", 1e-300),
        ("DOUBLE", -0.0),
        ("FLOAT", float("inf")),
        ("DECIMAL(5, 2)", Decimal("-1.50")),
        ("STRING", "it's\n"),
        ("CHAR(2)", "a "),
        ("BYTES", b"\x00\xff"),
        ("DATE", dt.date(1, 1, 1)),
        ("TIME(3)", 86399999),
        ("TIMESTAMP(6)", NOON),
        ("TIMESTAMP(6)", dt.datetime(1, 1, 1)),
        ("TIMESTAMP_LTZ(6)", NOON.replace(tzinfo=dt.UTC)),
        ("INTERVAL DAY TO SECOND(3)", -5),
        ("INTERVAL YEAR TO MONTH", 14),
        ("ARRAY<ARRAY<INT>>", [[1, None], None, []]),
        ("MAP<ARRAY<INT>, STRING>", {(1, 2): "x", (): None}),
        ("ROW<a INT, b ROW<c STRING>>", (1, (None,))),
        ("STRUCTURED<'com.example.U', b INT, a STRING>", (1, "x")),
        ("INT", None),
    ],
)
def test_values_survive_a_round_trip(type_: str, value: Any) -> None:
    actual = value_of(constant(value, parse_type(type_)))
    assert actual == value and repr(actual) == repr(value)


def test_non_constant_values() -> None:
    for rex in (InputRef(0, INT), Call("$+$1", (constant(1, INT), constant(1, INT)), INT, "BINARY")):
        with pytest.raises(NotConstantError):
            value_of(rex)


@pytest.mark.wide
@pytest.mark.parametrize(
    "rows",
    [
        [(at, None if at % 7 else f"{at}", NOON) for at in range(2000)],
        # A value computed by a call, such as a list, is a calc of its own per row in the plan, as in Flink's.
        [(at, [at], {"k": at}, (at,)) for at in range(20)],
    ],
    ids=["literals", "calls"],
)
def test_many_rows_keep_their_order(rows: list[tuple[Any, ...]], spark: SparkSession) -> None:
    assert list(TableEnvironment().from_values(rows).execute().collect()) == rows
