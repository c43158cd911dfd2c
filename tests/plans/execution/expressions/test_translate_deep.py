"""Deeply nested expressions, as in Flink's plans, which nest every chain: Spark computes them."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from compiled_plan.plans import rex as r
from compiled_plan.plans.execution.expressions.context import ExpressionContext
from compiled_plan.plans.execution.expressions.translate import to_column
from compiled_plan.plans.types import BOOLEAN, INT, STRING, LogicalType

DEPTH = 1_000
X, S = r.InputRef(0, INT), r.InputRef(1, STRING)


def _chain(name: str, first: r.RexNode, parts: list[r.RexNode], type_: LogicalType) -> r.RexNode:
    nested = first
    for part in parts:
        nested = r.Call(name, (nested, part), type_, "BINARY")
    return nested


def _is(number: int) -> r.RexNode:
    return r.Call("$=$1", (X, r.Literal(number, INT)), BOOLEAN, "BINARY")


@pytest.mark.wide
@pytest.mark.parametrize(
    ("rex", "expected"),
    [
        pytest.param(
            _chain("$OR$1", _is(0), [_is(number) for number in range(1, 3 * DEPTH)], BOOLEAN),
            True,
            marks=pytest.mark.deep,
        ),
        (_chain("$OR$1", _is(0), [_is(number) for number in range(1, DEPTH)], BOOLEAN), True),
        (_chain("$OR$1", _is(0), [_is(number) for number in range(8, DEPTH)], BOOLEAN), False),
        (
            _chain("$||$1", S, [r.Literal(str(at % 10), STRING) for at in range(DEPTH)], STRING),
            "a" + "0123456789" * 100,
        ),
        (_chain("$||$1", S, [r.Literal(None, STRING)] * DEPTH, STRING), None),
        (_chain("$+$1", X, [X] * (DEPTH // 2 - 1), INT), 7 * DEPTH // 2),
        pytest.param(_chain("$+$1", X, [X] * (DEPTH - 1), INT), 7 * DEPTH, marks=pytest.mark.deep),
    ],
    ids=["long-or", "or", "or-of-none", "concatenation", "concatenation-of-null", "sum", "long-sum"],
)
def test_a_chain(spark: SparkSession, rex: r.RexNode, expected: object) -> None:
    frame = spark.createDataFrame([(7, "a")], "x INT, s STRING")
    rows = frame.select(to_column(rex, [F.col("x"), F.col("s")], ExpressionContext()).alias("found")).collect()
    assert [row.found for row in rows] == [expected]
