"""Matching of operators between plans: the plans that Flink compiled, with everything in another order."""

from __future__ import annotations

import pytest

from compiled_plan.plans.inspection.checked_plans import plan_from_dict
from compiled_plan.plans.inspection.lineage.matching import How, match_operators
from tests.support.plan_files import ALL, data_of, in_another_order, name_of


@pytest.mark.parametrize("name", [name_of(path) for path in ALL[::3]])
def test_every_operator_matches_itself_under_any_id_and_order(name: str) -> None:
    data = data_of(name)
    shuffled, ids = in_another_order(data, name)
    matching = match_operators(plan_from_dict(data), plan_from_dict(shuffled))
    assert not matching.gone and not matching.added
    assert [(match.how, match.differing, ids[match.old]) for match in matching.matches] == [
        (How.LINEAGE, (), match.new) for match in matching.matches
    ]
