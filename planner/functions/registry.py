"""Functions and operators by their SQL name."""

from __future__ import annotations

from collections.abc import Sequence

from plans.rex import RexNode


def resolve_call(name: str, operands: Sequence[RexNode]) -> RexNode:
    """The call of function or operator `name` with checked and coerced operands and its result type.

    Raises:
        ProgramError: unknown function, wrong number or types of arguments; says which signatures exist.
    """
    raise NotImplementedError


def is_function(name: str) -> bool:
    """True for a scalar function or operator that `resolve_call` knows."""
    raise NotImplementedError


def is_aggregate(name: str) -> bool:
    """True for an aggregate that `resolve_aggregate` knows (may also be a window function)."""
    raise NotImplementedError


def function_names() -> tuple[str, ...]:
    """All scalar functions' names, sorted."""
    raise NotImplementedError


def is_deterministic(rex: RexNode) -> bool:
    """False when the expression calls RAND, UUID, PROCTIME, CURRENT_TIMESTAMP and the like."""
    raise NotImplementedError
