"""Internal errors of the planner, as opposed to errors of a program."""

from __future__ import annotations

from compiled_plan.plans.errors import CompiledPlanError

_REMEDY = "this is a fault of compiled-plan, not of the program: please report it, with the program"


class InternalError(CompiledPlanError):
    """A planner bug; the program may be correct."""

    def __init__(self, message: str, *, where: str = "") -> None:
        super().__init__(message, where=where, remedy=_REMEDY)


def unknown_node(step: str, rel: object) -> InternalError:
    """The error of a tree walker for a node type without a handler.

    Args:
        step: the walker's task.
        rel: the node.
    """
    return InternalError(f"{step} does not know the node {type(rel).__name__}")
