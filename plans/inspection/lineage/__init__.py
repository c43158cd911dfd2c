"""Meanings of keys, arguments, filters and stored columns of a plan, as data for comparing plans.

Each stateful operator has a list of named properties, each with a readable text (`SUM(orders.amount)`) and a digest of
its lineage down to columns of tables and functions. Node ids, aliases, descriptions, TTLs, the order of statements and
nodes, and the split of stateless nodes are not part of it. Spark is not needed.
"""
