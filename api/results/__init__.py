"""Rows that statements give, and their forms: a table of changes, text in a frame, objects of Python."""
