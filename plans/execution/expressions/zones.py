"""Points in time and local times. Spark's session is in UTC, so that a local time is the same number in both types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import Column

_UTC = frozenset({"UTC", "Z", "GMT", "Etc/UTC", "+00:00", "UTC+00:00"})


def to_local(point: Column, time_zone: str) -> Column:
    """TIMESTAMP_LTZ to the TIMESTAMP that clocks in the zone show."""
    return (point if time_zone in _UTC else F.from_utc_timestamp(point, time_zone)).cast("timestamp_ntz")


def from_local(local: Column, time_zone: str) -> Column:
    """TIMESTAMP to the TIMESTAMP_LTZ at which clocks in the zone show it."""
    point = local.cast("timestamp")
    return point if time_zone in _UTC else F.to_utc_timestamp(point, time_zone)
