"""Inspection and edits of plans: checks, state entries and TTLs, uids, lineage, explanations.

`checked_plans` is the door for plans that others wrote; `check` and `lint` name what is wrong and doubtful, `rules`
asks the nodes; `entries` lists state and `ttl` edits it in the text; `identity` and `lineage` say what operators mean,
`judging` what an edit of one does to its state, and `operators` has the rules of both, a file for each kind; `diff`
compares whole plans by these; `explain` and `graph` show a plan.
"""
