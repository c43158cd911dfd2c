"""Secrets of runs: values of references in options, and their sources."""
