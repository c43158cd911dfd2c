"""State TTLs of a query's hints.

Source: Flink's "Hints" page, "State TTL Hints"; Flink 2.3's plans.
"""

from __future__ import annotations

from collections.abc import Sequence

from compiled_plan.planner.algebra.nodes import Hint
from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.plans.text.durations import parse_duration


def hinted_ttl(hints: Sequence[Hint], aliases: Sequence[str]) -> int | None:
    """The TTL in milliseconds of the last STATE_TTL hint for an input with one of these names; None without one.

    Raises:
        ProgramError: a TTL is not a duration.
    """
    ttl: int | None = None
    wanted = {alias.lower() for alias in aliases}
    for hint in hints:
        for key, value in _options(hint):
            if key.rsplit(".", 1)[-1].lower() in wanted or key.lower() in wanted:
                ttl = _duration(hint, key, value)
    return ttl


def any_ttl(hints: Sequence[Hint]) -> int | None:
    """The TTL of STATE_TTL hints for an aggregate's only input."""
    ttl: int | None = None
    for hint in hints:
        for key, value in _options(hint):
            ttl = _duration(hint, key, value)
    return ttl


def is_hinted(hints: Sequence[Hint], name: str) -> bool:
    """Return True if one of the hints has that name."""
    return any(hint.name.upper() == name for hint in hints)


def _options(hint: Hint) -> tuple[tuple[str, str], ...]:
    return hint.options if hint.name.upper() == "STATE_TTL" else ()


def _duration(hint: Hint, key: str, value: str) -> int:
    try:
        return parse_duration(value)
    except CompiledPlanError as fault:
        raise ProgramError(f"STATE_TTL of {key!r}: {fault.message}", where=hint.where, remedy=fault.remedy) from None
