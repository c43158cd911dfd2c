"""The catalogs of a session as objects: databases, tables, partitions, statistics, functions and models."""
