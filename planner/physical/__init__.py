"""Physical planning: relational algebra to the nodes of a compiled plan."""
