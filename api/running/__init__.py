"""Statements and plans that run: compiled, inserted, collected."""
