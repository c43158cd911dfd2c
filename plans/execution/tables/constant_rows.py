"""Constant rows (a values node) as a source that emits them once.

Rows too many for expressions of Spark are read from a file, as internal values.
"""

from __future__ import annotations

import base64
import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F
from pyspark.sql import types as s

from compiled_plan.plans import rex as r
from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions import to_column
from compiled_plan.plans.execution.expressions.literals_to_columns import EPOCH, micros_of, millis_of_day
from compiled_plan.plans.execution.interfaces.connectors import KIND, ORD, PATH, insert_head
from compiled_plan.plans.execution.operators.base import Lowering
from compiled_plan.plans.execution.spark.arrow import array_of
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.spark.types import to_spark
from compiled_plan.plans.inspection.checkpoints import FOLDER
from compiled_plan.plans.inspection.lineage.meaning import digest_of
from compiled_plan.plans.nodes.model import value_to_json

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from compiled_plan.plans.nodes.scan import Values


class NotConstantError(Exception):
    """An expression that is not a simple constant."""


def value_of(rex: r.RexNode) -> object:
    """The internal value (see `plans.types.converter`) of a literal, or of a constructor over literals.

    Raises:
        NotConstantError: any other expression.
    """
    match rex:
        case r.Literal(value=None):
            return None
        case r.Literal() if rex.symbol is None and type(rex.type) in _READERS:
            return _READERS[type(rex.type)](rex.value, rex.type)
        case r.Call() if rex.name in _CALLS:
            return _CALLS[rex.name](rex)
    raise NotConstantError


def _number_text(call: r.Call) -> float:
    """The value of a cast such as CAST('NaN' AS DOUBLE)."""
    (operand,) = call.operands
    if isinstance(call.type, t.FloatType | t.DoubleType) and isinstance(operand, r.Literal):
        special = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}.get(str(operand.value))
        if special is not None:
            return float(special)
    raise NotConstantError


def _items(call: r.Call) -> tuple[object, ...]:
    return tuple(map(value_of, call.operands))


def _map(call: r.Call) -> dict[object, object]:
    items = _items(call)
    keys = [tuple(key) if isinstance(key, list) else key for key in items[::2]]
    return dict(zip(keys, items[1::2], strict=True))


def _object(call: r.Call) -> tuple[object, ...]:
    if not isinstance(call.type, t.StructuredType):
        raise NotConstantError
    names = [value_of(operand) for operand in call.operands[1::2]]
    values = dict(zip(names, map(value_of, call.operands[2::2]), strict=True))
    return tuple(values[name] for name in call.type.names)


_CALLS: dict[str, Callable[[r.Call], object]] = {
    "$CAST$1": _number_text,
    "$ARRAY$1": lambda call: list(_items(call)),
    "$MAP$1": _map,
    "$ROW$1": _items,
    "$OBJECT_OF$1": _object,
}


def _moment(value: object, type_: t.LogicalType) -> dt.datetime:
    zone = dt.UTC if isinstance(type_, t.TimestampLtzType) else None
    return EPOCH.replace(tzinfo=zone) + dt.timedelta(microseconds=micros_of(str(value).removesuffix("Z")))


def _clock(value: object, type_: t.LogicalType) -> int:
    return value if isinstance(value, int) else millis_of_day(str(value))


def _day(value: Any, type_: t.LogicalType) -> dt.date:
    return dt.date(1970, 1, 1) + dt.timedelta(days=value) if isinstance(value, int) else dt.date.fromisoformat(value)


def _converted_by(class_: Callable[[Any], Any]) -> Callable[[object, t.LogicalType], object]:
    return lambda value, type_: class_(value)


def _decimal(value: Any, type_: Any) -> Decimal:
    return Decimal(str(value)).quantize(Decimal(1).scaleb(-type_.scale))


_whole, _real, _text, _bytes = (
    _converted_by(int),
    _converted_by(float),
    _converted_by(str),
    _converted_by(base64.b64decode),
)
_READERS: dict[type[t.LogicalType], Callable[[Any, Any], Any]] = {
    t.BooleanType: _converted_by(bool),
    t.TinyIntType: _whole,
    t.SmallIntType: _whole,
    t.IntType: _whole,
    t.BigIntType: _whole,
    t.FloatType: _real,
    t.DoubleType: _real,
    t.DecimalType: _decimal,
    t.CharType: _text,
    t.VarCharType: _text,
    t.BinaryType: _bytes,
    t.VarBinaryType: _bytes,
    t.DateType: _day,
    t.TimeType: _clock,
    t.TimestampType: _moment,
    t.TimestampLtzType: _moment,
    t.YearMonthIntervalType: _whole,
    t.DayTimeIntervalType: _whole,
}


#: Maximum number of rows written as expressions: the cost of Spark's analysis is superlinear in their number.
_MANY = 40


def values_source(node: Values, spark: SparkSession, folder: Folder, lowering: Lowering) -> DataFrame:
    """The rows of a values node.

    A file with one line inside the checkpoint triggers them: Spark logs that it was read, so that a restart does not
    emit the rows again.
    """
    place = f"{FOLDER}/values-{digest_of(value_to_json(node.tuples))}"
    name = f"{place}/once.txt"
    if len(node.tuples) > _MANY and not folder.holds(name):
        columns = _columns(node)
        if columns is not None:
            return _rows_of_a_file(node, columns, spark, folder, f"{place}/rows")
    if not folder.holds(name):
        folder.write_text(name, "once\n")
    once = spark.readStream.text(folder.child(place))
    types = node.output_type.types
    context = lowering.context(node)
    rows = [
        F.struct(
            *insert_head(F.lit(at).cast("bigint")),
            *(
                to_column(cell, (), context).cast(to_spark(type_)).alias(f"f{column}")
                for column, (cell, type_) in enumerate(zip(row, types, strict=True))
            ),
        )
        for at, row in enumerate(node.tuples)
    ]
    if not rows:
        empty = [F.lit(None).cast(to_spark(type_)).alias(f"f{at}") for at, type_ in enumerate(types)]
        return once.where(F.lit(False)).select(*insert_head(F.lit(0).cast("bigint")), *empty)
    names = [KIND, ORD, PATH, *(f"f{at}" for at in range(len(types)))]
    return once.select(F.inline(F.array(*rows))).toDF(*names)


def _columns(node: Values) -> list[list[object]] | None:
    """The values of constant rows by column; None if some are not simple constants."""
    try:
        return [[value_of(row[at]) for row in node.tuples] for at in range(len(node.output_type.fields))]
    except NotConstantError:
        return None


def _rows_of_a_file(
    node: Values, columns: list[list[object]], spark: SparkSession, folder: Folder, name: str
) -> DataFrame:
    """Constant rows as a Parquet file inside the checkpoint, which is read once."""
    import pyarrow as pa

    types = node.output_type.types
    names = [f"f{at}" for at in range(len(types))]
    fields = [s.StructField(name, to_spark(type_)) for name, type_ in zip(names, types, strict=True)]
    schema = s.StructType([s.StructField(ORD, s.LongType()), *fields])
    if not folder.holds(f"{name}/_SUCCESS"):
        arrays = [pa.array(range(len(node.tuples)), type=pa.int64())]
        arrays += [array_of(column, type_) for column, type_ in zip(columns, types, strict=True)]
        rows = spark.createDataFrame(pa.table(arrays, names=[ORD, *names]), schema=schema)
        rows.coalesce(1).write.mode("overwrite").parquet(folder.child(name))
    frame = spark.readStream.schema(schema).parquet(folder.child(name))
    return frame.select(*insert_head(F.col(ORD)), *names)
