"""What is said of plans, and changed in them: checks, state entries and TTLs, uids, lineage, explanations.

`reading` is the door for plans that others wrote; `check` and `lint` name what is wrong and doubtful, `rules` asks the
nodes; `entries` lists state and `ttl` edits it in the text; `identity` and `lineage` say what operators mean, by which
plans are compared; `explain` shows a plan.
"""
