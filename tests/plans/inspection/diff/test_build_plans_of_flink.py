"""Plans that Flink compiled, against themselves with other numbers and another order: no differences."""

from __future__ import annotations

import pytest

from compiled_plan.plans.inspection.checked_plans import plan_from_dict
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.inspection.diff.model import Change
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from tests.support.plan_files import NAMES, data_of, in_another_order
from tests.support.tables import failures

pytestmark = pytest.mark.slow


def check_no_difference_in_another_order(name: str) -> None:
    data = data_of(name)
    shuffled, _ = in_another_order(data, name)
    diff = diff_plans(plan_from_dict(data), plan_from_dict(shuffled))
    assert diff.is_empty, [part for part in diff.parts if part.change is not Change.KEPT]
    assert diff.verdict is Verdict.FULL


@pytest.mark.wide
def test_a_plan_beside_itself_in_another_order_differs_in_nothing() -> None:
    assert failures(check_no_difference_in_another_order, NAMES) == {}
