"""Any edit of a plan file gives a plan or an error with a place: never a crash."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.inspection.check import check
from compiled_plan.running.plans import CompiledPlan
from tests.support.plan_files import data_of

CASES = (
    "join/state_ttl_hint_join",
    "over_range",
    "group_window_hop",
    "metadata_columns",
    "rank_variable",
    "match_recognize",
    "mini_batch_two_phase",
    "upsert_materialize",
    "interval_join_proctime",
    "empty_literals",
)
VALUES = st.sampled_from(
    [None, True, -1, 0, 99, 1.5, "", "x", "INT", [], [0], [[]], [None], {}, {"kind": "CALL"}, {"type": "ROW"}, "3 s"]
)


def mutated(data: Any, draw: st.DataObject) -> Any:
    """The plan with one value replaced, removed, added or doubled."""
    here, parent, key = data, None, None
    for _ in range(draw.draw(st.integers(1, 12))):
        keys = list(here) if isinstance(here, dict) else list(range(len(here))) if isinstance(here, list) else []
        if not keys:
            break
        parent, key = here, draw.draw(st.sampled_from(keys))
        here = here[key]
    match draw.draw(st.sampled_from(["replace", "remove", "add", "double"])):
        case "remove":
            del parent[key]
        case "add" if isinstance(parent, dict):
            parent["added"] = draw.draw(VALUES)
        case "double" if isinstance(parent, list):
            parent.append(here)
        case _:
            parent[key] = draw.draw(VALUES)
    return data


@settings(max_examples=200)
@given(st.sampled_from(CASES), st.data())
def test_a_broken_plan_is_an_error_and_no_crash(case: str, draw: st.DataObject) -> None:
    data = mutated(data_of(case), draw)
    try:
        plan = CompiledPlan.from_dict(data)
    except PlanError as fault:
        assert fault.message and fault.where
    else:
        assert CompiledPlan.from_dict(plan.to_dict()) == plan


@given(st.sampled_from(CASES), st.data())
def test_a_check_finds_what_the_reader_refuses(case: str, draw: st.DataObject) -> None:
    data = mutated(data_of(case), draw)
    text = json.dumps(data)
    findings = check(text)
    errors = [finding for finding in findings if finding.is_error]
    try:
        CompiledPlan.from_json(text)
    except PlanError:
        assert errors
    for finding in findings:
        assert finding.message
        json.dumps(finding.to_dict())
