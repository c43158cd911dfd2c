"""Latency of a row from its input topic to its result in the output topic."""
