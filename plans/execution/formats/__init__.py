"""Formats of rows in files and messages. A module is named after its format, and imported on first use."""
