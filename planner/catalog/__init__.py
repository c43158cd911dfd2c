"""Catalog of tables, views and functions."""
