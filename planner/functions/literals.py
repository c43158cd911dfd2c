"""Literals in the form that plans have them."""

from __future__ import annotations

from plans.rex import Literal
from plans.types import IntervalType, LogicalType


def integer(value: int) -> Literal:
    """A whole number: INT, BIGINT or DECIMAL by its size."""
    raise NotImplementedError


def decimal(text: str) -> Literal:
    """`1.5` as DECIMAL(2, 1) NOT NULL."""
    raise NotImplementedError


def double(text: str) -> Literal:
    """`1e0` as DOUBLE NOT NULL."""
    raise NotImplementedError


def number(text: str) -> Literal:
    """A number as it is written in SQL: whole, decimal or with exponent."""
    raise NotImplementedError


def string(text: str) -> Literal:
    """A text as CHAR(n) NOT NULL."""
    raise NotImplementedError


def boolean(value: bool) -> Literal:
    """TRUE or FALSE."""
    raise NotImplementedError


def null(type_: LogicalType | None = None) -> Literal:
    """NULL, of the NULL type unless a type is given."""
    raise NotImplementedError


def binary(hexadecimal: str) -> Literal:
    """`x'4142'` as BINARY(2) NOT NULL, from the text between the quotes."""
    raise NotImplementedError


def date(text: str) -> Literal:
    """`DATE '2020-01-31'`."""
    raise NotImplementedError


def time(text: str) -> Literal:
    """`TIME '12:00:00'`."""
    raise NotImplementedError


def timestamp(text: str) -> Literal:
    """`TIMESTAMP '2020-01-31 12:00:00.123'`; the precision is that of the text."""
    raise NotImplementedError


def interval(text: str, resolution: str) -> Literal:
    """`INTERVAL '1' DAY`: text between the quotes, and what stands behind (`DAY`, `DAY TO SECOND(3)`, `YEAR(4)`)."""
    raise NotImplementedError


def interval_type(resolution: str) -> IntervalType:
    """The type that an interval qualifier stands for, with Flink's default precisions."""
    raise NotImplementedError


def symbol(enum: str, value: str) -> Literal:
    """A flag of the SQL syntax: enum `TIME_UNIT`, `TRIM_FLAG`, ... and its value."""
    raise NotImplementedError


def time_unit(unit: str) -> Literal:
    """YEAR, MONTH, DAY, HOUR, ... as a symbol."""
    raise NotImplementedError


def trim_flag(flag: str) -> Literal:
    """BOTH, LEADING or TRAILING as a symbol."""
    raise NotImplementedError
