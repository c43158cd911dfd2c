"""Kinds of operators and verdicts: what is declared of each kind, and how an edit of a property is judged."""
