from __future__ import annotations

import json
from pathlib import Path

import pytest

from compiled_plan.plans.inspection.identity import with_uids
from compiled_plan.plans.plan import CompiledPlan
from tests.support.plan_files import ALL, CONFORMANCE, FROM_FLINK, name_of
from tests.support.tables import failures


def test_all_conformance_plans_are_here() -> None:
    assert len(CONFORMANCE) >= 166


def check_equal_json(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    data, original = CompiledPlan.from_json(text).to_dict(), json.loads(text)
    assert data == original
    assert json.dumps(data) == json.dumps(original)


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.wide)])
def test_reads_and_writes_equal_json_in_the_same_order(step: int) -> None:
    """For one plan in three, and for all in `make test-wide`."""
    assert failures(check_equal_json, ALL[::step]) == {}


@pytest.mark.parametrize("path", FROM_FLINK, ids=name_of)
def test_writes_the_very_text_that_flink_writes(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert CompiledPlan.from_json(text).to_json() == text


@pytest.mark.parametrize("path", CONFORMANCE[::7], ids=name_of)
def test_uids_travel_with_the_file(path: Path) -> None:
    named = with_uids(CompiledPlan.read_file(path))
    again = CompiledPlan.from_json(named.to_json())
    assert again == named
    assert with_uids(again) == named
