"""What keys, arguments, filters and stored columns of a plan mean, as data that two plans are compared by.

For each operator that keeps something a list of named properties, each with a text for people (`SUM(orders.amount)`)
and a digest of its lineage down to columns of tables and functions. Node ids, aliases, descriptions, TTLs, the order
of statements and of nodes, and how stateless nodes are cut play no part in it. Spark is not needed.
"""
