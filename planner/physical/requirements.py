"""Requirements of operators on their inputs' changes, and the errors if they are not met."""

from __future__ import annotations

from compiled_plan.planner.physical.base import OperatorPlanner, PhysicalOperator
from compiled_plan.planner.physical.traits import ModifyKinds
from compiled_plan.plans.errors import ProgramError


def require_insert_only(consumer: str, source: PhysicalOperator, at: OperatorPlanner) -> None:
    """Raise if the input is not insert-only.

    Args:
        consumer: the operator, as Flink calls it.
        source: its input.
        at: knows the traits of operators.

    Raises:
        ProgramError: names the operator, the changes and their origin.
    """
    kinds = at.traits(source).modify_kinds
    if not kinds.insert_only:
        remedy = "make its input append-only: a table or query whose rows never change"
        raise unsupported_changes(consumer, kinds, producer(source, kinds, at), remedy)


def refuse_changes(consumer: str, source: PhysicalOperator, at: OperatorPlanner) -> None:
    """Raise if the input of a window operator is not insert-only.

    Raises:
        ProgramError: names the operator, the changes and their origin.
    """
    kinds = at.traits(source).modify_kinds
    if not kinds.insert_only:
        remedy = "compute it over rows that are only ever added, or aggregate per window first"
        raise unsupported_changes(consumer, kinds, source, remedy)


def unsupported_changes(
    consumer: str, kinds: ModifyKinds, source: PhysicalOperator, remedy: str, where: str = ""
) -> ProgramError:
    """The error for changes from `source` that the consumer does not support."""
    words = [word for kind, word in ((ModifyKinds.UPDATE, "update"), (ModifyKinds.DELETE, "delete")) if kind in kinds]
    return ProgramError(
        f"{consumer} doesn't support consuming {' and '.join(words)} changes "
        f"which is produced by node {source.title()}",
        where=where,
        remedy=remedy,
    )


def producer(operator: PhysicalOperator, kinds: ModifyKinds, at: OperatorPlanner) -> PhysicalOperator:
    """The operator from which changes originate: the deepest one that sends all these kinds."""
    for child in operator.inputs:
        input_kinds = at.traits(child).modify_kinds
        if not input_kinds.insert_only and kinds in input_kinds:
            return producer(child, kinds, at)
    return operator
