"""The names of `pyflink.table.expression`: `Expression`, and the enumerations of its methods' arguments."""

from __future__ import annotations

from compiled_plan.planner.table.expressions.expression import Expression
from compiled_plan.planner.table.expressions.units import (
    JsonExistsOnError,
    JsonOnNull,
    JsonQueryOnEmptyOrError,
    JsonQueryWrapper,
    JsonType,
    JsonValueOnEmptyOrError,
    TimeIntervalUnit,
    TimePointUnit,
)

__all__ = [
    "Expression",
    "JsonExistsOnError",
    "JsonOnNull",
    "JsonQueryOnEmptyOrError",
    "JsonQueryWrapper",
    "JsonType",
    "JsonValueOnEmptyOrError",
    "TimeIntervalUnit",
    "TimePointUnit",
]
