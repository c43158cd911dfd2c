"""DataFrames of pandas, PyArrow and Spark as tables, and rows as such DataFrames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import types as s

from compiled_plan.plans.connectors.held import Held
from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.execution.connectors.inline import HeldFrame, HeldTable
from compiled_plan.plans.execution.spark.arrow import array_of, arrow_type
from compiled_plan.plans.execution.spark.types import cast_columns, row_type_of, to_spark
from compiled_plan.plans.types import Field, RowType
from compiled_plan.plans.types import logical as t
from compiled_plan.plans.types.conversions import converter_of
from compiled_plan.plans.types.conversions.data_types import AnyType, DataType, DataTypes

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame, SparkSession

    from compiled_plan.plans.execution.chunks import Chunk
else:
    pd = deferred("pandas")


def hold(frame: Any, schema: AnyType) -> tuple[RowType, Held]:
    """Hold a DataFrame; return its columns and the data. See `api.running.embedded.inline`."""
    data: HeldFrame | HeldTable
    if _is_of(frame, "pyspark.sql", "DataFrame"):
        row_type, data = _spark(frame, schema)
    else:
        row_type, data = _arrow(_table(frame, schema), schema)
    return row_type, Held(data)


def hold_rows(rows: Sequence[Sequence[object]], row_type: DataType) -> tuple[RowType, Held]:
    """Hold rows of Python objects; return their columns and the data.

    Raises:
        DataError: a value does not have its column's type; with column, type and value.
    """
    logical = row_type.logical_type
    assert isinstance(logical, t.FieldsType)
    names, types = _wanted(row_type, logical.names)
    assert types is not None
    converts = [converter_of(type_, name, place="rows") for name, type_ in zip(names, types, strict=True)]
    columns = [
        array_of([convert.to_internal(row[at]) for row in rows], type_.logical_type)
        for at, (convert, type_) in enumerate(zip(converts, types, strict=True))
    ]
    fields = tuple(Field(name, type_.logical_type) for name, type_ in zip(names, types, strict=True))
    data = HeldTable(pa.table(columns, names=[f"f{at}" for at in range(len(names))]))
    return RowType(fields=fields), Held(data)


def _is_of(value: object, package: str, class_: str) -> bool:
    """Return True if a value is of a class of that name; does not import its package."""
    return any(base.__name__ == class_ and base.__module__.startswith(package) for base in type(value).__mro__)


def _wanted(schema: AnyType, names: Sequence[str]) -> tuple[list[str], tuple[DataType, ...] | None]:
    """The column names of a schema, and the data types (None if the schema has only names)."""
    if schema is None:
        return list(names), None
    if isinstance(schema, list | tuple) and all(isinstance(item, str) for item in schema):
        _check_width(len(schema), names)
        return list(schema), None
    data_type = DataTypes.of(DataTypes.ROW(*schema) if isinstance(schema, list | tuple) else schema)
    if not isinstance(data_type.logical_type, t.FieldsType):
        raise ProgramError(
            f"the schema of a DataFrame must be a row, not {data_type}",
            remedy="write DataTypes.ROW(DataTypes.FIELD(...), ...), 'ROW<a INT>', or a list of names",
        )
    _check_width(len(data_type.children), names)
    return list(data_type.logical_type.names), data_type.children


def _check_width(width: int, names: Sequence[str]) -> None:
    if width != len(names):
        raise ProgramError(
            f"the schema has {width} columns, the DataFrame {len(names)}", remedy=f"it has {', '.join(names)}"
        )


# --- pandas and PyArrow


def _table(frame: Any, schema: AnyType) -> pa.Table:
    if isinstance(frame, pa.RecordBatch):
        return pa.Table.from_batches([frame])
    if isinstance(frame, pa.Table):
        return frame
    if not _is_of(frame, "pandas", "DataFrame"):
        raise ProgramError(
            f"an object of class {type(frame).__name__} is no DataFrame",
            remedy="give a DataFrame of pandas or Spark or a Table of PyArrow; rows go into from_values",
        )
    _, types = _wanted(schema, [str(name) for name in frame.columns])
    columns = [
        _series(frame.iloc[:, at], str(name), types[at] if types is not None else None)
        for at, name in enumerate(frame.columns)
    ]
    return pa.table(columns, names=[str(name) for name in frame.columns])


def _series(series: Any, name: str, type_: DataType | None) -> pa.Array:
    """A column of pandas: missing values become NULL; objects are converted if their type is declared."""
    if type_ is not None and series.dtype == object:
        convert = converter_of(type_, name, place="from_dataframe()").to_internal
        missing = [value is None or value is pd.NA or value is pd.NaT or value != value for value in _scalars(series)]
        values = [None if gone else convert(value) for value, gone in zip(series, missing, strict=True)]
        return array_of(values, type_.logical_type)
    try:
        return pa.array(series, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as fault:
        raise ProgramError(
            f"the type of column {name!r} cannot be inferred from its values: {str(fault).splitlines()[0]}",
            remedy="give a schema: from_dataframe(df, DataTypes.ROW(DataTypes.FIELD(...), ...))",
        ) from fault


def _scalars(series: Any) -> list[object]:
    """The values, with containers (whose comparison has no truth value) replaced by an object that equals itself."""
    return [
        value if isinstance(value, float) or value is None or not hasattr(value, "__len__") else 0 for value in series
    ]


def _arrow(table: pa.Table, schema: AnyType) -> tuple[RowType, HeldTable]:
    names, types = _wanted(schema, table.column_names)
    fields, columns = [], []
    for at, name in enumerate(names):
        column = table.column(at)
        if isinstance(column, pa.ChunkedArray):
            column = column.combine_chunks()
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        data_type = types[at] if types is not None else _of_arrow(table.field(at), column, name)
        fields.append(Field(name, data_type.logical_type))
        columns.append(_converted(column, data_type, name))
    _check_names(names)
    return RowType(fields=tuple(fields)), HeldTable(pa.table(columns, names=[f"f{at}" for at in range(len(names))]))


def _check_names(names: Sequence[str]) -> None:
    duplicate = next((name for name in names if list(names).count(name) > 1), None)
    if duplicate is not None:
        raise ProgramError(f"the DataFrame has two columns {duplicate!r}", remedy="rename one, or give a list of names")


def _converted(column: pa.Array, data_type: DataType, name: str) -> pa.Array:
    """A column converted to the type in its table."""
    type_ = data_type.logical_type
    wanted = arrow_type(type_)
    checks_nulls = not type_.nullable and column.null_count > 0
    simple = not (type_.conversions or data_type.converter or pa.types.is_nested(wanted) or checks_nulls)
    if simple and (column.type == wanted or _same_kind(column.type, wanted)):
        try:
            return column.cast(wanted, safe=not pa.types.is_timestamp(wanted))
        except pa.ArrowInvalid:
            pass  # a value that does not fit: the conversion below names it
    if column.type == wanted and not _holds_hints(data_type) and not checks_nulls:
        return column
    convert = converter_of(data_type, name, place="from_dataframe()").to_internal
    values = [_python(value) for value in column.to_pylist(maps_as_pydicts="strict")]
    if pa.types.is_floating(column.type) and pa.types.is_integer(wanted):
        values = [int(value) if value is not None and value.is_integer() else value for value in values]
    return array_of([convert(value) for value in values], type_)


def _python(value: object) -> Any:
    """Convert pandas' own classes of timestamps and durations to Python's."""
    plain = getattr(value, "to_pydatetime", None) or getattr(value, "to_pytimedelta", None)
    return plain() if plain is not None else value


def _same_kind(left: pa.DataType, right: pa.DataType) -> bool:
    kinds = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, _is_text, _is_bytes, _is_date)
    if any(kind(left) and kind(right) for kind in kinds):
        return True
    if pa.types.is_integer(left) and bool(pa.types.is_floating(right) or pa.types.is_decimal(right)):
        return True
    if pa.types.is_floating(left) and pa.types.is_integer(right):
        return True  # integers with a missing value in pandas; the cast refuses other floats
    both = pa.types.is_timestamp(left) and pa.types.is_timestamp(right)
    return bool(both and (left.tz is None) == (right.tz is None))


def _is_text(type_: pa.DataType) -> bool:
    return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_) or pa.types.is_string_view(type_))


def _is_bytes(type_: pa.DataType) -> bool:
    return bool(pa.types.is_binary(type_) or pa.types.is_large_binary(type_) or pa.types.is_fixed_size_binary(type_))


def _is_date(type_: pa.DataType) -> bool:
    return bool(pa.types.is_date(type_))


def _holds_hints(data_type: DataType) -> bool:
    own = data_type.converter is not None or bool(data_type.logical_type.conversions)
    return own or any(map(_holds_hints, data_type.children))


def _of_arrow(field: pa.Field, column: pa.Array, name: str) -> DataType:
    logical = logical_of(column.type)
    if logical is None:
        raise ProgramError(
            f"column {name!r} has the Arrow type {column.type}, which has no SQL type",
            remedy="give a schema: from_dataframe(df, DataTypes.ROW(DataTypes.FIELD(...), ...)), or cast the column",
        )
    nullable = field.nullable or column.null_count > 0
    return DataTypes.of(logical.with_nullability(nullable))


_ARROW: dict[pa.DataType, t.LogicalType] = {
    pa.bool_(): t.BOOLEAN,
    pa.int8(): t.TINYINT,
    pa.int16(): t.SMALLINT,
    pa.int32(): t.INT,
    pa.int64(): t.BIGINT,
    pa.uint8(): t.SMALLINT,
    pa.uint16(): t.INT,
    pa.uint32(): t.BIGINT,
    pa.uint64(): t.DecimalType(precision=20, scale=0),
    pa.float16(): t.FLOAT,
    pa.float32(): t.FLOAT,
    pa.float64(): t.DOUBLE,
}
_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 6}


def logical_of(type_: pa.DataType) -> t.LogicalType | None:
    """The logical type of an Arrow type; None if there is none. Timestamps have microseconds at most."""
    simple = _ARROW.get(type_)
    if simple is not None:
        return simple
    kinds = pa.types
    if _is_text(type_):
        return t.STRING
    if kinds.is_fixed_size_binary(type_):
        return t.BinaryType(length=type_.byte_width)
    if _is_bytes(type_):
        return t.BYTES
    if kinds.is_decimal(type_):
        return t.DecimalType(precision=type_.precision, scale=type_.scale) if type_.precision <= 38 else None
    if kinds.is_date(type_):
        return t.DATE
    if kinds.is_time(type_):
        return t.TimeType(precision=_DIGITS[type_.unit])
    if kinds.is_timestamp(type_):
        make = t.TimestampType if type_.tz is None else t.TimestampLtzType
        return make(precision=_DIGITS[type_.unit])
    if kinds.is_duration(type_):
        return DataTypes.INTERVAL_DAY_TIME(2, 3).logical_type
    return _logical_of_nested(type_)


def _logical_of_nested(type_: pa.DataType) -> t.LogicalType | None:
    if pa.types.is_list(type_) or pa.types.is_large_list(type_) or pa.types.is_fixed_size_list(type_):
        element = logical_of(type_.value_type)
        return None if element is None else t.ArrayType(element=element)
    if pa.types.is_map(type_):
        key, item = logical_of(type_.key_type), logical_of(type_.item_type)
        return None if key is None or item is None else t.MapType(key=key.not_null(), value=item)
    if pa.types.is_struct(type_):
        inner = [(field.name, logical_of(field.type)) for field in type_]
        fields = tuple(Field(name, one) for name, one in inner if one is not None)
        return t.RowType(fields=fields) if len(fields) == len(inner) else None
    return None


# --- Spark


def _spark(frame: DataFrame, schema: AnyType) -> tuple[RowType, HeldFrame | HeldTable]:
    if any(_holds_spans(field.dataType) for field in frame.schema.fields) and not frame.isStreaming:
        return _arrow(frame.toArrow(), schema)
    row_type, columns = _hold_columns(frame, schema)
    return row_type, HeldFrame(columns)


def _hold_columns(frame: DataFrame, schema: AnyType = None) -> tuple[RowType, DataFrame]:
    """The columns of a DataFrame without TIME and intervals, and the DataFrame with their types here."""
    names, types = _wanted(schema, frame.columns)
    _check_names(names)
    row_type = row_type_of(frame.schema, names)
    if types is not None:
        row_type = RowType(
            fields=tuple(Field(name, type_.logical_type) for name, type_ in zip(names, types, strict=True))
        )
    return row_type, cast_columns(frame, row_type)


def _holds_spans(type_: object) -> bool:
    """Return True if a Spark type is or contains TIME or an interval, which tables here store as numbers."""
    inner = [getattr(type_, name) for name in ("elementType", "keyType", "valueType") if hasattr(type_, name)]
    inner += [field.dataType for field in getattr(type_, "fields", ())]
    return type(type_).__name__ in ("TimeType", "DayTimeIntervalType") or any(map(_holds_spans, inner))


# --- output


def frame_of(kind: str, chunks: Sequence[Chunk], row_type: RowType, session: Callable[[], SparkSession]) -> Any:
    """Rows as a DataFrame of `pandas`, `pyarrow` or `spark`."""
    values = [[value for chunk in chunks for value in chunk.columns[at]] for at in range(len(row_type.fields))]
    columns = [_outside(array_of(column, type_), type_) for column, type_ in zip(values, row_type.types, strict=True)]
    table = pa.table(columns, names=list(row_type.names))
    if kind == "pyarrow":
        return table
    if kind == "spark":
        return session().createDataFrame(table, schema=_spark_schema(row_type))
    series = {}
    for at, field in enumerate(row_type.fields):
        if isinstance(field.type, _AS_OBJECTS):
            convert = converter_of(field.type, field.name, place="to_dataframe()").to_external
            series[field.name] = pd.Series([convert(value) for value in values[at]], dtype=object)
        else:
            series[field.name] = table.column(at).to_pandas()
    return pd.DataFrame(series, columns=list(row_type.names))


def _spark_schema(row_type: RowType) -> Any:
    def outside(type_: t.LogicalType) -> s.DataType:
        if isinstance(type_, t.TimeType):
            return s.TimeType()
        return s.DayTimeIntervalType() if isinstance(type_, t.DayTimeIntervalType) else to_spark(type_)

    return s.StructType([s.StructField(field.name, outside(field.type)) for field in row_type.fields])


#: Types whose values are objects in pandas, as `collect` returns them.
_AS_OBJECTS = (t.FieldsType, t.ArrayType, t.MapType, t.MultisetType)


def _outside(column: pa.Array, type_: t.LogicalType) -> pa.Array:
    """TIME and INTERVAL DAY TO SECOND as Arrow's own types."""
    if isinstance(type_, t.TimeType):
        return column.cast(pa.time32("ms"))
    if isinstance(type_, t.DayTimeIntervalType):
        return column.cast(pa.duration("ms"))
    return column
