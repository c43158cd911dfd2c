"""`Table`: its methods by topic, on top of the operations of `planner.table`."""

from compiled_plan.table.table import Table

__all__ = ["Table"]
