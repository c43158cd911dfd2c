"""Outcome of a difference for one part: the kept and the lost state, and what to do about the loss."""

from __future__ import annotations

from dataclasses import dataclass

from compiled_plan.plans.inspection.diff.concerns import options_for
from compiled_plan.plans.inspection.diff.model import Change, OperatorEdit, Part
from compiled_plan.plans.inspection.judging.verdicts import Verdict

_BACK = "or change the program back"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Effect of a start with the new plan."""

    kept_state: str  # "all", "nothing"; empty for a new operator
    lost_state: str  # "nothing", "all", or the loss in sentences
    to_do: tuple[str, ...] = ()  # remedies, the recommended one first; one that begins with `--` is an option


def outcome(part: OperatorEdit) -> Outcome:
    """The state that an operator keeps and loses."""
    lost = "; ".join(reasons(part))
    if part.change is Change.REMOVED:
        return Outcome("nothing", "all")
    if part.verdict is Verdict.FULL:
        return Outcome("" if part.change is Change.ADDED else "all", "nothing")
    if part.change is Change.ADDED:
        return Outcome("", lost, to_do(part))
    if part.verdict is Verdict.PARTIAL:
        return Outcome("all else", lost, to_do(part))
    if part.verdict is Verdict.UNKNOWN:
        return Outcome("unknown", lost, to_do(part))
    return Outcome("nothing", f"all: {lost}" if lost else "all", to_do(part))


def reasons(part: Part) -> tuple[str, ...]:
    """The reasons of a verdict, the same one once; of a part that is not fully compatible, those of its losses."""
    is_full = part.verdict is Verdict.FULL
    edits = (edit for edit in part.edits if (edit.verdict is Verdict.FULL) == is_full)
    return tuple(filter(None, dict.fromkeys((*(edit.why for edit in edits), part.why))))


def to_do(part: Part) -> tuple[str, ...]:
    """Remedies for a part that is not fully compatible; none for others."""
    options = options_for(part)
    return (*options, _BACK) if options else ()
