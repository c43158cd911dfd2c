"""Prometheus metrics of all runs."""
