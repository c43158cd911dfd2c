"""Inspection and edits of plans: checks, state entries and TTLs, uids, lineage, explanations.

`checked_plans` reads plans from any author; `check` and `lint` report errors and warnings, `rules` runs the checks of
the nodes; `entries` lists state and `ttl` edits it in the text; `identity` and `lineage` determine what operators
compute, `judging` the effect of an edit on an operator's state, and `operators` has the rules of both, one file per
kind; `diff` compares whole plans with these; `explain` and `graph` show a plan.
"""
