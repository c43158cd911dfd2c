"""Connectors: sources and sinks of rows. A module is named after its connector, and imported on first use."""
