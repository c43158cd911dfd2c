"""Table API: programs in Python over the same algebra as SQL.

An `Expression` wraps an AST node of SQL, a `PlannedTable` a bound relation. Every operation builds the equivalent
SELECT (or join, or set operation) and binds it immediately with SQL's binder. So names, types, casts, aggregates,
windows, time attributes and plans are those of SQL.

`expressions/` holds columns, literals, calls, and their methods. An operation takes a planned table and returns one of
the same class; there is a module per concern: `selecting`, `joins`, `grouping`, `tops`, `nulls`, `sampling`,
`rowwise`, `naming`. Nothing here runs: `Table`, the class for programs, is a planned table with the methods of
`api.table`.
"""
