"""Python values as literals of SQL.

int is INT, or BIGINT where it does not fit; float DOUBLE; Decimal DECIMAL with its own digits; str CHAR(n); bytes
BINARY(n); bool, date, time, naive datetime (TIMESTAMP), timedelta (INTERVAL DAY TO SECOND), None; a list is an ARRAY,
a dict a MAP, a tuple a ROW. Source: the value types of Flink's `lit`.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from dataclasses import is_dataclass
from decimal import Decimal
from typing import Any

from sqlglot import exp

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.table.building.nodes import Wrapper, named
from compiled_plan.plans.errors import ProgramError

_Maker = Callable[[Any], exp.Expr]


def literal(value: object) -> exp.Expr:
    """The node of a Python value.

    Raises:
        ProgramError: there is no SQL value for it.
    """
    for class_ in type(value).__mro__:
        maker = _MAKERS.get(class_)
        if maker is not None:
            return named(maker(value), f"lit({value!r})")
    if is_dataclass(value) and not isinstance(value, type):
        from compiled_plan.planner.functions.python_rows import constant_of
        from compiled_plan.planner.table.building.nodes import Value

        return named(Value(rex=constant_of(value)), f"lit({value!r})")
    raise ProgramError(
        f"a value of type {type(value).__name__} cannot be written into an expression: {value!r}",
        remedy="give a bool, int, float, Decimal, str, bytes, date, time, datetime, timedelta, list, dict, tuple, None",
    )


def node_of(value: object) -> exp.Expr:
    """The node of an expression, or of a Python value as a literal.

    Raises:
        ProgramError: there is no SQL value for it.
    """
    return value._node if isinstance(value, Wrapper) else literal(value)


def exact(value: object) -> exp.Expr:
    """As `literal`, but a float is the decimal number that its digits say, as in SQL's text."""
    if isinstance(value, float) and not isinstance(value, bool) and math.isfinite(value):
        return named(_number(format(Decimal(repr(value)), "f")), repr(value))
    return literal(value)


def _number(text: str) -> exp.Expr:
    if text.startswith("-"):
        return exp.Neg(this=exp.Literal(this=text[1:], is_string=False))
    return exp.Literal(this=text, is_string=False)


def _float(value: float) -> exp.Expr:
    if not math.isfinite(value):
        raise ProgramError(f"{value} is no SQL literal", remedy="write lit('NaN').cast('DOUBLE') or the like")
    mantissa, _, power = f"{value!r}".lower().partition("e")
    return _number(f"{mantissa}E{power or 0}")


def _decimal(value: Decimal) -> exp.Expr:
    if not value.is_finite():
        raise ProgramError(f"{value} is no SQL literal", remedy="give a finite Decimal")
    text = format(value, "f")
    return _number(text if "." in text else f"{text}.")


def _datetime(value: datetime.datetime) -> exp.Expr:
    if value.tzinfo is not None:
        millis = (value - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)) // datetime.timedelta(milliseconds=1)
        return ast.Call(
            parts=[exp.Identifier(this="TO_TIMESTAMP_LTZ")], expressions=[_number(str(millis)), _number("3")]
        )
    return ast.TypedLiteral(kind="TIMESTAMP", value=value.isoformat(" "))


def _timedelta(value: datetime.timedelta) -> exp.Expr:
    negative = value < datetime.timedelta(0)
    size = abs(value)
    hours, seconds = divmod(size.seconds, 3600)
    text = f"{size.days} {hours:02}:{seconds // 60:02}:{seconds % 60:02}.{size.microseconds // 1000:03}"
    digits = len(str(size.days))
    unit = ast.IntervalQualifier(start="DAY", end="SECOND", precision=digits if digits > 2 else None, scale=3)
    return ast.IntervalLiteral(value=text, negative=negative, unit=unit)


def _items(values: Any) -> list[exp.Expr]:
    return [node_of(item) for item in values]


_MAKERS: dict[type, _Maker] = {
    bool: lambda value: exp.Boolean(this=value),
    int: lambda value: _number(str(value)),
    float: _float,
    Decimal: _decimal,
    str: lambda value: exp.Literal(this=value, is_string=True),
    bytes: lambda value: ast.BinaryLiteral(value=value.hex()),
    type(None): lambda value: exp.Null(),
    datetime.datetime: _datetime,
    datetime.date: lambda value: ast.TypedLiteral(kind="DATE", value=value.isoformat()),
    datetime.time: lambda value: ast.TypedLiteral(kind="TIME", value=value.isoformat()),
    datetime.timedelta: _timedelta,
    list: lambda value: ast.ArrayValue(expressions=_items(value)),
    tuple: lambda value: ast.RowValue(expressions=_items(value), explicit=True),
    dict: lambda value: ast.MapValue(expressions=_items([part for pair in value.items() for part in pair])),
}
