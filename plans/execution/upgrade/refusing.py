"""A start that is refused: what is wrong with the state, and what can be done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.checkpoint.comparison import Difference
from compiled_plan.plans.execution.upgrade.findings import Finding
from compiled_plan.plans.inspection.diff.model import PlanDiff, Verdict


class UpgradeError(CheckpointError):
    """A start that would not go on rightly with the checkpoint's state.

    Args:
        message: what is wrong.
        where: the checkpoint.
        remedy: what to do.
        diff: the difference of the plans.
    """

    def __init__(self, message: str, where: str, remedy: str, diff: PlanDiff | None = None) -> None:
        super().__init__(message, where=where, remedy=remedy)
        self.diff = diff


def refusal(
    found: Sequence[Finding], verdict: Verdict, diff: PlanDiff, differing: Sequence[Difference], where: str
) -> UpgradeError:
    """The error of a start whose options do not allow what it would do.

    Args:
        found: what is not fully compatible.
        verdict: the worst of it.
        diff: the difference of the plans.
        differing: what differs in what is described.
        where: the checkpoint.
    """
    if verdict is Verdict.PARTIAL:
        head = "the plan goes on with the checkpoint's state in part alone"
    else:
        head = "the plan does not fit the checkpoint's state"
    lines = [*(str(each) for each in differing if not each.moves), *(each.text for each in found)]
    return UpgradeError(
        f"{head}:\n" + "\n".join(f"  - {line}" for line in dict.fromkeys(lines)),
        where,
        "; ".join(_ways(found, differing)),
        diff,
    )


def _ways(found: Sequence[Finding], differing: Sequence[Difference]) -> Iterator[str]:
    """What can be done."""
    ways = [each.remedy for each in found if each.remedy]
    ways += [each.remedy for each in differing if each.remedy and not each.moves]
    bad = [each for each in found if each.verdict is not Verdict.PARTIAL]
    if not bad:
        ways.append("--upgrade migrate-partial goes on and accepts this")
    elif all(each.uids for each in bad):
        resets = " ".join(dict.fromkeys(f"--reset {each.uids[-1]}" for each in bad))
        partial = "--upgrade migrate-partial " if len(bad) < len(found) else ""
        ways.append(f"{partial}{resets} starts {'that operator' if len(bad) == 1 else 'these operators'} empty")
    ways.append("run the plan that the checkpoint was written by, or start with an empty checkpoint folder")
    yield from dict.fromkeys(ways)
