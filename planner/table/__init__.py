"""The Table API: programs in Python over the same algebra as SQL.

An `Expression` wraps a node of SQL's tree, a `Table` holds a bound relation, and every operation of a `Table` builds
the SELECT (or join, or set operation) that it stands for and gives it to SQL's binder at once. So names, types, casts,
aggregates, windows, time attributes and plans are those of SQL.

`expressions/` holds columns, literals, calls and what can be done with them; `table` is the value, with its operations
in `methods/`, each carried out by the module of its concern: `selecting`, `joins`, `grouping`, `tops`, `nulls`,
`sampling`, `rowwise`, `schemas`, `showing`, `inserts`, `embedding`. `environment` and `descriptors` are what
`TableEnvironment` calls, `program` reads a program's file.

The names that programs use are exported by `planner`.
"""
