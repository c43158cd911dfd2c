"""Databases over JDBC: what they want to be told, tables found in them, read as a whole and written."""
