"""Calls of RAND and RAND_INTEGER with a constant seed: their values are a sequence, one element a row.

Source: Flink 2.3's generated code: a generator for each call, made once from a literal seed; from any other seed one is
made for each row, whose value then depends on the row alone.
"""

from __future__ import annotations

from compiled_plan.plans.rex.nodes import Call, Literal, RexNode, walk

#: Number of operands with a seed, which comes first.
_WITH_SEED = {"$RAND$1": 1, "$RAND_INTEGER$1": 2}


def is_sequence(rex: RexNode) -> bool:
    """Whether an expression is such a call."""
    if not isinstance(rex, Call) or len(rex.operands) != _WITH_SEED.get(rex.name):
        return False
    seed = rex.operands[0]
    return isinstance(seed, Literal) and seed.value is not None


def has_sequence(*rexes: RexNode | None) -> bool:
    """Whether there is such a call in any of the expressions."""
    return any(is_sequence(node) for rex in rexes if rex is not None for node in walk(rex))
