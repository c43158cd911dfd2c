"""Plan nodes: one class a node type, which says all that is known of it. `registry` finds them by type."""
