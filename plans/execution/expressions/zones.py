"""Instants and local times. Spark's session is in UTC, so a local time is the same number in both types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark import SparkContext
from pyspark.sql import functions as F

from compiled_plan.plans.execution.spark.java import JavaObject, column_of, java_class, java_column

if TYPE_CHECKING:
    from pyspark.sql import Column

_UTC = frozenset({"UTC", "Z", "GMT", "Etc/UTC", "+00:00", "UTC+00:00"})


def to_local(point: Column, time_zone: str) -> Column:
    """TIMESTAMP_LTZ to the TIMESTAMP shown by clocks in the zone."""
    return as_local(point if time_zone in _UTC else F.from_utc_timestamp(point, time_zone))


def from_local(local: Column, time_zone: str) -> Column:
    """TIMESTAMP to the TIMESTAMP_LTZ at which clocks in the zone show it."""
    point = as_point(local)
    return point if time_zone in _UTC else F.to_utc_timestamp(point, time_zone)


def as_point(local: Column) -> Column:
    """A TIMESTAMP as the instant at which clocks in UTC show it; a TIMESTAMP_LTZ unchanged."""
    return column_of(_moments().point(java_column(local)))


def as_local(point: Column) -> Column:
    """A TIMESTAMP_LTZ as clocks in UTC show it."""
    return column_of(_moments().local(java_column(point)))


def _moments() -> JavaObject:
    context: Any = SparkContext._active_spark_context
    return java_class(context._jvm, "org.compiledplan.kernel.functions.Moments")
