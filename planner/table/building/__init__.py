"""Parts of operations: SQL nodes, literals, tables that are bound, tables that wait for a `select`."""
