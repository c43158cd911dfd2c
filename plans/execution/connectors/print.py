"""The connector `print`."""
