"""Parsed statements to resolved, typed relational algebra.

Source: Flink SQL as its "Queries", "CREATE", "INSERT" and "Hints" pages describe it, and Flink 2.3 for what names mean:
identifiers are case-sensitive, columns without a name are `EXPR$n`, GROUP BY knows neither aliases nor ordinals, ORDER
BY knows both.

One file a concern: `scopes` (what names mean); `expressions` (scalars: a registry by the class of the node), filled by
`values`, `predicates`, `calls`, `jsons`, `subqueries` and `aggregates`; `from_clause` (relations, a registry too),
filled by `relations` and `joins`; `group_windows` (TUMBLE in GROUP BY), `windows` (OVER), `window_tables` (TUMBLE in
FROM); `selects` and `queries` (SELECT, set operations, VALUES, ORDER BY); `hints`, `inserts`, `ddl` and `unparse` (the
SQL text of computed columns).
"""
