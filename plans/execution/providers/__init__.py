"""Spark data sources by name: read as streams or batches, and appended to."""
