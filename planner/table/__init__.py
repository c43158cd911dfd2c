"""The Table API: programs in Python over the same algebra as SQL.

An `Expression` wraps a node of SQL's tree, a `PlannedTable` a bound relation, and every operation on one builds
the SELECT (or join, or set operation) that it stands for and gives it to SQL's binder at once. So names, types, casts,
aggregates, windows, time attributes and plans are those of SQL.

`expressions/` holds columns, literals, calls and what can be done with them. An operation takes a planned table and
gives one of the same class; each is in the module of its concern: `selecting`, `joins`, `grouping`, `tops`, `nulls`,
`sampling`, `rowwise`, `naming`. Nothing here runs: `Table`, which programs hold, is a planned table with the methods
of `api.table`.
"""
