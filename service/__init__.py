"""`plan-service`: a registry of plans with their history, a supervisor of their runs, and a page."""
