"""Lineage across pipelines: the tables that they share, and its drawing."""
