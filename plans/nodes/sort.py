"""Sorts."""

from __future__ import annotations

from plans.nodes.base import Enforcing, PlanNode
from plans.nodes.specs import SortSpec


class Sort(PlanNode):
    """Sorts all rows; of bounded input, at its end."""

    NAME = "stream-exec-sort"
    KEEPS_STATE = True

    order_by: Enforcing[SortSpec]


class TemporalSort(PlanNode):
    """Sorts by time, then by other columns, as time moves on."""

    NAME = "stream-exec-temporal-sort"
    KEEPS_STATE = True

    order_by: Enforcing[SortSpec]
