"""Table functions of correlates: the array of rows that a call returns for an input row.

Source: `$UNNEST_ROWS$1`, `$UNNEST_ROWS_WITH_ORDINALITY$1` and `$REPLICATE_ROWS$1` in Flink 2.3's plans. Each element
is a struct with fields `v0`, `v1`, ....
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark import SparkContext
from pyspark.sql import Column
from pyspark.sql import functions as F

from compiled_plan.plans.execution.expressions import ExpressionContext, to_column
from compiled_plan.plans.execution.spark import lambdas
from compiled_plan.plans.execution.spark.java import column_of, java_class, java_column
from compiled_plan.plans.execution.spark.types import ddl
from compiled_plan.plans.nodes.stateless import Correlate
from compiled_plan.plans.rex import Call, java_function, python_function, type_of
from compiled_plan.plans.types import ArrayType, FieldsType, LogicalType, MapType, MultisetType

Elements = Callable[[Call, Sequence[Column], Sequence[LogicalType]], Column]


def elements(node: Correlate, inputs: Sequence[Column], context: ExpressionContext) -> Column:
    """The rows of a correlate's function call, as an array of structs."""
    call = node.function_call
    assert isinstance(call, Call)
    if python_function(call) is not None:
        return to_column(call, inputs, context)
    arguments = [to_column(operand, inputs, context) for operand in call.operands]
    if java_function(call) is not None and context.java is not None:
        return context.java.column(call, arguments, context.where, is_table=True)
    return _FUNCTIONS[call.name](call, arguments, [type_of(operand) for operand in call.operands])


def or_null(rows: Column, types: Sequence[LogicalType]) -> Column:
    """The rows, or one null row if there are none; refers to them once, as a call may be expensive or volatile."""
    struct = ",".join(f"`v{at}`:{ddl(type_)}" for at, type_ in enumerate(types))
    context = SparkContext._active_spark_context
    assert context is not None
    calls = java_class(context._jvm, "org.compiledplan.kernel.host.JavaCalls")
    return column_of(calls.orNull(java_column(rows), f"struct<{struct}>"))


def _fields(value: Column, type_: LogicalType) -> list[Column]:
    """An element's columns: the fields of a row, or the value itself."""
    if isinstance(type_, FieldsType):
        return [value.getField(name) for name in type_.names]
    return [value]


def _struct(columns: Sequence[Column]) -> Column:
    return F.struct(*(column.alias(f"v{at}") for at, column in enumerate(columns)))


def _items(value: Column, type_: LogicalType) -> tuple[Column, Callable[[Column], list[Column]]]:
    """A collection as an array, and the conversion of its items to columns."""
    match type_:
        case ArrayType():
            return value, lambda item: _fields(item, type_.element)
        case MapType():
            return F.map_entries(value), lambda item: [item.getField("key"), item.getField("value")]
        case MultisetType():
            # A multiset is a map from element to count; each element is repeated by its count.
            repeated = F.flatten(
                lambdas.transform(
                    F.map_entries(value), lambda e: F.array_repeat(e.getField("key"), e.getField("value"))
                )
            )
            return repeated, lambda item: _fields(item, type_.element)
    raise AssertionError(f"UNNEST of {type_}")


def _unnest(call: Call, arguments: Sequence[Column], types: Sequence[LogicalType]) -> Column:
    array, columns = _items(arguments[0], types[0])
    if isinstance(types[0], ArrayType) and isinstance(types[0].element, FieldsType):
        # A null row gives no row; a null value of another type gives a row with null.
        array = lambdas.filtered(array, lambda item: item.isNotNull())
    return lambdas.transform(array, lambda item: _struct(columns(item)))


def _unnest_with_ordinality(call: Call, arguments: Sequence[Column], types: Sequence[LogicalType]) -> Column:
    array, columns = _items(arguments[0], types[0])
    return lambdas.transform(array, lambda item, at: _struct([*columns(item), (at + F.lit(1)).cast("int")]))


def _replicate(call: Call, arguments: Sequence[Column], types: Sequence[LogicalType]) -> Column:
    count, *values = arguments
    times = F.greatest(count, F.lit(0)).cast("int")
    return F.array_repeat(_struct(values), times)


_FUNCTIONS: dict[str, Elements] = {
    "$UNNEST_ROWS$1": _unnest,
    "$UNNEST_ROWS_WITH_ORDINALITY$1": _unnest_with_ordinality,
    "$REPLICATE_ROWS$1": _replicate,
}
