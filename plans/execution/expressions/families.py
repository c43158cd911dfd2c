"""Loads every family of functions, so that all translators are registered."""

from plans.execution.expressions import (
    arithmetic,
    casts,
    comparison,
    conditions,
    math,
    strings,
)

__all__ = ["arithmetic", "casts", "comparison", "conditions", "math", "strings"]
