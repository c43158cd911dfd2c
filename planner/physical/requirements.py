"""Requirements of operators on their inputs' changes, and the errors if they are not met."""

from __future__ import annotations

from compiled_plan.planner.functions.registry import is_deterministic
from compiled_plan.planner.physical.base import OperatorPlanner, PhysicalOperator
from compiled_plan.planner.physical.traits import ModifyKinds
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.rex import RexNode

#: The option that requires deterministic updates.
STRATEGY = "table.optimizer.non-deterministic-update.strategy"
_DETERMINISTIC = (
    "compute it before the rows are updated, use a deterministic function, or accept wrong retractions: "
    f"SET '{STRATEGY}' = 'IGNORE'"
)


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


def unsupported_changes(consumer: str, kinds: ModifyKinds, source: PhysicalOperator, remedy: str) -> ProgramError:
    """The error for changes from `source` that the consumer does not support."""
    words = [word for kind, word in ((ModifyKinds.UPDATE, "update"), (ModifyKinds.DELETE, "delete")) if kind in kinds]
    return ProgramError(
        f"{consumer} doesn't support consuming {' and '.join(words)} changes "
        f"which is produced by node {source.title()}",
        remedy=remedy,
    )


def producer(operator: PhysicalOperator, kinds: ModifyKinds, at: OperatorPlanner) -> PhysicalOperator:
    """The operator from which changes originate: the deepest one that sends all these kinds."""
    for child in operator.inputs:
        input_kinds = at.traits(child).modify_kinds
        if not input_kinds.insert_only and kinds in input_kinds:
            return producer(child, kinds, at)
    return operator


def require_deterministic_condition(operator: PhysicalOperator, *conditions: RexNode | None) -> None:
    """Raise if a condition of an operator over updates changes from call to call.

    Raises:
        ProgramError: names the operator.
    """
    for condition in conditions:
        if condition is not None and not is_deterministic(condition):
            raise ProgramError(
                f"a condition over updated rows changes from call to call, in {operator.title()}", remedy=_DETERMINISTIC
            )


def require_deterministic_column(operator: PhysicalOperator, column: int, rex: RexNode) -> None:
    """Raise if an output column that a retraction must repeat changes from call to call.

    Raises:
        ProgramError: names the column and the operator.
    """
    if not is_deterministic(rex):
        name = operator.row_type.names[column]
        raise ProgramError(
            f"column {name} of updated rows changes from call to call, so a retraction would miss its row, "
            f"in {operator.title()}",
            remedy=_DETERMINISTIC,
        )
