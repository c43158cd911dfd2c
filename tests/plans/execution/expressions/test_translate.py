"""Unsupported expressions are refused by name, and failures on a row have a reason."""

from __future__ import annotations

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F

from compiled_plan.plans import rex as r
from compiled_plan.plans import types as t
from compiled_plan.plans.errors import PlanError, UnsupportedError
from compiled_plan.plans.execution.expressions import ExpressionContext, known_functions, to_column

HERE = ExpressionContext(where="node 7 (stream-exec-calc_1)")
TEXT = r.InputRef(0, t.STRING)


def test_an_unknown_function_is_named_with_its_node(session: SparkSession) -> None:
    with pytest.raises(UnsupportedError, match=r"\$NOPE\$1.*\n.*node 7"):
        to_column(r.Call("$NOPE$1", (), t.INT), [], HERE)


def test_a_user_function_translates_its_call(session: SparkSession) -> None:
    def double(call: r.Call, args: tuple[Column, ...]) -> Column | None:
        return args[0] * 2 if call.name == "double" else None

    context = ExpressionContext(user_function=double)
    column = to_column(r.Call("double", (r.InputRef(0, t.INT),), t.INT), [F.lit(21)], context)
    assert session.range(1).select(column).collect()[0][0] == 42
    with pytest.raises(UnsupportedError, match="triple"):
        to_column(r.Call("triple", (), t.INT), [], context)


def test_a_reference_beyond_the_input(session: SparkSession) -> None:
    with pytest.raises(PlanError, match="column 3 of an input with 1"):
        to_column(r.InputRef(3, t.INT), [F.lit(1)], HERE)


def test_a_correlation_variable_outside_its_correlate(session: SparkSession) -> None:
    with pytest.raises(PlanError, match=r"\$cor0"):
        to_column(r.CorrelVariable("$cor0", t.RowType()), [], HERE)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("call", "value", "said"),
    [
        (r.Call("$CAST$1", (TEXT,), t.INT), "abc", r"CAST\('abc' AS INT\)"),
        (r.Call("$CAST$1", (TEXT,), t.DATE), "2024-13-01", r"CAST\('2024-13-01' AS DATE\)"),
        (
            r.Call("$/$1", (r.Call("$CAST$1", (TEXT,), t.INT), r.Literal(0, t.INT)), t.INT),
            "7",
            "division by zero of 7",
        ),
        (r.Call("$ENCODE$1", (TEXT, r.Literal("nope", t.STRING)), t.BYTES), "a", r"ENCODE\('a', 'nope'\)"),
    ],
)
def test_a_failure_names_function_and_value(call: r.Call, value: str, said: str, session: SparkSession) -> None:
    frame = session.createDataFrame([(value,)], "s STRING")
    with pytest.raises((PySparkException, Py4JJavaError), match=said):
        frame.select(to_column(call, [F.col("s")], HERE)).collect()


def test_a_name_for_a_value_as_flinks_table_api_writes_it(session: SparkSession) -> None:
    named = r.Call("$AS$1", (r.InputRef(0, t.INT), r.Literal("p", t.CharType(length=1, nullable=False))), t.INT)
    assert session.range(1).select(to_column(named, [F.lit(21)], HERE)).collect()[0][0] == 21


def test_a_difference_of_times_as_flinks_table_api_writes_it(session: SparkSession) -> None:
    texts = [F.lit(text).cast("timestamp_ntz") for text in ("2024-01-31 12:00:00", "2024-03-31 11:59:59.5")]
    times = [r.InputRef(at, t.TimestampType(precision=3)) for at in range(2)]

    def between(unit: str) -> Column:
        symbol = r.Literal(unit, t.SymbolType(), symbol="TIMEPOINT_UNIT")
        return to_column(r.Call("$TIMESTAMPDIFF$1", (symbol, *times), t.INT), texts, HERE)

    units = ("SECOND", "HOUR", "DAY", "WEEK", "MONTH", "YEAR")
    assert tuple(session.range(1).select(*map(between, units)).collect()[0]) == (5183999, 1439, 59, 8, 1, 0)


def test_field_names_may_hold_dots_and_backticks(session: SparkSession) -> None:
    row = t.row_of(["a.b", "c`d"], [t.INT, t.INT])
    struct = r.Call("$ROW$1", (r.Literal(1, t.INT), r.Literal(2, t.INT)), row)
    columns = [to_column(r.FieldAccess(struct, name), [], HERE) for name in row.names]
    assert tuple(session.range(1).select(*columns).collect()[0]) == (1, 2)


def test_proctime_is_the_given_column(session: SparkSession) -> None:
    context = ExpressionContext(proctime=F.timestamp_millis(F.lit(1_700_000_000_000)), time_zone="Asia/Tokyo")
    now = to_column(r.Call("$PROCTIME$1", (), t.TimestampLtzType(precision=3)), [], context)
    today = to_column(r.Call("$CURRENT_DATE$1", (), t.DATE), [], context)
    row = session.range(1).select(F.unix_millis(now), today.cast("string")).collect()[0]
    assert tuple(row) == (1_700_000_000_000, "2023-11-15")


def test_the_functions_of_flinks_plans_are_known() -> None:
    wanted = {"$+$1", "$CAST$1", "$SEARCH$1", "$JSON_VALUE$1", "$EXTRACT$1", "$OBJECT_UPDATE$1", "$SIMILAR TO$1"}
    assert wanted <= set(known_functions())
