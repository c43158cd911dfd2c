"""Faults of the planner itself, as against those of a program."""

from __future__ import annotations

from compiled_plan.plans.errors import CompiledPlanError

_REMEDY = "this is a fault of compiled-plan, not of the program: please report it, with the program"


class InternalError(CompiledPlanError):
    """The planner broke one of its own rules; the program may be right."""

    def __init__(self, message: str, *, where: str = "") -> None:
        super().__init__(message, where=where, remedy=_REMEDY)


def unknown_node(what: str, rel: object) -> InternalError:
    """The error of a walker over relational trees that meets a node which nobody has told it of.

    Args:
        what: what the walker does.
        rel: the node.
    """
    return InternalError(f"{what} does not know the node {type(rel).__name__}")
