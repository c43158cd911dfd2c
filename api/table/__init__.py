"""`Table`, which programs hold: its methods, by what they are about, over the operations of `planner.table`."""

from compiled_plan.api.table.table import Table

__all__ = ["Table"]
