"""Temporal types: dates, times of day, timestamps, intervals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import ClassVar, Self

from compiled_plan.plans.types.base import LogicalType


class TimeKind(Enum):
    """Kind of a timestamp column: plain value or time attribute."""

    REGULAR = "REGULAR"
    ROWTIME = "ROWTIME"
    PROCTIME = "PROCTIME"


class DateType(LogicalType):
    """DATE, without time of day and zone."""

    __slots__ = ()
    ROOT: ClassVar[str] = "DATE"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeType(LogicalType):
    """TIME(precision), precision 0 to 9."""

    ROOT: ClassVar[str] = "TIME_WITHOUT_TIME_ZONE"
    precision: int = 0

    def text(self) -> str:
        return f"TIME({self.precision})"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimestampBase(LogicalType):
    """Base of the timestamps; `kind` distinguishes time attributes from plain values."""

    precision: int = 6
    kind: TimeKind = TimeKind.REGULAR

    @property
    def is_time_attribute(self) -> bool:
        """Return True for rowtime and proctime."""
        return self.kind is not TimeKind.REGULAR

    def as_regular(self) -> Self:
        return self if self.kind is TimeKind.REGULAR else replace(self, kind=TimeKind.REGULAR)


class TimestampType(TimestampBase):
    """TIMESTAMP(p): date and time of day, without time zone."""

    __slots__ = ()
    ROOT: ClassVar[str] = "TIMESTAMP_WITHOUT_TIME_ZONE"

    def text(self) -> str:
        return f"TIMESTAMP({self.precision})"


class TimestampLtzType(TimestampBase):
    """TIMESTAMP_LTZ(p), an instant displayed in the session's time zone."""

    __slots__ = ()
    ROOT: ClassVar[str] = "TIMESTAMP_WITH_LOCAL_TIME_ZONE"

    def text(self) -> str:
        return f"TIMESTAMP({self.precision}) WITH LOCAL TIME ZONE"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimestampTzType(LogicalType):
    """TIMESTAMP(p) WITH TIME ZONE; each value has a zone of its own."""

    ROOT: ClassVar[str] = "TIMESTAMP_WITH_TIME_ZONE"
    precision: int = 6

    def text(self) -> str:
        return f"TIMESTAMP({self.precision}) WITH TIME ZONE"


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalType(LogicalType):
    """Base of the intervals. `resolution` is the text after INTERVAL: `DAY(2) TO SECOND(3)`."""

    resolution: str = ""

    def text(self) -> str:
        return f"INTERVAL {self.resolution}"


@dataclass(frozen=True, slots=True, kw_only=True)
class YearMonthIntervalType(IntervalType):
    """INTERVAL YEAR, MONTH or YEAR TO MONTH; values are months."""

    ROOT: ClassVar[str] = "INTERVAL_YEAR_MONTH"
    resolution: str = "YEAR(2) TO MONTH"


@dataclass(frozen=True, slots=True, kw_only=True)
class DayTimeIntervalType(IntervalType):
    """INTERVAL DAY to SECOND in all its resolutions; values are milliseconds."""

    ROOT: ClassVar[str] = "INTERVAL_DAY_TIME"
    resolution: str = "DAY(2) TO SECOND(6)"


DATE = DateType()


def time_kind(type_: LogicalType | None) -> TimeKind:
    """The kind of time attribute; REGULAR for any other type."""
    return type_.kind if isinstance(type_, TimestampBase) else TimeKind.REGULAR


def is_attribute(type_: LogicalType | None) -> bool:
    """Return True for a time attribute."""
    return time_kind(type_) is not TimeKind.REGULAR


def is_rowtime(type_: LogicalType | None) -> bool:
    """Return True for an event-time attribute."""
    return time_kind(type_) is TimeKind.ROWTIME


def is_proctime(type_: LogicalType | None) -> bool:
    """Return True for a processing-time attribute."""
    return time_kind(type_) is TimeKind.PROCTIME
