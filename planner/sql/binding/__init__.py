"""Binding of parsed statements to resolved, typed relational algebra.

Source: Flink's pages "Queries", "CREATE", "INSERT" and "Hints", and Flink 2.3 for name resolution: identifiers are
case-sensitive, columns without a name are `EXPR$n`, GROUP BY resolves neither aliases nor ordinals, ORDER BY both.

One file per concern: `scopes` (name resolution); `expressions` (scalars: a registry by node class), filled by
`values`, `predicates`, `calls`, `jsons`, `subqueries` and `aggregates`; `from_clause` (relations, a registry too),
filled by `relations` and `joins`; `group_windows` (TUMBLE in GROUP BY), `windows` (OVER), `window_tables` (TUMBLE in
FROM); `selects` and `queries` (SELECT, set operations, VALUES, ORDER BY); `hints`, `inserts`, `ddl` and `unparse` (the
SQL text of computed columns).
"""
