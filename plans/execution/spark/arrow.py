"""Columns of internal values to and from Arrow arrays of the types in Spark's own Arrow batches.

See `plans.types.converter` for the internal values, and `plans.execution.spark.types` for Spark's types.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pyarrow as pa

from compiled_plan.plans import types as t
from compiled_plan.plans.errors import DataError, UnsupportedError

_SIMPLE: dict[type[t.LogicalType], pa.DataType] = {
    t.BooleanType: pa.bool_(),
    t.TinyIntType: pa.int8(),
    t.SmallIntType: pa.int16(),
    t.IntType: pa.int32(),
    t.BigIntType: pa.int64(),
    t.FloatType: pa.float32(),
    t.DoubleType: pa.float64(),
    t.CharType: pa.string(),
    t.VarCharType: pa.string(),
    t.BinaryType: pa.binary(),
    t.VarBinaryType: pa.binary(),
    t.BitmapType: pa.binary(),
    t.VariantType: pa.binary(),
    t.DateType: pa.date32(),
    t.TimeType: pa.int32(),
    t.TimestampType: pa.timestamp("us"),
    t.TimestampLtzType: pa.timestamp("us", tz="UTC"),
    t.YearMonthIntervalType: pa.int32(),
    t.DayTimeIntervalType: pa.int64(),
    t.NullType: pa.null(),
}


def arrow_type(type_: t.LogicalType) -> pa.DataType:
    """The Arrow type of a column of a logical type.

    Raises:
        UnsupportedError: no column can hold the type.
    """
    simple = _SIMPLE.get(type(type_))
    if simple is not None:
        return simple
    match type_:
        case t.DecimalType():
            return pa.decimal128(type_.precision, type_.scale)
        case t.ArrayType():
            return pa.list_(arrow_type(type_.element))
        case t.MapType():
            return pa.map_(arrow_type(type_.key), arrow_type(type_.value))
        case t.MultisetType():
            return pa.map_(arrow_type(type_.element), pa.int32())
        case t.FieldsType():
            return pa.struct([pa.field(field.name, arrow_type(field.type)) for field in type_.fields])
    raise UnsupportedError(f"values of type {type_} cannot be held in a column", remedy="cast it to another type")


# --- from Arrow


def values_of(column: pa.Array | pa.ChunkedArray, type_: t.LogicalType) -> list[object]:
    """The internal values of a column.

    Raises:
        DataError: a date or timestamp outside of Python's years 1 to 9999.
    """
    read = _reader(type_)
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    try:
        return [value for chunk in chunks for value in read(chunk)] if len(chunks) != 1 else read(chunks[0])
    except (ValueError, OverflowError) as fault:
        raise DataError(
            f"a value of type {type_} cannot be a Python object: {fault}",
            remedy="Python's dates and times are of the years 1 to 9999; CAST the column to STRING",
        ) from fault


def _reader(type_: t.LogicalType) -> Callable[[pa.Array], list[object]]:
    match type_:
        case t.TimestampLtzType():
            return _instants
        case t.ArrayType():
            element = _reader(type_.element)
            return lambda array: _lists(array, element)
        case t.MapType():
            pair = _reader(type_.key), _reader(type_.value)
            return lambda array: _maps(array, *pair)
        case t.MultisetType():
            counted = _reader(type_.element)
            return lambda array: _maps(array, counted, _plain)
        case t.FieldsType():
            fields = tuple(map(_reader, type_.types))
            return lambda array: _tuples(array, fields)
    return _plain


def _plain(array: pa.Array) -> list[object]:
    values: list[object] = array.to_pylist()
    return values


def _instants(array: pa.Array) -> list[object]:
    plain = array.cast(pa.timestamp("us")).to_pylist()
    return [value if value is None else value.replace(tzinfo=dt.UTC) for value in plain]


def _lists(array: pa.Array, read: Callable[[pa.Array], list[object]]) -> list[object]:
    ends = array.offsets.to_pylist()
    if not ends:
        return []
    values = read(array.values.slice(ends[0], ends[-1] - ends[0]))
    base, valid = ends[0], array.is_valid().to_pylist()
    return [
        values[start - base : end - base] if is_valid else None
        for start, end, is_valid in zip(ends, ends[1:], valid, strict=False)
    ]


def _maps(
    array: pa.Array, read_keys: Callable[[pa.Array], list[object]], read_values: Callable[[pa.Array], list[object]]
) -> list[object]:
    ends = array.offsets.to_pylist()
    if not ends:
        return []
    base, width = ends[0], ends[-1] - ends[0]
    keys = [tuple(key) if isinstance(key, list) else key for key in read_keys(array.keys.slice(base, width))]
    values = read_values(array.items.slice(base, width))
    valid = array.is_valid().to_pylist()
    return [
        dict(zip(keys[start - base : end - base], values[start - base : end - base], strict=True)) if is_valid else None
        for start, end, is_valid in zip(ends, ends[1:], valid, strict=False)
    ]


def _tuples(array: pa.Array, fields: Sequence[Callable[[pa.Array], list[object]]]) -> list[object]:
    valid = array.is_valid().to_pylist()
    if not fields:
        return [() if is_valid else None for is_valid in valid]
    columns = [read(child) for read, child in zip(fields, array.flatten(), strict=True)]
    rows: list[object] = list(zip(*columns, strict=True))
    if array.null_count == 0:
        return rows
    return [row if is_valid else None for row, is_valid in zip(rows, valid, strict=True)]


# --- to Arrow


def array_of(values: Sequence[object], type_: t.LogicalType) -> pa.Array:
    """The column of some internal values.

    Raises:
        DataError: a value outside the type.
    """
    try:
        return _array(values, type_)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as fault:
        raise DataError(f"a value does not fit {type_}: {fault}") from fault


def _array(values: Sequence[Any], type_: t.LogicalType) -> pa.Array:
    match type_:
        case t.ArrayType():
            ends, flat = _flattened(values)
            return pa.ListArray.from_arrays(ends, _array(flat, type_.element))
        case t.MapType() | t.MultisetType():
            key, value = (type_.key, type_.value) if isinstance(type_, t.MapType) else (type_.element, t.INT)
            ends, pairs = _flattened([item if item is None else item.items() for item in values])
            keys = _array([pair[0] for pair in pairs], key)
            return pa.MapArray.from_arrays(ends, keys, _array([pair[1] for pair in pairs], value))
        case t.FieldsType():
            width = len(type_.fields)
            columns = [
                _array([None if row is None else row[at] for row in values], field.type)
                for at, field in enumerate(type_.fields)
            ]
            if not width:
                return pa.array([None if row is None else {} for row in values], type=pa.struct([]))
            missing = pa.array([row is None for row in values], type=pa.bool_())
            return pa.StructArray.from_arrays(columns, fields=list(arrow_type(type_)), mask=missing)
    return pa.array(values, type=arrow_type(type_))


def _flattened(values: Iterable[Any]) -> tuple[pa.Array, list[Any]]:
    """The offsets and the items of lists; the offset of a null list is null."""
    ends: list[int | None] = []
    flat: list[object] = []
    for value in values:
        ends.append(None if value is None else len(flat))
        flat.extend(value or ())
    ends.append(len(flat))
    return pa.array(ends, type=pa.int32()), flat
