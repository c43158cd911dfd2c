"""Tests without a query: how a program continues with the state of the one before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from compiled_plan.plans.execution.functions.columns import PythonFunctions
from compiled_plan.plans.execution.session.options import TRANSFORM
from compiled_plan.plans.execution.stages.descriptions import StateForm
from compiled_plan.plans.execution.stages.hosts import hosted
from compiled_plan.plans.execution.stages.prepared import PreparedPlan, prepare
from compiled_plan.plans.execution.state.upgrade.planning import (
    begins_to_expire,
    check_columns,
    kept_uids,
    plan_state,
    uids_of,
)
from compiled_plan.plans.execution.state.upgrade.refusing import refusal
from compiled_plan.plans.execution.state.upgrade.steps import RESET, MoveState
from compiled_plan.plans.inspection.diff.build import diff_of
from compiled_plan.plans.inspection.diff.concerns import accepts, concerns, reset_uids
from compiled_plan.plans.inspection.diff.facts import RunFacts
from compiled_plan.plans.inspection.diff.mapping import StateMapping
from compiled_plan.plans.inspection.diff.model import PlanDiff
from compiled_plan.plans.inspection.diff.sides import PlanPair
from compiled_plan.plans.inspection.identity import renamed
from compiled_plan.plans.inspection.judging.verdicts import worst
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.text.hadoop_paths import at_rest

#: Plans with functions in Python run in queries alone.
NO_FUNCTIONS = PythonFunctions((), java=None)


@dataclass(frozen=True, slots=True)
class LastProgram:
    """The program that wrote the state.

    Args:
        prepared: its plan.
        states: the formats of its operators' state, by uid.
        spark: the version of Spark.
        where: the place of the state, for messages.
    """

    prepared: PreparedPlan
    states: Mapping[str, StateForm]
    spark: str
    where: str = "the state of the test"

    def continued(
        self, prepared: PreparedPlan, *, partial: bool, migrates: bool, reset: Sequence[str] = ()
    ) -> tuple[PreparedPlan, Sequence[StateMapping] | None]:
        """A program that continues, with the uids of its state.

        Args:
            prepared: its plan.
            partial: True if the start accepts partially compatible parts.
            migrates: True if it is another program.
            reset: uids of operators that start empty.

        Returns:
            The program, and the mappings that migrate the state; None to resume in place.

        Raises:
            UpgradeError: it cannot continue with the state.
            CheckpointError: it has no operator to reset.
        """
        if prepared.plan == self.prepared.plan:
            return prepared, None
        facts = RunFacts(self.spark, is_run=True)
        both = PlanPair.of(self.prepared.plan, prepared.plan, (facts, facts))
        diff = diff_of(both)
        if not migrates and not begins_to_expire(diff):
            return _with_uids(prepared, kept_uids(both)), None
        emptied = reset_uids(diff, reset, self.where)
        concerned = concerns(diff, emptied)
        if not accepts(worst(concern.verdict for concern in concerned), partial=partial):
            raise refusal(concerned, diff, self.where)
        state = plan_state(diff, dict.fromkeys(emptied, RESET), (self.prepared, prepared), NO_FUNCTIONS, at_rest)
        check_columns(state.steps, diff, self.states, self.where)
        mappings = [step.mapping for step in state.steps if isinstance(step, MoveState)]
        return _with_uids(prepared, state.uids), mappings


def as_continued(plan: CompiledPlan, diff: PlanDiff) -> CompiledPlan:
    """The new plan of a comparison with the uids that its state has when it continues."""
    return renamed(plan, dict(uids_of(diff, prepare(plan))))


def _with_uids(prepared: PreparedPlan, uids: Mapping[int, str]) -> PreparedPlan:
    return hosted(prepare(renamed(prepared.plan, uids)), TRANSFORM)
