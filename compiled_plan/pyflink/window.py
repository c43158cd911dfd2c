"""The names of `pyflink.table.window`."""

from __future__ import annotations

from compiled_plan.planner.table.windows import (
    CURRENT_RANGE,
    CURRENT_ROW,
    UNBOUNDED_RANGE,
    UNBOUNDED_ROW,
    Cumulate,
    Over,
    OverWindow,
    Session,
    Slide,
    Tumble,
)
from compiled_plan.planner.table.windows import Window as GroupWindow

__all__ = [
    "CURRENT_RANGE",
    "CURRENT_ROW",
    "UNBOUNDED_RANGE",
    "UNBOUNDED_ROW",
    "Cumulate",
    "GroupWindow",
    "Over",
    "OverWindow",
    "Session",
    "Slide",
    "Tumble",
]
