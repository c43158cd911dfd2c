"""Expressions of the Table API: methods of columns, literals and calls, by family.

`core` holds the shared base, `expression` combines the families; `functions` and `built_in` create expressions (`col`,
`lit`, `current_date`).
"""
