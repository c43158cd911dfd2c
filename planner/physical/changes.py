"""The kinds of rows of a changelog, as nodes that keep them list them."""

from __future__ import annotations

from planner.physical.base import Kinds, Updates
from plans.nodes.specs import RowKind


def change_kinds(kinds: Kinds, updates: Updates) -> tuple[RowKind, ...]:
    """The kinds of rows by which changes are sent."""
    found: list[RowKind] = ["INSERT"]
    if kinds.updates:
        found += ["UPDATE_BEFORE", "UPDATE_AFTER"] if updates is Updates.BOTH else ["UPDATE_AFTER"]
    if Kinds.DELETE in kinds:
        found.append("DELETE")
    return tuple(found)
