"""Parsed statements to resolved, typed relational algebra.

Source: Flink SQL as its "Queries", "CREATE", "INSERT" and "Hints" pages describe it, and Flink 2.3 for what names mean:
identifiers are case-sensitive, columns without a name are `EXPR$n`, GROUP BY knows neither aliases nor ordinals, ORDER
BY knows both.

One file per concern: `scopes` (what names mean), `expressions` (scalars), `operators` (the table of AST classes),
`aggregates` (grouping), `group_windows` (TUMBLE in GROUP BY), `windows` (OVER), `subqueries`, `relations` (FROM),
`window_tables` (TUMBLE in FROM), `queries` (SELECT, set operations, VALUES, ORDER BY), `hints`, `inserts`, `ddl` and
`unparse` (the SQL text of computed columns).
"""
