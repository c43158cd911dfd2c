"""Loads every family of functions, so that all translators are registered."""

from plans.execution.expressions import (
    arithmetic,
    casts,
    collections,
    comparison,
    conditions,
    json,
    math,
    patterns,
    strings,
    times,
    timetexts,
)

__all__ = [
    "arithmetic",
    "casts",
    "collections",
    "comparison",
    "conditions",
    "json",
    "math",
    "patterns",
    "strings",
    "times",
    "timetexts",
]
