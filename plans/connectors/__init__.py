"""Declarations of connectors and formats, one each, read by the planner, the plan's check and the executor."""
