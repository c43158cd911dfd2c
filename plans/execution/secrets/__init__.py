"""Secrets of a run: the values of references in options of tables, and their sources. Imports no Spark."""
