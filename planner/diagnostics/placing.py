"""Positions of errors that are found after binding: those of the text from which a node comes."""

from __future__ import annotations

from compiled_plan.planner.diagnostics.internal import InternalError
from compiled_plan.plans.errors import CompiledPlanError, ProgramError, UnsupportedError


def placed(fault: CompiledPlanError, where: str) -> CompiledPlanError:
    """The error with a position, as a program error; unchanged if it has one, or if there is none."""
    if (
        isinstance(fault, InternalError)
        or not where
        or (isinstance(fault, ProgramError | UnsupportedError) and fault.where)
    ):
        return fault
    kind = type(fault) if isinstance(fault, UnsupportedError) else ProgramError
    return kind(fault.message, where=fault.where or where, remedy=fault.remedy)
