"""Python values as literals of SQL.

int is INT, or BIGINT if it does not fit; float DOUBLE; Decimal DECIMAL with its own digits; str CHAR(n); bytes
BINARY(n); bool, date, time, naive datetime (TIMESTAMP), timedelta (INTERVAL DAY TO SECOND), None; a list is an ARRAY,
a dict a MAP, a tuple a ROW. Source: the value types of Flink's `lit`.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterable
from dataclasses import is_dataclass
from decimal import Decimal
from typing import Any

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.table.building.nodes import Value, Wrapper, named
from compiled_plan.plans.errors import ProgramError

_Maker = Callable[[Any], ast.Expression]


def literal(value: object) -> ast.Expression:
    """The node of a Python value.

    Raises:
        ProgramError: the value has no SQL literal.
    """
    for class_ in type(value).__mro__:
        maker = _MAKERS.get(class_)
        if maker is not None:
            return named(maker(value), f"lit({value!r})")
    if is_dataclass(value) and not isinstance(value, type):
        from compiled_plan.planner.functions.python_rows import constant_of

        return named(Value(constant_of(value)), f"lit({value!r})")
    raise ProgramError(
        f"a value of type {type(value).__name__} cannot be written into an expression: {value!r}",
        remedy="give a bool, int, float, Decimal, str, bytes, date, time, datetime, timedelta, list, dict, tuple, None",
    )


def node_of(value: object) -> ast.Expression:
    """The node of an expression, or of a Python value as a literal; returns nodes unchanged.

    Raises:
        ProgramError: the value has no SQL literal.
    """
    if isinstance(value, ast.Expression):
        return value
    return value._node if isinstance(value, Wrapper) else literal(value)


def exact(value: object) -> ast.Expression:
    """As `literal`, but a float becomes the decimal with its digits, as in SQL's text."""
    if isinstance(value, float) and not isinstance(value, bool) and math.isfinite(value):
        return named(_number(format(Decimal(repr(value)), "f")), repr(value))
    return literal(value)


def _number(text: str) -> ast.Expression:
    if text.startswith("-"):
        return ast.Unary("-", ast.Constant(text[1:]))
    return ast.Constant(text)


def _float(value: float) -> ast.Expression:
    if not math.isfinite(value):
        raise ProgramError(f"{value} is no SQL literal", remedy="write lit('NaN').cast('DOUBLE') or the like")
    mantissa, _, power = f"{value!r}".lower().partition("e")
    return _number(f"{mantissa}E{power or 0}")


def _decimal(value: Decimal) -> ast.Expression:
    if not value.is_finite():
        raise ProgramError(f"{value} is no SQL literal", remedy="give a finite Decimal")
    text = format(value, "f")
    return _number(text if "." in text else f"{text}.")


def _datetime(value: datetime.datetime) -> ast.Expression:
    if value.tzinfo is not None:
        millis = (value - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)) // datetime.timedelta(milliseconds=1)
        return ast.Call((ast.Identifier("TO_TIMESTAMP_LTZ"),), (_number(str(millis)), _number("3")))
    return ast.TypedLiteral("TIMESTAMP", value.isoformat(" "))


def _timedelta(value: datetime.timedelta) -> ast.Expression:
    negative = value < datetime.timedelta(0)
    size = abs(value)
    hours, seconds = divmod(size.seconds, 3600)
    text = f"{size.days} {hours:02}:{seconds // 60:02}:{seconds % 60:02}.{size.microseconds // 1000:03}"
    digits = len(str(size.days))
    unit = ast.IntervalQualifier("DAY", "SECOND", digits if digits > 2 else None, 3)
    return ast.IntervalLiteral(text, unit, negative)


def _items(values: Iterable[object]) -> tuple[ast.Expression, ...]:
    return tuple(map(node_of, values))


_MAKERS: dict[type, _Maker] = {
    bool: lambda value: ast.TruthValue(value),
    int: lambda value: _number(str(value)),
    float: _float,
    Decimal: _decimal,
    str: lambda value: ast.Constant(value, is_string=True),
    bytes: lambda value: ast.BinaryLiteral(value.hex()),
    type(None): lambda value: ast.Null(),
    datetime.datetime: _datetime,
    datetime.date: lambda value: ast.TypedLiteral("DATE", value.isoformat()),
    datetime.time: lambda value: ast.TypedLiteral("TIME", value.isoformat()),
    datetime.timedelta: _timedelta,
    list: lambda value: ast.Collection("ARRAY", _items(value)),
    tuple: lambda value: ast.RowValue(_items(value), explicit=True),
    dict: lambda value: ast.Collection("MAP", _items([part for pair in value.items() for part in pair])),
}
