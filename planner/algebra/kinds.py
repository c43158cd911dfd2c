"""The kinds of joins, set operations and times."""

from __future__ import annotations

from enum import Enum

from compiled_plan.plans.types import LogicalType, TimeKind, TimestampBase


class JoinKind(Enum):
    """The joins; SEMI and ANTI give the left columns only."""

    INNER = "INNER"
    LEFT = "LEFT"
    RIGHT = "RIGHT"
    FULL = "FULL"
    SEMI = "SEMI"
    ANTI = "ANTI"


class SetKind(Enum):
    """The set operations."""

    UNION = "UNION"
    INTERSECT = "INTERSECT"
    MINUS = "MINUS"


def time_kind(type_: LogicalType) -> TimeKind:
    """The kind of time attribute; REGULAR for a type that is none."""
    return type_.kind if isinstance(type_, TimestampBase) else TimeKind.REGULAR


def is_time(type_: LogicalType) -> bool:
    """True for a time attribute."""
    return time_kind(type_) is not TimeKind.REGULAR


def is_rowtime(type_: LogicalType) -> bool:
    """True for an attribute of event time."""
    return time_kind(type_) is TimeKind.ROWTIME


def is_proctime(type_: LogicalType) -> bool:
    """True for an attribute of processing time."""
    return time_kind(type_) is TimeKind.PROCTIME
