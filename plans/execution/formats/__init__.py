"""Formats of rows in files and messages. A module is named after its format; formats of the kernel need none."""
