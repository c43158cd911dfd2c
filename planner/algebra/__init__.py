"""Relational algebra of table programs."""
