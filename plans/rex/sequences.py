"""Calls of RAND and RAND_INTEGER with a constant seed: their values form a sequence, one element per row.

Source: Flink 2.3's generated code creates one generator per call if the seed is a literal. For any other seed it
creates one per row, whose value depends on the row alone.
"""

from __future__ import annotations

from compiled_plan.plans.rex.nodes import Call, Literal, RexNode, walk

#: Number of operands including the seed, which comes first.
_WITH_SEED = {"$RAND$1": 1, "$RAND_INTEGER$1": 2}


def is_sequence(rex: RexNode) -> bool:
    """Return True if an expression is such a call."""
    if not isinstance(rex, Call) or len(rex.operands) != _WITH_SEED.get(rex.name):
        return False
    seed = rex.operands[0]
    return isinstance(seed, Literal) and seed.value is not None


def has_sequence(*rexes: RexNode | None) -> bool:
    """Return True if any of the expressions contains such a call."""
    return any(is_sequence(node) for rex in rexes if rex is not None for node in walk(rex))
