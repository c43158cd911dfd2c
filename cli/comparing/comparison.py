"""Comparison of two sides, as `diff-plan` prints it and a review comments it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from compiled_plan.cli.comparing.sides import ComparedSide
from compiled_plan.plans.inspection.diff.advice import CHECKPOINT, PLAN, advice
from compiled_plan.plans.inspection.diff.build import diff_of
from compiled_plan.plans.inspection.diff.sides import PlanPair

if TYPE_CHECKING:
    from compiled_plan.plans.inspection.diff.advice import Advice
    from compiled_plan.plans.inspection.diff.model import PlanDiff
    from compiled_plan.plans.inspection.graph.drawing import Drawing


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sides and their difference."""

    before: ComparedSide
    after: ComparedSide
    both: PlanPair
    diff: PlanDiff

    @classmethod
    def of(cls, before: ComparedSide, after: ComparedSide) -> Self:
        """Compare the plans of two sides, and the runs around them."""
        both = PlanPair.of(before.plan, after.plan, (before.run, after.run))
        return cls(before, after, both, diff_of(both))

    def advice(self) -> Advice:
        """The next command, with the arguments' names; a program has to become a plan file first."""
        plan = self.after.name if self.after.kind == "plan" else PLAN
        return advice(self.diff, plan, self.before.name if self.before.kind == "checkpoint" else CHECKPOINT)

    def drawing(self) -> Drawing:
        """The new plan with marks on changes, and the removed parts of the old one."""
        from compiled_plan.plans.inspection.graph.compared import compared

        return compared(self.both, self.diff)

    def markdown(self, title: str = "Plan") -> str:
        """The difference as Markdown, with a graph of its changes if there are any; `title` is that of the verdict."""
        from compiled_plan.plans.inspection.diff.markdown import diff_markdown
        from compiled_plan.plans.inspection.graph.mermaid import to_mermaid

        graph = "" if self.diff.is_empty else to_mermaid(self.drawing())
        return diff_markdown(self.diff, self.before.name, self.after.name, self.advice(), graph, title)
