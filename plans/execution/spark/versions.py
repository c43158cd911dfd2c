"""PySpark's interfaces that differ between versions of Spark; for the versions see `plans.spark_versions`."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from pyspark.sql.pandas.types import to_arrow_type

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import DataType

# Spark 4.1 has a flag for UTC, which is on by default, in place of the zone.
_ZONE: dict[str, Any] = {"timezone": "UTC"} if "timezone" in inspect.signature(to_arrow_type).parameters else {}


def arrow_type(type_: DataType) -> pa.DataType:
    """The type of Arrow for one of Spark; times are in UTC."""
    return to_arrow_type(type_, **_ZONE)
