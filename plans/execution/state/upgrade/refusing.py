"""Refusals of a start: incompatibilities of the state, and remedies."""

from __future__ import annotations

from collections import Counter
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
    lines = [f"  - {masked_text(line)}" for concern in concerns for line in concern.lines]
    return UpgradeError(
        "\n".join((f"cannot start: {_counts(concerns, diff)} with the checkpoint", *dict.fromkeys(lines))),
        where,
        "; ".join((*fillings, *remedies(concerns))),
        diff,
    )


def _counts(concerns: Sequence[Concern], diff: PlanDiff) -> str:
    """Number of operators by verdict, the worst first; the plan first if another part is worse than all operators."""
    numbers = Counter(concern.verdict for concern in concerns if concern.uids)
    of_all = worst(concern.verdict for concern in concerns)
    parts = [] if of_all in numbers else [f"the plan is {of_all.value}"]
    of = f" of {counted(len(diff.operators), 'operator')}"
    for verdict, number in sorted(numbers.items(), key=lambda entry: -entry[0].rank):
        parts.append(f"{number}{of} {'is' if number == 1 else 'are'} {verdict.value}")
        of = ""
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))
