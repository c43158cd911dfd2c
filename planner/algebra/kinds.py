"""The kinds of joins, set operations and times."""

from __future__ import annotations

from enum import Enum

from compiled_plan.plans.types import LogicalType, TimeKind, TimestampBase


class JoinKind(Enum):
    """Join kinds; SEMI and ANTI return the left columns only."""

    INNER = "INNER"
    LEFT = "LEFT"
    RIGHT = "RIGHT"
    FULL = "FULL"
    SEMI = "SEMI"
    ANTI = "ANTI"


class SetKind(Enum):
    UNION = "UNION"
    INTERSECT = "INTERSECT"
    MINUS = "MINUS"


def time_kind(type_: LogicalType) -> TimeKind:
    """The kind of time attribute; REGULAR for any other type."""
    return type_.kind if isinstance(type_, TimestampBase) else TimeKind.REGULAR


def is_time(type_: LogicalType) -> bool:
    return time_kind(type_) is not TimeKind.REGULAR


def is_rowtime(type_: LogicalType) -> bool:
    """Return True for an event-time attribute."""
    return time_kind(type_) is TimeKind.ROWTIME


def is_proctime(type_: LogicalType) -> bool:
    """Return True for a processing-time attribute."""
    return time_kind(type_) is TimeKind.PROCTIME
