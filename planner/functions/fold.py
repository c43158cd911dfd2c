"""Folding and simplification of row expressions, without any change of meaning."""

from __future__ import annotations

from plans.rex import RexNode


def fold(rex: RexNode) -> RexNode:
    """The expression with calls over literals replaced by their values, where those are certain."""
    return rex


def simplify(rex: RexNode) -> RexNode:
    """`fold`, and boolean and NULL simplification (x AND TRUE, CASE TRUE, IS NULL of NOT NULL, NOT NOT)."""
    return rex
