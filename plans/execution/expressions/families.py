"""Loads every family of functions, so that all translators are registered.

A family has the name that it has in `planner.functions`, and several files where it is large: `strings_patterns`.
"""

from compiled_plan.plans.execution.expressions import (
    arithmetic,
    arithmetic_functions,
    casts,
    collections,
    conditional,
    hashes,
    json,
    operators_comparison,
    operators_logic,
    operators_patterns,
    strings,
    strings_patterns,
    structured,
    temporal,
    temporal_texts,
)

__all__ = [
    "arithmetic",
    "arithmetic_functions",
    "casts",
    "collections",
    "conditional",
    "hashes",
    "json",
    "operators_comparison",
    "operators_logic",
    "operators_patterns",
    "strings",
    "strings_patterns",
    "structured",
    "temporal",
    "temporal_texts",
]
