"""Inspection of the state in a checkpoint: figures, the entries of a key, all entries as a table. Read-only."""
