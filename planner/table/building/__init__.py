"""Building blocks of operations: SQL nodes, literals, bound tables, unfinished tables."""
