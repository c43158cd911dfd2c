"""The figures of all runs for Prometheus."""
