"""What is said of plans, and changed in them: checks, state entries and TTLs, uids, lineage, explanations.

`checked_plans` is the door for plans that others wrote; `check` and `lint` name what is wrong and doubtful, `rules`
asks the nodes; `entries` lists state and `ttl` edits it in the text; `identity` and `lineage` say what operators mean,
`judging` what an edit of one does to its state, `operators` has a file of each for both; `diff` compares whole plans by
that; `explain` and `graph` show a plan.
"""
