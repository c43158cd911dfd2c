"""Times: parts, units, intervals, conversions; the times of a window.

Source: Flink docs, "System (Built-in) Functions", temporal functions; "Table API", group windows.
"""

from __future__ import annotations

from typing import Self, overload

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.table.building.nodes import WindowProperty
from compiled_plan.planner.table.expressions.core import AnyOperand, Operand, as_property, call_node, refuse, text_of
from compiled_plan.planner.table.expressions.units import TimeIntervalUnit, TimePointUnit, keyword_of


class _Interval:
    def __init__(self, unit: str, factor: int = 1) -> None:
        self._unit = unit
        self._factor = factor
        self.__doc__ = f"An interval of this many {unit.lower()}s." if factor == 1 else "An interval of milliseconds."

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...

    @overload
    def __get__(self, instance: AnyOperand, owner: type) -> AnyOperand: ...

    def __get__(self, instance: AnyOperand | None, owner: type) -> AnyOperand | Self:
        if instance is None:
            return self  # Read from the class, as help() does.
        return as_property(instance, interval(instance._node, self._unit), self._name)


def interval(node: ast.Expression, unit: str) -> ast.Expression:
    """An interval of a constant or computed number of units."""
    negative = isinstance(node, ast.Unary) and node.operator == "-"
    number = node.operand if isinstance(node, ast.Unary) and negative else node
    if isinstance(number, ast.Constant):
        text = number.text
        if unit != "SECOND" and not text.isdecimal():
            raise refuse(f"{text} {unit.lower()}s are no interval", "give a whole number")
        # As in SQL, an interval of three digits or more declares them in its unit.
        digits = len(text.partition(".")[0])
        qualifier = ast.IntervalQualifier(unit, precision=digits if digits > 2 else None)
        return ast.IntervalLiteral(text, qualifier, negative)
    return ast.IntervalLiteral(node, ast.IntervalQualifier(unit))


class Times(Operand):
    """`.extract("YEAR")`, `.to_date`, `lit(10).minutes`, `col("w").start` and the like."""

    __slots__ = ()

    year = years = _Interval("YEAR")
    quarter = quarters = _Interval("QUARTER")
    month = months = _Interval("MONTH")
    week = weeks = _Interval("WEEK")
    day = days = _Interval("DAY")
    hour = hours = _Interval("HOUR")
    minute = minutes = _Interval("MINUTE")
    second = seconds = _Interval("SECOND")

    @property
    def milli(self) -> Self:
        """An interval of this many milliseconds."""
        return self._milliseconds("milli")

    @property
    def millis(self) -> Self:
        """An interval of this many milliseconds."""
        return self._milliseconds("millis")

    def _milliseconds(self, name: str) -> Self:
        literal = self._node
        if not isinstance(literal, ast.Constant) or not literal.text.isdecimal():
            raise refuse(f"{text_of(self)}.{name} is no constant", "write lit(500).millis")
        value = int(literal.text)
        seconds = ast.Constant(f"{value // 1000}.{value % 1000:03}")
        return as_property(self, interval(seconds, "SECOND"), name)

    @property
    def rows(self) -> Self:
        """A number of rows, as a bound of an over window."""
        return as_property(self, self._node, "rows")

    @property
    def to_date(self) -> Self:
        """Convert a text to DATE."""
        return self._cast_to("DATE", "to_date")

    @property
    def to_time(self) -> Self:
        """Convert a text to TIME."""
        return self._cast_to("TIME", "to_time")

    @property
    def to_timestamp(self) -> Self:
        """Convert a text to TIMESTAMP(3)."""
        return self._cast_to("TIMESTAMP(3)", "to_timestamp")

    def _cast_to(self, type_: str, name: str) -> Self:
        from compiled_plan.planner.table.expressions.types import type_node

        return as_property(self, ast.Cast(self._node, type_node(type_)), name)

    def extract(self, time_interval_unit: TimeIntervalUnit | str) -> Self:
        """EXTRACT(unit FROM this), such as "YEAR" or "DOW"."""
        unit = keyword_of(time_interval_unit)
        return self._method(call_node("EXTRACT", ast.Keyword(unit), self), "extract", unit)

    def timestamp_add(self, unit: TimePointUnit | str, amount: object) -> Self:
        """TIMESTAMPADD(unit, amount, this): this point in time, moved by an amount."""
        node = call_node("TIMESTAMPADD", ast.Keyword(keyword_of(unit)), amount, self)
        return self._method(node, "timestamp_add", unit, amount)

    # --- windows

    @property
    def start(self) -> Self:
        """The start of a group window: TUMBLE_START and the like."""
        return self._of_window("START", "start")

    @property
    def end(self) -> Self:
        """The end of a group window: TUMBLE_END and the like."""
        return self._of_window("END", "end")

    @property
    def rowtime(self) -> Self:
        """The event time of a group window's rows: TUMBLE_ROWTIME and the like."""
        return self._of_window("ROWTIME", "rowtime")

    @property
    def proctime(self) -> Self:
        """The processing time of a group window's rows: TUMBLE_PROCTIME and the like."""
        return self._of_window("PROCTIME", "proctime")

    def _of_window(self, kind: str, name: str) -> Self:
        if not isinstance(self._node, ast.ColumnRef):
            raise refuse(f"{text_of(self)} is no window", 'name the window by its alias: col("w").start')
        return as_property(self, WindowProperty(window=self._node.name, kind=kind), name)
