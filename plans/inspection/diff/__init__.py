"""Differences between two plans, and their effect on the state of each operator."""
