"""Types of values that functions receive and return."""

from __future__ import annotations

from compiled_plan.plans.types import LogicalType, TimestampBase


def plain(type_: LogicalType) -> LogicalType:
    """The type without its time attribute."""
    return type_.as_regular() if isinstance(type_, TimestampBase) else type_
