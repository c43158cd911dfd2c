"""Matching of operators between plans: the plans that Flink compiled, with everything in another order."""

from __future__ import annotations

import pytest

from compiled_plan.plans.inspection.checked_plans import plan_from_dict
from compiled_plan.plans.inspection.lineage.matching import How, match_operators
from tests.support.plan_files import NAMES, data_of, in_another_order
from tests.support.tables import failures


def check_matches_itself(name: str) -> None:
    data = data_of(name)
    shuffled, ids = in_another_order(data, name)
    matching = match_operators(plan_from_dict(data), plan_from_dict(shuffled))
    assert not matching.gone and not matching.added
    assert [(match.how, match.differing, ids[match.old]) for match in matching.matches] == [
        (How.LINEAGE, (), match.new) for match in matching.matches
    ]


@pytest.mark.wide
def test_every_operator_matches_itself_under_any_id_and_order() -> None:
    assert failures(check_matches_itself, NAMES[::3]) == {}
