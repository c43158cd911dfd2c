"""Which expressions must not be computed twice or moved."""

from __future__ import annotations

from compiled_plan.plans.rex import Call, RexNode, python_function, walk

_VOLATILE = frozenset(("$RAND$1", "$RAND_INTEGER$1", "$UUID$1"))


def is_volatile(rex: RexNode) -> bool:
    """Whether two computations of the expression over one row may differ."""
    return any(isinstance(node, Call) and (node.name in _VOLATILE or _is_volatile(node)) for node in walk(rex))


def _is_volatile(call: Call) -> bool:
    function = python_function(call)
    return function is not None and not function.deterministic
