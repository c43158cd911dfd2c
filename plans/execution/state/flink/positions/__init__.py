"""Positions of sources in the state of Flink: read from savepoints, written into them."""
