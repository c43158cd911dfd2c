"""Connectors and formats: one declaration each, which the planner, the plan's check and the executor read."""
