"""Internal errors of the planner, and suggestions for misspelt names."""
