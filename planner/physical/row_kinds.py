"""The kinds of rows of a changelog, as nodes that keep them list them."""

from __future__ import annotations

from compiled_plan.planner.physical.traits import ModifyKinds, UpdateKind
from compiled_plan.plans.nodes.specs import RowKind


def row_kinds(kinds: ModifyKinds, updates: UpdateKind) -> tuple[RowKind, ...]:
    """The kinds of rows by which changes are sent."""
    found: list[RowKind] = ["INSERT"]
    if kinds.updates:
        found += ["UPDATE_BEFORE", "UPDATE_AFTER"] if updates is UpdateKind.BOTH else ["UPDATE_AFTER"]
    if ModifyKinds.DELETE in kinds:
        found.append("DELETE")
    return tuple(found)
