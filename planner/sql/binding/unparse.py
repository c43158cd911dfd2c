"""Expressions as the SQL text that a plan keeps of computed columns and watermarks.

Source: the `serializableString`s of Flink 2.3's plans: identifiers in backquotes, keywords and functions in capitals,
parentheses only where the precedence needs them.
"""

from __future__ import annotations

from sqlglot import exp

from planner.sql.binding.core import Context, Session


def unparse(node: exp.Expr, session: Session, context: Context) -> str:
    """The SQL text of an expression."""
    span = node.meta
    return session.source.text[span["start"] : span["end"]]
