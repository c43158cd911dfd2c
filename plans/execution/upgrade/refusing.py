"""Refusals of a start: incompatibilities of the state, and remedies."""

from __future__ import annotations

from collections.abc import Sequence

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.inspection.diff.concerns import Concern, remedies
from compiled_plan.plans.inspection.diff.model import PlanDiff
from compiled_plan.plans.inspection.judging.verdicts import worst
from compiled_plan.plans.text.masking import masked_text
from compiled_plan.plans.text.visible import counted


class UpgradeError(CheckpointError):
    """A start that is incompatible with the checkpoint's state.

    Args:
        message: what is wrong.
        where: the checkpoint.
        remedy: what to do.
    """

    def __init__(self, message: str, where: str, remedy: str, diff: PlanDiff | None = None) -> None:
        super().__init__(message, where=where, remedy=remedy)
        self.diff = diff


def refusal(concerns: Sequence[Concern], diff: PlanDiff, where: str, fillings: Sequence[str] = ()) -> UpgradeError:
    """Create the error of a start whose options do not permit its change of state.

    Args:
        concerns: the incompatibilities.
        where: the checkpoint.
        fillings: remedies that fill operators from history.
    """
    verdict = worst(concern.verdict for concern in concerns)
    operators = sum(bool(concern.uids) for concern in concerns)
    subject = f"{operators} of {counted(len(diff.operators), 'operator')}" if operators else "the plan"
    is_are = "is" if operators <= 1 else "are"
    lines = [f"  - {masked_text(line)}" for concern in concerns for line in concern.lines]
    return UpgradeError(
        "\n".join((f"cannot start: {subject} {is_are} {verdict.value} with the checkpoint", *dict.fromkeys(lines))),
        where,
        "; ".join((*fillings, *remedies(concerns))),
        diff,
    )
