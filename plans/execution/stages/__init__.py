"""stages of the executor."""
