"""Keys of stages: one text for the key columns of a row."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column

from plans.types import LogicalType


def canonical_key(columns: Sequence[Column], types: Sequence[LogicalType]) -> Column:
    """One STRING, equal for two rows exactly when all their key columns are equal, a null equal to a null.

    -0.0 equals 0.0 and NaN equals NaN; decimals are compared by value. Built of native expressions alone.
    """
    raise NotImplementedError
