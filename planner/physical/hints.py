"""Values of a query's hints, which the binder has checked.

Source: Flink's "Hints" page, "State TTL Hints"; Flink 2.3's plans.
"""

from __future__ import annotations

from collections.abc import Sequence

from compiled_plan.planner.algebra.nodes import Hint
from compiled_plan.plans.text.durations import parse_duration


def hinted_ttl(hints: Sequence[Hint], names: Sequence[str] | None = None) -> int | None:
    """The TTL in milliseconds of the STATE_TTL hint for an input with one of these names; None without one.

    Args:
        hints: the hints of a block.
        names: those of the input; None for the only input of an aggregate.
    """
    for hint in hints:
        for name, value in hint.options if hint.name == "STATE_TTL" else ():
            if names is None or name in names:
                return parse_duration(value)
    return None


def is_hinted(hints: Sequence[Hint], name: str) -> bool:
    """Return True if one of the hints has that name."""
    return any(hint.name == name for hint in hints)
