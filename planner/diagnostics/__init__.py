"""Faults of the planner itself, and remedies for misspelt names."""
