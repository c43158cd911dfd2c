"""The connectors that there are, a module each, named as the connector with underscores; each holds its `SPEC`."""
