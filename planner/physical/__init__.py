"""Physical planning: relational algebra to the nodes of a compiled plan."""

from planner.physical.plan import plan

__all__ = ["plan"]
