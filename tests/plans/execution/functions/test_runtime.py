"""Declared functions in a worker: batches of pandas and of coroutines, accumulators by their parts."""

from __future__ import annotations

import datetime as dt
import pickle
from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from compiled_plan.plans import types as t
from compiled_plan.plans.execution.functions.accumulating import Accumulators
from compiled_plan.plans.execution.functions.bootstrap import FunctionFailure
from compiled_plan.plans.execution.functions.codec import Reader
from compiled_plan.plans.execution.functions.columns import _payload
from compiled_plan.plans.execution.functions.exact import exact
from compiled_plan.plans.execution.functions.runtime import Payload, frames_of
from compiled_plan.plans.execution.functions.shipping import pickled
from compiled_plan.plans.execution.spark.arrow import arrow_type
from compiled_plan.plans.functions.accumulators import freezing, stored, thawing
from compiled_plan.plans.functions.calls import Callables, exactly
from compiled_plan.plans.functions.declared import Declared, DeclaredPandasAggregate
from compiled_plan.plans.functions.inference import ArgumentInfo
from compiled_plan.plans.functions.pickles import unpickling
from compiled_plan.plans.rex import Call, InputRef
from compiled_plan.plans.types.conversions.data_types import DataTypes
from compiled_plan.plans.types.mutable_row import MutableRow as Row
from compiled_plan.plans.types.python.extraction import from_data_type
from compiled_plan.plans.types.views import ListView, MapView
from compiled_plan.pyflink.udf import udaf, udf, udtf

Types = tuple[t.LogicalType, ...]


def shipped(holder: Any, types: Types) -> Payload:
    """A call of a function as a worker receives it."""
    function = holder.function
    assert isinstance(function, Declared)
    infos = [ArgumentInfo(type_) for type_ in types]
    bound = Callables(function).bind("f", infos, [None] * len(types), exactly)
    call = Call("", tuple(map(InputRef, range(len(types)), types)), bound.output.type)
    payload, _ = _payload(function, bound, call, "f")
    received: Payload = pickle.loads(pickled(payload, function, "f"))
    received.open()
    return received


async def shouted(text: Any) -> Any:
    return None if text is None else text.upper()


BATCHES: dict[str, tuple[Any, Types, list[list[Any]], list[Any]]] = {
    "pandas": (
        udf(lambda a, b: a + b, result_type="BIGINT", func_type="pandas"),
        (t.BIGINT, t.BIGINT),
        [[1, None, 3], [10, 20, 30]],
        [11, None, 33],
    ),
    "a decimal": (
        udf(lambda a: a * 2, result_type="DECIMAL(10, 2)", func_type="pandas"),
        (t.DecimalType(precision=10, scale=2),),
        [[Decimal("1.25"), None]],
        [Decimal("2.50"), None],
    ),
    "rows of pandas": (
        udf(
            lambda frame: pd.concat([frame.a, frame.b * 2], axis=1), result_type="ROW<x INT, y INT>", func_type="pandas"
        ),
        (t.row_of(("a", "b"), (t.INT, t.INT)),),
        [[{"a": 1, "b": 2}, {"a": 3, "b": 4}]],
        [{"x": 1, "y": 4}, {"x": 3, "y": 8}],
    ),
    "times of pandas": (
        udf(lambda times: times, result_type="TIME(0)", func_type="pandas"),
        (t.TimeType(precision=0),),
        [[3_600_000, None]],
        [3_600_000, None],
    ),
    "coroutines": (udf(shouted, result_type="STRING"), (t.STRING,), [["a", None]], ["A", None]),
    "no arguments": (udf(lambda: 7, result_type="INT"), (), [], [7, 7]),
    "one value is one row": (
        udtf(lambda text: text, result_types="STRING"),
        (t.STRING,),
        [["a b", None]],
        [["a b"], []],
    ),
    "a range is rows": (udtf(lambda n: range(n), result_types=["INT"]), (t.INT,), [[2, 0]], [[0, 1], []]),
    "a tuple is a row": (udtf(lambda n: (n,), result_types=["INT"]), (t.INT,), [[2]], [[2]]),
}


