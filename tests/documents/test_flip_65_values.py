"""FLIP-65, "New extraction" and "DataTypeHint", executed: numpy values, RAW without hints, inference by literals."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

import numpy
import pandas
import pytest

from compiled_plan import Row, TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.functions import (
    AggregateFunction,
    ArgumentCount,
    CallContext,
    DataTypeHint,
    InputTypeStrategies,
    ScalarFunction,
    TableFunction,
    TypeInference,
)
from compiled_plan.plans.functions.inference import InputTypeStrategy

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.wide


def scalar(eval_: Callable[..., Any], annotation: Any, result: Any) -> type[ScalarFunction]:
    """A function of one argument."""

    def eval(self: Any, value: Any) -> Any:
        return eval_(value)

    eval.__annotations__ = {"value": annotation, "return": result}
    return type("Given", (ScalarFunction,), {"eval": eval})


ARRAY = Annotated[numpy.ndarray, DataTypeHint("ARRAY<DOUBLE>")]


class Thirds(ScalarFunction):
    def eval(self, number: int) -> Decimal:
        return Decimal(number) / 3


class Rounded(ScalarFunction):
    def eval(self, number: Decimal) -> str:
        return str(number.quantize(Decimal("0.01")))


class Once(ScalarFunction):
    """An inference whose strategy does not accept its own result."""

    def eval(self, number: Any) -> str:
        return str(number)

    def get_type_inference(self) -> TypeInference:
        def widened(call: CallContext) -> list[str] | None:
            return ["BIGINT"] if call.arguments[0].type.ROOT == "INTEGER" else None

        return TypeInference("STRING", InputTypeStrategy(ArgumentCount.of(1), widened))


class Range(TableFunction[int]):
    def eval(self, count: int) -> Iterator[int]:
        yield from numpy.arange(count)


def test_new_extraction_values_of_numpy(spark: SparkSession) -> None:
    """Results of numpy and pandas types; a Decimal without a precision, as RAW, from function to function."""
    functions = {
        "big": scalar(numpy.int64, int, int),
        "small": scalar(lambda value: value + numpy.int32(1), numpy.int32, numpy.int32),
        "single": scalar(numpy.float32, float, float),
        "truth": scalar(lambda value: numpy.int64(value) > 1, int, bool),
        "text": scalar(numpy.str_, str, str),
        "listed": scalar(lambda value: numpy.array(value) * 2, list[float], list[float]),
        "vector": scalar(lambda value: value * 2, ARRAY, ARRAY),
        "mapped": scalar(lambda value: {numpy.str_("k"): numpy.int64(value)}, int, dict[str, int]),
        "stamp": scalar(lambda value: pandas.Timestamp("2020-01-01"), int, dt.datetime),
        "row_of": scalar(
            lambda value: Row(numpy.int64(value), numpy.float64(value)),
            int,
            Annotated[Row, DataTypeHint("ROW<a INT, b DOUBLE>")],
        ),
        "thirds": DataTypeHint(allow_raw_globally=True)(Thirds),
        "rounded": DataTypeHint(allow_raw_pattern="decimal.")(Rounded),
        "once": Once,
        "upto": Range,
    }
    env = TableEnvironment()
    for name, function in functions.items():
        env.create_temporary_function(name, function)
    calls = {
        "big(b)": 3,
        "small(3)": 4,
        "single(1.5E0)": 1.5,
        "truth(b)": True,
        "text('a')": "a",
        "listed(ARRAY[1.5E0])": [3.0],
        "vector(ARRAY[1.5E0])": [3.0],
        "mapped(b)": {"k": 3},
        "stamp(b)": dt.datetime(2020, 1, 1),
        "row_of(b)": (3, 3.0),
        "rounded(thirds(b))": "1.00",
        "once(3)": "3",
        "x": 0,
    }
    rows = "(VALUES (CAST(3 AS BIGINT))) AS v(b), LATERAL TABLE(upto(CAST(1 AS BIGINT))) AS u(x)"
    (row,) = env.execute_sql(f"SELECT {', '.join(calls)} FROM {rows}").collect()
    assert dict(zip(calls, row, strict=True)) == calls


class Total(AggregateFunction[int, Any]):
    def create_accumulator(self) -> Any:
        return numpy.int64(0)

    def accumulate(self, accumulator: Any, value: int) -> Any:
        return accumulator + value

    def get_value(self, accumulator: Any) -> int:
        return accumulator


class Reals(Total):
    def get_value(self, accumulator: Any) -> list[float]:  # type: ignore[override]
        return numpy.array([accumulator, 0.5])


class Typed(AggregateFunction):  # type: ignore[type-arg]
    """The result type is the one that a literal names."""

    def create_accumulator(self) -> list[Any]:
        return [0, None]

    def accumulate(self, accumulator: list[Any], value: int, type: str) -> None:
        accumulator[:] = accumulator[0] + value, type

    def get_value(self, accumulator: list[Any]) -> Any:
        return accumulator[0] if accumulator[1] == "INT" else str(accumulator[0])

    def get_type_inference(self) -> TypeInference:
        return TypeInference(
            lambda call: call.get_argument_value(1),
            InputTypeStrategies.sequence("BIGINT", InputTypeStrategies.LITERAL),
        )


def test_manual_definition_aggregates_by_literal(spark: SparkSession) -> None:
    env = TableEnvironment()
    for class_ in (Total, Reals, Typed):
        env.create_temporary_function(class_.__name__, class_)
    calls = "total(x), reals(x), typed(x, 'INT'), typed(x, 'STRING')"
    row = list(env.execute_sql(f"SELECT {calls} FROM (VALUES (CAST(3 AS BIGINT))) AS v(x)").collect())[-1]
    assert tuple(row) == (3, [3.0, 0.5], 3, "3")


class Opening(ScalarFunction):
    def open(self, context: object) -> None:
        raise ValueError("no file")

    def eval(self, number: int) -> int: ...


class Closing(ScalarFunction):
    def close(self) -> None:
        raise ValueError("no file")

    def eval(self, number: int) -> int:
        return number


@pytest.mark.parametrize(("class_", "method"), [(Opening, "open"), (Closing, "close")])
def test_errors_of_open_and_close(spark: SparkSession, class_: type[ScalarFunction], method: str) -> None:
    env = TableEnvironment()
    env.create_temporary_function("f", class_)
    with pytest.raises(CompiledPlanError, match=rf"user function failed: `f` \(.*\.{method}\).*ValueError: no file"):
        list(env.execute_sql("SELECT f(CAST(1 AS BIGINT))").collect())
