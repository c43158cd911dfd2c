"""Kinds of operators: what is declared of each, and the verdict on an edit of a property."""
