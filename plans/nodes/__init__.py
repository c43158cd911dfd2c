"""Plan nodes: one class per node type declares all facts about it. `registry` looks them up by type."""
