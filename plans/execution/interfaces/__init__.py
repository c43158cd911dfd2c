"""Interfaces of connectors, and the options and dead letters that they share."""
