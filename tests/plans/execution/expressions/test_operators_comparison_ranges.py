"""Sets of ranges, as Flink builds them from IN, NOT IN and comparisons with constants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

from compiled_plan.plans.execution.expressions import ExpressionContext, to_column
from compiled_plan.plans.rex import Call, InputRef, Range, Sarg
from compiled_plan.plans.types import BOOLEAN, DOUBLE, INT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Found, not found, unknown.
Y, N, U = True, False, None


def below(upper: Any) -> Range:
    return Range(upper=upper, has_upper=True)


def above(lower: Any) -> Range:
    return Range(lower=lower, has_lower=True)


def between(lower: Any, upper: Any, *, upper_closed: bool = False) -> Range:
    return Range(lower, False, upper, upper_closed, True, True)


#: Ranges, and their result for 0 to 5 and NULL.
RANGES: dict[str, tuple[list[Range], list[Any]]] = {
    "all but two": ([below(1), between(1, 3), above(3)], [Y, N, Y, N, Y, Y, U]),
    "bounded": ([between(0, 2), between(2, 4, upper_closed=True)], [N, Y, N, Y, Y, N, U]),
    "apart": ([between(0, 2), between(2, 3), above(4)], [N, Y, N, N, N, Y, U]),
    "a value": ([below(1), Range(1, True, 1, True, True, True), between(1, 3), above(3)], [Y, Y, Y, N, Y, Y, U]),
    "closed": ([below(2), Range(2, True, 4, False, True, True), above(4)], [Y, Y, Y, Y, N, Y, U]),
    "two thousand": ([below(at) if not at else between(at - 1, at) for at in range(2_000)], [N, N, N, N, N, N, U]),
}
NULLS = {"UNKNOWN": U, "TRUE": Y, "FALSE": N}


@pytest.mark.wide
def test_ranges(spark: SparkSession) -> None:
    cases = [(name, null_as) for name in RANGES for null_as in NULLS]
    columns = [
        to_column(
            Call(
                "$SEARCH$1",
                (InputRef(0, INT), Sarg(tuple(RANGES[name][0]), null_as, INT.not_null())),
                BOOLEAN,
                "INTERNAL",
            ),
            [F.col("v")],
            ExpressionContext(),
        )
        for name, null_as in cases
    ]
    frame = spark.createDataFrame([(at, value) for at, value in enumerate([*range(6), None])], "at INT, v INT")
    rows = frame.sort("at").select(*columns).collect()
    results = {case: [row[at] for row in rows] for at, case in enumerate(cases)}
    assert results == {
        (name, null_as): [NULLS[null_as] if value is U else value for value in RANGES[name][1]]
        for name, null_as in cases
    }


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        # NOT IN of Flink looks into a set, which has neither NaN nor -0.0.
        ((below(0.0), *(between(float(at), float(at + 1)) for at in range(20)), above(20.0)), [Y, Y, Y, Y, N]),
        ((below(0.0), between(0.0, 1.0), between(1.0, 30.0)), [N, N, Y, Y, Y]),
    ],
    ids=["NOT IN", "ranges"],
)
def test_ranges_of_floating_point_numbers(spark: SparkSession, ranges: tuple[Range, ...], expected: list[bool]) -> None:
    call = Call("$SEARCH$1", (InputRef(0, DOUBLE), Sarg(ranges, "UNKNOWN", DOUBLE.not_null())), BOOLEAN, "INTERNAL")
    values = [float("nan"), -0.0, 0.5, -1.0, 20.0]
    frame = spark.createDataFrame([(at, value) for at, value in enumerate(values)], "at INT, v DOUBLE")
    column = to_column(call, [F.col("v")], ExpressionContext())
    assert [row[0] for row in frame.sort("at").select(column).collect()] == expected
