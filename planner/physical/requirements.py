"""What operators ask of their inputs' changes, and the errors where they do not get it."""

from __future__ import annotations

from compiled_plan.planner.physical.base import OperatorPlanner, PhysicalOperator
from compiled_plan.planner.physical.traits import ModifyKinds
from compiled_plan.plans.errors import ProgramError


def require_insert_only(what: str, source: PhysicalOperator, at: OperatorPlanner) -> None:
    """Refuse an input whose rows change.

    Args:
        what: the operator that asks, as Flink calls it.
        source: its input.
        at: knows the traits of operators.

    Raises:
        ProgramError: names the operator, the changes and where they come from.
    """
    kinds = at.traits(source).modify_kinds
    if kinds.insert_only:
        return
    found = [word for kind, word in ((ModifyKinds.UPDATE, "update"), (ModifyKinds.DELETE, "delete")) if kind in kinds]
    raise ProgramError(
        f"{what} doesn't support consuming {' and '.join(found)} changes "
        f"which is produced by node {producer(source, kinds, at).title()}",
        remedy="make its input append-only: a table or query whose rows never change",
    )


def producer(operator: PhysicalOperator, kinds: ModifyKinds, at: OperatorPlanner) -> PhysicalOperator:
    """The operator from which changes come: the deepest one that gives them all."""
    for child in operator.inputs:
        found = at.traits(child).modify_kinds
        if not found.insert_only and kinds in found:
            return producer(child, kinds, at)
    return operator
