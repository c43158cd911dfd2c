"""Extraction of types from Python: annotations and hints of functions and classes, external classes of values."""
