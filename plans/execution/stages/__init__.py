"""Prepared plans, and their chain of keyed stages: layout, projections between stages, and kernel specs."""
