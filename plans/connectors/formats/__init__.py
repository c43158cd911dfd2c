"""The formats: one module each, named after the format with underscores, which declares its `SPEC`."""
