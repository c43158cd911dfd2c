"""Verdict rules: what an edit of a property does to the state of its operator, a module for each family."""
