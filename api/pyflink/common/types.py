"""The names of `pyflink.common.types`."""

from __future__ import annotations

from compiled_plan.plans.types.mutable_row import MutableRow as Row
from compiled_plan.plans.types.row import RowKind

__all__ = ["Row", "RowKind"]
