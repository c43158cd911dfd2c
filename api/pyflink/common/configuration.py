"""The names of `pyflink.common.configuration`."""

from __future__ import annotations

from compiled_plan.planner.options.configuration import Configuration

__all__ = ["Configuration"]
