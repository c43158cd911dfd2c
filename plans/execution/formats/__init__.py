"""Formats: how rows are written in files. A module has the name of its format, and is imported when it is used."""
