"""The tables of a run: rows of its sources, rows for its sinks, constant rows."""
