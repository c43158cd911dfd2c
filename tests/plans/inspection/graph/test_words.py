from __future__ import annotations

import pytest

from compiled_plan.plans.inspection.graph import graph_of
from compiled_plan.plans.plan import CompiledPlan
from tests.support.plan_files import text_of


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("pipelines/web_shop", {"Aggregate orders by user_id", "Write totals"}),
        ("join/right_outer_append", {"Read orders", "Right join orders with payments"}),
        ("deduplicate/rowtime_two_keys", {"Keep last row for each a, b"}),
        ("topn/over_agg_desc", {"First 2 of s for each g", "Aggregate s by g, p"}),
        ("changelog_normalize/duplicates_partial_key_projection", {"Latest row of stock by shop, item"}),
        ("set_ops/precedence", {"Aggregate a, b and c"}),
        # A computed key has no name.
        ("aggregate/group_by_expression", {"Aggregate sales"}),
    ],
)
def test_operators_have_readable_names(case: str, words: set[str]) -> None:
    actual = {node.words for node in graph_of(CompiledPlan.from_json(text_of(case))).nodes}
    assert words <= actual
