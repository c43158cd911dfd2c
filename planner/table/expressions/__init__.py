"""Expressions of the Table API: what a column, a literal and a call can do, by families.

`core` holds what all share, `expression` puts the families together; `functions` and `built_in` make the first ones
(`col`, `lit`, `current_date`).
"""