@pytest.mark.parametrize("name", BATCHES)
def test_a_batch_is_evaluated(name: str) -> None:
    holder, types, columns, expected = BATCHES[name]
    arrays = [pa.array(values, arrow_type(type_)) for values, type_ in zip(columns, types, strict=True)]
    results = shipped(holder, types).batch(arrays or [pa.array([0, 0])], guarded=False).to_pylist()
    if results and isinstance(results[0], list):
        results = [[row["v0"] for row in rows] for rows in results]
    assert results == expected


def test_a_guard_selects_the_rows_that_pandas_sees() -> None:
    payload = shipped(udf(lambda a: a + len(a), result_type="BIGINT", func_type="pandas"), (t.BIGINT,))
    results = payload.batch([pa.array([True, False, None, True]), pa.array([1, 2, 3, 4])], guarded=True)
    assert results.to_pylist() == [3, None, None, 6]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda a: 3, "it returned 3 of class int; return a Series"),
        (lambda a: a[:1], "it returned 1 values for a batch of 2 rows"),
        (lambda a: a + 0.5, "truncated"),
    ],
)
def test_a_wrong_column_of_pandas_is_an_error(function: Any, message: str) -> None:
    payload = shipped(udf(function, result_type="BIGINT", func_type="pandas"), (t.BIGINT,))
    with pytest.raises(FunctionFailure, match=message):
        payload.batch([pa.array([1, 2])], guarded=False)


def listed(*values: Any) -> ListView[Any]:
    view: ListView[Any] = ListView()
    view.add_all(values)
    return view


def mapped(**values: Any) -> MapView[Any, Any]:
    view: MapView[Any, Any] = MapView()
    view.put_all(values)
    return view


STATES: dict[str, tuple[Any, Any]] = {
    "a row": ("ROW<a BIGINT, b STRING>", Row(1, "x")),
    "numbers of other classes": ("ROW<a DOUBLE, b BIGINT>", Row(1, 2)),
    "an array with NULL": ("ARRAY<BIGINT>", [None, 3]),
    "views": (
        DataTypes.ROW(
            [
                DataTypes.FIELD("l", DataTypes.LIST_VIEW(DataTypes.TIMESTAMP(3))),
                DataTypes.FIELD("m", DataTypes.MAP_VIEW(DataTypes.STRING(), DataTypes.FLOAT())),
            ]
        ),
        Row(listed(dt.datetime(2024, 1, 2)), mapped(a=1.5)),
    ),
    "times": ("ROW<a TIME(0), b DATE>", Row(dt.time(1, 2, 3), dt.date(2024, 1, 2))),
}


@pytest.mark.parametrize("name", STATES)
def test_an_accumulator_is_stored_by_its_parts(name: str) -> None:
    """State holds values of SQL types, never a pickle; the function gets back what it can change."""
    declared, accumulator = STATES[name]
    bridged = from_data_type(declared)
    codec = exact(stored(bridged))
    assert codec is not None
    states = Accumulators(codec, unpickling(None), freezing(bridged), thawing(bridged))
    out = bytearray()
    states.write(accumulator, out)
    assert out[0] == 1  # typed
    again = states.read(Reader(bytes(out)), fresh=list)
    assert type(again) is type(accumulator)
    assert list(again) == list(accumulator)
    if isinstance(again, Row):
        again[0] = None
        assert again[0] is None


def test_an_accumulator_of_another_form_is_an_error() -> None:
    with pytest.raises(TypeError, match="is no ROW<`a` BIGINT>"):
        freezing(from_data_type("ROW<a BIGINT>"))(Row(1, 2))


def test_a_pandas_aggregate_adds_retracts_and_merges_rows() -> None:
    """Its accumulator is the list of its group's rows; NaN is NULL."""
    function = udaf(lambda a, b: (a * b).mean(), result_type="DOUBLE", func_type="pandas").function
    assert isinstance(function, DeclaredPandasAggregate)
    function = function.over(frames_of((t.DOUBLE, t.BIGINT), t.DOUBLE, arrow_type))
    rows = function.create_accumulator()
    for row in ((1.0, 2), (float("nan"), 3), (4.0, 5), (1.0, 2)):
        function.accumulate(rows, *row)
    function.retract(rows, float("nan"), 3)
    function.retract(rows, 1.0, 2)
    assert rows == [(4.0, 5), (1.0, 2)] and function.get_value(rows) == 11.0
    function.merge(rows, [[(None, 1)]])
    assert function.get_value(rows) == 11.0
    assert function.get_value([(None, 1)]) is None
