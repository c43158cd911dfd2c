"""The connectors: one module each, named after the connector with underscores, which declares its `SPEC`."""
