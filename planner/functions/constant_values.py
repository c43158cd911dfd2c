"""Internal values as row expressions: literals, and constructor calls for nested types."""

from __future__ import annotations

import base64
import datetime as dt
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from compiled_plan.planner.functions import plan_literals
from compiled_plan.planner.functions.registry import resolve_call
from compiled_plan.plans import types as t
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.rex import Call, Literal, RexNode

_Maker = Callable[[Any, Any], RexNode]


def constant(value: object, type_: t.LogicalType) -> RexNode:
    """An internal value as a row expression of its type, but NOT NULL unless the value is None.

    Raises:
        UnsupportedError: a plan cannot hold constants of the type.
    """
    if value is None:
        return plan_literals.null(type_)
    maker = _MAKERS.get(type(type_))
    if maker is None:
        raise UnsupportedError(
            f"a plan cannot hold constants of type {type_}", remedy="read the rows with from_dataframe, or from files"
        )
    return maker(value, type_.not_null())


def _literal(text: Callable[[Any, Any], bool | float | str]) -> _Maker:
    return lambda value, type_: Literal(text(value, type_), type_)


def _real(value: float, type_: t.LogicalType) -> RexNode:
    if math.isfinite(value):
        return Literal(format(Decimal(repr(value)), "f"), type_)
    name = "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    return Call("$CAST$1", (plan_literals.string(name),), type_, "SPECIAL")


def _fraction(micros: int, precision: int) -> str:
    digits = f"{micros:06}"[:precision].rstrip("0")
    return f".{digits}" if digits else ""


def _timestamp(value: dt.datetime, type_: t.TimestampBase) -> str:
    return value.replace(tzinfo=None, microsecond=0).isoformat(" ") + _fraction(value.microsecond, type_.precision)


def _time(value: int, type_: t.TimeType) -> str:
    seconds, millis = divmod(value, 1000)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return clock + _fraction(millis * 1000, type_.precision)


def _array(value: Sequence[object], type_: t.ArrayType) -> RexNode:
    return Call("$ARRAY$1", tuple(constant(item, type_.element) for item in value), type_, "SPECIAL")


def _mapping(value: Mapping[object, object], type_: t.MapType) -> RexNode:
    pairs = [(constant(key, type_.key), constant(item, type_.value)) for key, item in value.items()]
    return Call("$MAP$1", tuple(part for pair in pairs for part in pair), type_, "SPECIAL")


def _record(value: Sequence[object], type_: t.FieldsType) -> RexNode:
    return Call("$ROW$1", _parts(value, type_), type_, "SPECIAL")


def _object(value: Sequence[object], type_: t.StructuredType) -> RexNode:
    operands: list[RexNode] = [plan_literals.string(type_.class_name)]
    for name, part in zip(type_.names, _parts(value, type_), strict=True):
        operands += [plan_literals.string(name), part]
    object_call = resolve_call("OBJECT_OF", operands)
    assert isinstance(object_call, Call)
    return replace(object_call, type=type_)


def _parts(value: Sequence[object], type_: t.FieldsType) -> tuple[RexNode, ...]:
    return tuple(constant(item, item_type) for item, item_type in zip(value, type_.types, strict=True))


_same = _literal(lambda value, type_: value)
_text = _literal(lambda value, type_: str(value))
_bytes = _literal(lambda value, type_: base64.b64encode(value).decode("ascii"))
_timestamps = _literal(_timestamp)
_MAKERS: dict[type[t.LogicalType], _Maker] = {
    t.BooleanType: _same,
    t.TinyIntType: _same,
    t.SmallIntType: _same,
    t.IntType: _same,
    t.BigIntType: _same,
    t.FloatType: _real,
    t.DoubleType: _real,
    t.DecimalType: _literal(lambda value, type_: format(value, "f")),
    t.CharType: _literal(lambda value, type_: value.ljust(type_.length)),
    t.VarCharType: _same,
    t.BinaryType: _bytes,
    t.VarBinaryType: _bytes,
    t.DateType: _literal(lambda value, type_: value.isoformat()),
    t.TimeType: _literal(_time),
    t.TimestampType: _timestamps,
    t.TimestampLtzType: _timestamps,
    t.YearMonthIntervalType: _text,
    t.DayTimeIntervalType: _text,
    t.ArrayType: _array,
    t.MapType: _mapping,
    t.RowType: _record,
    t.StructuredType: _object,
}
