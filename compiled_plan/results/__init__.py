"""Results of statements: a changelog table, framed text, Python objects."""
