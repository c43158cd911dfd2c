"""Expressions of the Table API: what a column, a literal and a call can do, by families.

`core` holds what all share, `expression` puts the families together, `functions` makes the first ones (`col`, `lit`).
"""
