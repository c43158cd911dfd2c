"""Functions of a PyFlink program, whose plan and rows were recorded from PyFlink 2.3 with the imports of PyFlink."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from compiled_plan.plans.types.conversions.data_types import DataTypes
from compiled_plan.plans.types.mutable_row import MutableRow as Row
from compiled_plan.plans.types.views import ListView, MapView
from compiled_plan.pyflink.udf import (
    AggregateFunction,
    AsyncScalarFunction,
    FunctionContext,
    ScalarFunction,
    udaf,
    udf,
    udtf,
)


@udf(result_type=DataTypes.BIGINT())
def add(left: Any, right: Any) -> Any:
    return None if left is None or right is None else left + right


plus5 = udf(functools.partial(lambda step, number: (number or 0) + step, 5), result_type="BIGINT")


class Scaled(ScalarFunction):
    factor = 0

    def open(self, function_context: FunctionContext) -> None:
        self.factor = 12

    def eval(self, text: Any) -> Any:
        return None if text is None else len(text) * self.factor


scaled = udf(Scaled(), [DataTypes.STRING()], DataTypes.INT())


class Looked(AsyncScalarFunction):
    async def eval(self, number: Any) -> Any:
        return f"v{number}"


looked = udf(Looked(), result_type=DataTypes.STRING())


@udf(result_type=DataTypes.BIGINT(), func_type="pandas")
def pandas_add(left: Any, right: Any) -> Any:
    return left + right


@udtf(result_types=[DataTypes.STRING(), DataTypes.INT()])
def words(text: Any) -> Iterator[Any]:
    for at, word in enumerate((text or "").split()):
        yield word, at


@udtf(result_types=DataTypes.BIGINT())
def below(number: Any) -> Any:
    return range(number or 0)


class Total(AggregateFunction):
    def create_accumulator(self) -> Any:
        return Row(0, 0)

    def accumulate(self, accumulator: Any, value: Any) -> None:
        if value is not None:
            accumulator[0] += value
            accumulator[1] += 1

    def retract(self, accumulator: Any, value: Any) -> None:
        if value is not None:
            accumulator[0] -= value
            accumulator[1] -= 1

    def merge(self, accumulator: Any, accumulators: Any) -> None:
        for merged in accumulators:
            accumulator[0] += merged[0]
            accumulator[1] += merged[1]

    def get_value(self, accumulator: Any) -> Any:
        return accumulator[0] if accumulator[1] else None

    def get_result_type(self) -> Any:
        return DataTypes.BIGINT()

    def get_accumulator_type(self) -> Any:
        return DataTypes.ROW(
            [DataTypes.FIELD("total", DataTypes.BIGINT()), DataTypes.FIELD("rows", DataTypes.BIGINT())]
        )


total = udaf(Total())


class Bag(AggregateFunction):
    def create_accumulator(self) -> Any:
        return Row(ListView(), MapView())

    def accumulate(self, accumulator: Any, value: Any) -> None:
        if value is not None:
            accumulator[0].add(value)
            accumulator[1][value] = 1 + (accumulator[1][value] if accumulator[1].contains(value) else 0)

    def retract(self, accumulator: Any, value: Any) -> None:
        if value is not None:
            values = list(accumulator[0])
            values.remove(value)
            accumulator[0].clear()
            accumulator[0].add_all(values)
            accumulator[1][value] = accumulator[1][value] - 1

    def get_value(self, accumulator: Any) -> Any:
        counts = [f"{key}={value}" for key, value in sorted(accumulator[1].items()) if value]
        return ",".join(sorted(accumulator[0])) + "|" + ",".join(counts)

    def get_result_type(self) -> Any:
        return DataTypes.STRING()

    def get_accumulator_type(self) -> Any:
        values = DataTypes.FIELD("items", DataTypes.LIST_VIEW(DataTypes.STRING()))
        return DataTypes.ROW(
            [values, DataTypes.FIELD("counts", DataTypes.MAP_VIEW(DataTypes.STRING(), DataTypes.BIGINT()))]
        )


bag = udaf(Bag())


@udaf(result_type=DataTypes.DOUBLE(), func_type="pandas")
def mean(values: Any) -> Any:
    return values.mean()
