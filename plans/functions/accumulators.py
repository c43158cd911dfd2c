"""Accumulators of declared aggregate functions: the type in which state holds them, and their conversions."""

from __future__ import annotations

import datetime as dt
from numbers import Integral
from typing import Any

from compiled_plan.plans import types as t
from compiled_plan.plans.types.converter import Convert
from compiled_plan.plans.types.mutable_row import MutableRow
from compiled_plan.plans.types.python.bridge import Bridged
from compiled_plan.plans.types.views import ListView, MapView


def stored(bridged: Bridged) -> Bridged:
    """The type in which state holds an accumulator: plain, nullable parts of types that hold every Python value.

    A row is a tuple, a `ListView` an ARRAY, a `MapView` a MAP.
    """
    parts = tuple(map(stored, bridged.parts))
    types = tuple(part.type for part in parts)
    match bridged.type:
        case t.FieldsType():
            fields = tuple(t.Field(field.name, type_) for field, type_ in zip(bridged.type.fields, types, strict=True))
            return Bridged(t.RowType(fields=fields), tuple, parts)
        case t.ArrayType():
            return Bridged(t.ArrayType(element=types[0]), None, parts)
        case t.MapType():
            return Bridged(t.MapType(key=types[0], value=types[1]), None, parts)
        case t.CharacterType():
            return Bridged(t.STRING)
        case t.BytesType():
            return Bridged(t.BYTES)
        case t.FloatType():
            return Bridged(t.DOUBLE)
        case t.TimeType():
            return Bridged(t.BIGINT)
        case t.TimestampLtzType():
            return Bridged(t.TimestampLtzType(precision=6))
        case t.TimestampType():
            return Bridged(t.TimestampType(precision=6))
    return Bridged(bridged.type.with_nullability(True))


def freezing(bridged: Bridged) -> Convert:
    """The conversion of an accumulator of a declared type to a value of its stored type."""
    return _of_nullable(_freezing(bridged))


def _of_nullable(convert: Convert) -> Convert:
    return lambda value: None if value is None else convert(value)


def _freezing(bridged: Bridged) -> Convert:
    parts = tuple(map(freezing, bridged.parts))
    match bridged.type:
        case t.FieldsType():
            names, text = bridged.type.names, str(bridged.type)

            def row(value: Any) -> tuple[object, ...]:
                if isinstance(value, dict):
                    value = [value[name] for name in names]
                if not isinstance(value, tuple | list | MutableRow) or len(value) != len(parts):
                    raise TypeError(f"the accumulator {value!r} is no {text}")
                return tuple(part(item) for part, item in zip(parts, value, strict=True))

            return row
        case t.ArrayType():
            (element,) = parts
            return lambda value: [element(item) for item in value]
        case t.MapType():
            key, item_of = parts
            return lambda value: {key(left): item_of(right) for left, right in value.items()}
        case t.IntegerType():
            return _whole
        case t.FloatType() | t.DoubleType():
            return float
        case t.BooleanType():
            return bool
        case t.BytesType():
            return bytes
        case t.TimeType():
            return _micros
    return lambda value: value


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{value!r} of class {type(value).__name__} in an accumulator is no whole number")
    return int(value)


def _micros(value: dt.time) -> int:
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond


def thawing(bridged: Bridged) -> Convert:
    """The conversion of a stored value to an accumulator that the function can change."""
    return _of_nullable(_thawing(bridged))


def _thawing(bridged: Bridged) -> Convert:
    parts = tuple(map(thawing, bridged.parts))
    match bridged.type:
        case t.FieldsType():
            names = list(bridged.type.names)

            def row(value: Any) -> MutableRow:
                changeable = MutableRow(*(part(item) for part, item in zip(parts, value, strict=True)))
                changeable.set_field_names(names)
                return changeable

            return row
        case t.ArrayType():
            (element,) = parts
            view = ListView.over if bridged.class_ is ListView else None
            return (
                (lambda value: [element(item) for item in value])
                if view is None
                else (lambda value: view([element(item) for item in value]))
            )
        case t.MapType():
            key, item_of = parts
            wrap = MapView.over if bridged.class_ is MapView else None
            return (
                (lambda value: {key(left): item_of(right) for left, right in value.items()})
                if wrap is None
                else (lambda value: wrap({key(left): item_of(right) for left, right in value.items()}))
            )
        case t.TimeType():
            return lambda value: (dt.datetime.min + dt.timedelta(microseconds=value)).time()
    return lambda value: value
