"""The formats that there are, a module each, named as the format with underscores; each holds its `SPEC`."""
