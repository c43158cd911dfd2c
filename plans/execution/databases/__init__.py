"""Databases over JDBC: dialects, lookup of tables, scans and sinks."""
