"""Operators that keep nothing: projection, filter, union, expand, correlate, exchange, watermarks.

A projection with a seeded RAND keeps how many rows came.
"""

from __future__ import annotations

from typing import Literal

from plans.nodes.base import SOME_INPUTS, Int, Nullable, PlanModel, PlanNode
from plans.nodes.fields import RexJson
from plans.rex.sequences import has_sequence


class Calc(PlanNode):
    """Projects every row for which the condition is true."""

    NAME = "stream-exec-calc"

    projection: tuple[RexJson, ...]
    condition: Nullable[RexJson] = None

    @property
    def keeps_state(self) -> bool:
        """Where RAND has a seed, how far its sequence is."""
        return has_sequence(self.condition, *self.projection)


class Exchange(PlanNode):
    """Spreads rows as the input property asks (by hash of columns, or onto one task)."""

    NAME = "stream-exec-exchange"


class Union(PlanNode):
    """All rows of all inputs."""

    NAME = "stream-exec-union"
    INPUTS = SOME_INPUTS


class Expand(PlanNode):
    """Each row once for each grouping set."""

    NAME = "stream-exec-expand"

    projects: tuple[tuple[RexJson, ...], ...]


class Correlate(PlanNode):
    """Each row with every row that a table function makes of it."""

    NAME = "stream-exec-correlate"

    join_type: Literal["INNER", "LEFT"]
    function_call: RexJson
    condition: Nullable[RexJson] = None


class DropUpdateBefore(PlanNode):
    """Drops the UPDATE_BEFORE rows."""

    NAME = "stream-exec-drop-update-before"


class WatermarkAssigner(PlanNode):
    """Makes watermarks from an expression over the row."""

    NAME = "stream-exec-watermark-assigner"

    watermark_expr: RexJson
    rowtime_field_index: Int


class MiniBatchInterval(PlanModel):
    """How often mini-batches end, in milliseconds, and by which clock."""

    interval: Int
    mode: Literal["RowTime", "ProcTime", "None"]


class MiniBatchAssigner(PlanNode):
    """Marks the ends of mini-batches."""

    NAME = "stream-exec-mini-batch-assigner"

    mini_batch_interval: MiniBatchInterval
