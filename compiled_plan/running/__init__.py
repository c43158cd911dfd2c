"""Execution of statements and plans: compile, insert, collect."""
