"""formats of the executor."""
