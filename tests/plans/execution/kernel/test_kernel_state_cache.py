"""Decoded states that are cached and written later; see `StateCache` in the kernel's README."""

from __future__ import annotations

from typing import Any

import pytest

from tests.plans.execution.operators import test_aggregate, test_changelog_deduplicate, test_join, test_rank
from tests.support.kernel.harness import Change, Harness, Step

OPERATORS: dict[str, dict[str, Any]] = {
    "aggregate": test_aggregate.COUNT_SUM,
    "join": test_join.spec("INNER"),
    "left join": test_join.spec("LEFT"),
    "rank": test_rank.spec("append"),
    "last row": test_changelog_deduplicate.spec("deduplicate", keepLast=True),
}


def row(spec: dict[str, Any], at: int) -> Change:
    values = {"STRING": "a", "INT": at}
    return Change("+I", tuple(values.get(type_, at) for type_ in spec["inputTypes"][0]), key="a")


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_key_is_written_once_for_rows_that_come_one_by_one(harness: Harness, operator: str) -> None:
    spec = OPERATORS[operator]
    steps = [Step(at, [row(spec, at)]) for at in range(9)]
    assert harness.writes(spec, steps) == 9
    assert harness.writes(spec, steps, keeps=True) == 3, "the harness writes every three steps"


def test_a_short_lived_key_is_not_written(harness: Harness) -> None:
    spec = {**test_aggregate.COUNT_SUM, "needRetraction": True}
    steps = [Step(0, [Change("+I", ("a", 1), key="a")]), Step(1, [Change("-D", ("a", 1), key="a")])]
    assert harness.writes(spec, steps, keeps=True) == 0


def test_delayed_writes_equal_immediate_writes(harness: Harness) -> None:
    for name, spec in OPERATORS.items():
        steps = [Step(at, [row(spec, at)]) for at in range(7)]
        assert harness.states(spec, steps, keeps=True) == harness.states(spec, steps), name


@pytest.mark.parametrize("type_", ["INNER", "LEFT"])
def test_rows_expire_in_a_state_that_is_kept(harness: Harness, type_: str) -> None:
    """`Harness.run` compares: a store in memory checks the time itself, another is read again."""
    spec = {**test_join.spec(type_), "ttl": [10, 10]}
    left, right = (Change("+I", (1, 1), port=port, key="1") for port in (0, 1))
    answers = harness.run(spec, [Step(0, [left]), Step(1, [right]), Step(12, [right])])
    assert [change.values for change in answers[1].out if change.adds] == [(1, 1, 1, 1)]
    assert answers[2].out == []
