"""Constant row expressions as internal values, for constant rows that are too many for expressions of Spark."""

from __future__ import annotations

import base64
import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from compiled_plan.plans import rex as r
from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions.literals_to_columns import EPOCH, micros_of, millis_of_day


class NotConstantError(Exception):
    """An expression that is not simply a constant."""


def value_of(rex: r.RexNode) -> Any:
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
    """CAST('NaN' AS DOUBLE) and the like."""
    (operand,) = call.operands
    if isinstance(call.type, t.FloatType | t.DoubleType) and isinstance(operand, r.Literal):
        found = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}.get(str(operand.value))
        if found is not None:
            return float(found)
    raise NotConstantError


def _items(call: r.Call) -> tuple[Any, ...]:
    return tuple(map(value_of, call.operands))


def _map(call: r.Call) -> dict[Any, Any]:
    items = _items(call)
    keys = [tuple(key) if isinstance(key, list) else key for key in items[::2]]
    return dict(zip(keys, items[1::2], strict=True))


def _object(call: r.Call) -> tuple[Any, ...]:
    if not isinstance(call.type, t.StructuredType):
        raise NotConstantError
    names = [value_of(operand) for operand in call.operands[1::2]]
    values = dict(zip(names, map(value_of, call.operands[2::2]), strict=True))
    return tuple(values[name] for name in call.type.names)


_CALLS: dict[str, Callable[[r.Call], Any]] = {
    "$CAST$1": _number_text,
    "$ARRAY$1": lambda call: list(_items(call)),
    "$MAP$1": _map,
    "$ROW$1": _items,
    "$OBJECT_OF$1": _object,
}


def _moment(value: Any, type_: t.LogicalType) -> dt.datetime:
    zone = dt.UTC if isinstance(type_, t.TimestampLtzType) else None
    return EPOCH.replace(tzinfo=zone) + dt.timedelta(microseconds=micros_of(str(value).removesuffix("Z")))


def _clock(value: Any, type_: t.LogicalType) -> int:
    return value if isinstance(value, int) else millis_of_day(str(value))


def _day(value: Any, type_: t.LogicalType) -> dt.date:
    return dt.date(1970, 1, 1) + dt.timedelta(days=value) if isinstance(value, int) else dt.date.fromisoformat(value)


def _made(class_: Callable[[Any], Any]) -> Callable[[Any, t.LogicalType], Any]:
    return lambda value, type_: class_(value)


def _decimal(value: Any, type_: Any) -> Decimal:
    return Decimal(str(value)).quantize(Decimal(1).scaleb(-type_.scale))


_whole, _real, _text, _bytes = _made(int), _made(float), _made(str), _made(base64.b64decode)
_READERS: dict[type[t.LogicalType], Callable[[Any, Any], Any]] = {
    t.BooleanType: _made(bool),
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
