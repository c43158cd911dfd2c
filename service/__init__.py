"""`plan-service`: a registry of plans with their history, runs that are looked after, and a page."""
