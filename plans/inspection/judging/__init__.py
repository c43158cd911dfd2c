"""Kinds of operators: their declarations, and the verdict on an edit of a property."""
