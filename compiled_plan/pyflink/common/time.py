"""The names of `pyflink.common.time`.

Source: PyFlink's `Duration`, `Instant`, `Time`.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


@dataclass(frozen=True)
class Instant:
    """A point in time: seconds since 1970 in UTC, and nanoseconds."""

    seconds: int
    nanos: int

    @staticmethod
    def of_epoch_milli(epoch_milli: int) -> Instant:
        """The point in time that many milliseconds after 1970."""
        seconds, millis = divmod(epoch_milli, 1000)
        return Instant(seconds, millis * 1_000_000)

    def to_epoch_milli(self) -> int:
        """The whole milliseconds since 1970-01-01T00:00:00Z."""
        return self.seconds * 1000 + self.nanos // 1_000_000

    def to_datetime(self) -> dt.datetime:
        """The point in time in UTC, in microseconds."""
        return _EPOCH + dt.timedelta(seconds=self.seconds, microseconds=self.nanos // 1000)

    def __repr__(self) -> str:
        return f"Instant<{self.seconds}, {self.nanos}>"


class Duration:
    """Constructors of durations, which are objects of `timedelta`."""

    @staticmethod
    def of_days(days: int) -> dt.timedelta:
        """A duration of that number of days."""
        return dt.timedelta(days=days)

    @staticmethod
    def of_hours(hours: int) -> dt.timedelta:
        """A duration of that number of hours."""
        return dt.timedelta(hours=hours)

    @staticmethod
    def of_minutes(minutes: int) -> dt.timedelta:
        """A duration of that number of minutes."""
        return dt.timedelta(minutes=minutes)

    @staticmethod
    def of_seconds(seconds: int) -> dt.timedelta:
        """A duration of that number of seconds."""
        return dt.timedelta(seconds=seconds)

    @staticmethod
    def of_millis(millis: int) -> dt.timedelta:
        """A duration of that number of milliseconds."""
        return dt.timedelta(milliseconds=millis)

    @staticmethod
    def of_nanos(nanos: int) -> dt.timedelta:
        """A duration of nanoseconds, truncated to microseconds."""
        return dt.timedelta(microseconds=nanos // 1000)


class Time:
    """A duration in milliseconds, the older form of `Duration`."""

    def __init__(self, milliseconds: int) -> None:
        self._milliseconds = milliseconds

    def to_milliseconds(self) -> int:
        """The length of the duration in milliseconds."""
        return self._milliseconds

    @staticmethod
    def milliseconds(milliseconds: int) -> Time:
        """A duration of that number of milliseconds."""
        return Time(milliseconds)

    @staticmethod
    def seconds(seconds: int) -> Time:
        """A duration of that number of seconds."""
        return Time(seconds * 1000)

    @staticmethod
    def minutes(minutes: int) -> Time:
        """A duration of that number of minutes."""
        return Time.seconds(minutes * 60)

    @staticmethod
    def hours(hours: int) -> Time:
        """A duration of that number of hours."""
        return Time.minutes(hours * 60)

    @staticmethod
    def days(days: int) -> Time:
        """A duration of that number of days."""
        return Time.hours(days * 24)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Time) and self._milliseconds == other._milliseconds

    def __hash__(self) -> int:
        return hash(self._milliseconds)

    def __str__(self) -> str:
        return f"{self._milliseconds} ms"
