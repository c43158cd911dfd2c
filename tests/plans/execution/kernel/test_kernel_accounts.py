"""Accounts: the outcome of each row that an operator receives, and the reason of each change of its state's entries.

The harness checks in every test of an operator that the reasons add up to the change of its entries.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.plans.execution.operators import test_aggregate as aggregates
from tests.plans.execution.operators import test_changelog_deduplicate as changelogs
from tests.plans.execution.operators import test_join as joins
from tests.plans.execution.operators import test_rank as ranks
from tests.plans.execution.operators import test_timed_joins as timed_joins
from tests.plans.execution.operators import test_window_aggregate as windows
from tests.support.kernel.harness import Change, Harness, Step

TTL = 1000
SUM = {"function": "$SUM$1", "args": [1]}


def account(
    harness: Harness, spec: Mapping[str, Any], *steps: Step
) -> list[tuple[Mapping[str, int], Mapping[str, int]]]:
    """Outcomes and changes of each step."""
    return [(answer.outcomes, answer.changes) for answer in harness.run(dict(spec), list(steps))]


def rows(*values: tuple[Any, ...], kind: str = "+I", port: int = 0) -> list[Change]:
    return [Change(kind, row, port) for row in values]


@pytest.mark.parametrize("join_type", ["INNER", "LEFT"])
def test_a_join(harness: Harness, join_type: str) -> None:
    steps = [
        Step(0, rows((1, 1)) + rows((None, 2))),
        Step(1, rows((1, 3), port=1)),
        Step(2, rows((1, 1), (1, 1), kind="-D")),
        Step(TTL + 1, []),
    ]
    padded = join_type == "LEFT"
    assert account(harness, joins.spec(join_type, ttl=[0, TTL]), *steps) == [
        ({"applied": 2} if padded else {"held": 1, "unmatched": 1}, {"created": 1}),
        ({"applied": 1}, {"created": 1}),
        ({"applied": 1, "absent": 1}, {"retracted": 1}),
        ({}, {"expired": 1}),
    ]


def test_an_update_of_a_join_without_a_retraction(harness: Harness) -> None:
    unique = joins.spec("INNER", leftUpsertKeys=[[0]])
    steps = [Step(at, rows((1, at))) for at in range(2)]
    assert account(harness, unique, *steps)[1] == ({"held": 1}, {"created": 1, "replaced": 1})


def test_an_entry_that_expires_while_its_key_arrives(harness: Harness) -> None:
    spec = aggregates.spec([SUM], ["INT"], ttl=[TTL])
    expired = account(harness, spec, Step(0, rows(("a", 1))), Step(TTL, rows(("a", 2))))[1]
    assert expired == ({"applied": 1}, {"created": 1, "expired": 1})


def test_a_retraction_of_an_expired_group(harness: Harness) -> None:
    spec = aggregates.spec([SUM], ["INT"], ttl=[TTL], needRetraction=True)
    steps = [Step(0, rows(("a", 1))), Step(TTL, rows(("a", 1), kind="-D"))]
    assert account(harness, spec, *steps)[1] == ({"absent": 1}, {"expired": 1})


def test_a_window(harness: Harness) -> None:
    """The harness compares the answer with that to rows aggregated before the shuffle."""
    rows_in = [Change("+I", ("a", 1, at), key="a", watermark=50) for at in (0, 60, None)]
    spec = windows.spec(windows.TUMBLE, [windows.SUM], ["INT"], dropNullTimes=True)
    assert account(harness, spec, Step(0, rows_in), Step(1, [], watermark=100)) == [
        ({"applied": 1, "late": 1, "filtered": 1}, {"created": 1}),
        ({}, {"released": 1}),
    ]


def test_a_rank(harness: Harness) -> None:
    added = Step(0, rows((1, 10), (2, 20), (3, 15), (4, 1)))
    assert account(harness, ranks.spec(), added) == [
        ({"applied": 3, "outranked": 1}, {"created": 3, "replaced": 1}),
    ]


@pytest.mark.parametrize(("keep_last", "outcomes"), [(False, {"applied": 1, "duplicate": 1}), (True, {"applied": 2})])
def test_deduplication(harness: Harness, keep_last: bool, outcomes: Mapping[str, int]) -> None:
    spec = changelogs.spec("deduplicate", keepLast=keep_last)
    assert account(harness, spec, Step(0, rows(("a", 5), ("b", 3)))) == [(outcomes, {"created": 1})]


def test_a_changelog_without_effect(harness: Harness) -> None:
    repeated = rows(("a", 1), ("a", 1)) + rows(("a", 1), ("a", 1), kind="-D")
    outcomes = {"applied": 2, "duplicate": 1, "absent": 1}
    assert account(harness, changelogs.spec("changelog-normalize"), Step(0, repeated)) == [(outcomes, {})]


def test_an_interval_join(harness: Harness) -> None:
    spec = timed_joins.spec("interval-join", "INNER", lowerBound=-5, upperBound=5)
    steps = [
        Step(0, timed_joins.rows(0, ("a", 1, 10), at=0)),
        Step(1, timed_joins.rows(1, ("a", 2, 12), at=0)),
        Step(2, timed_joins.rows(1, ("a", 2, 1), at=50), watermark=50),
    ]
    outcomes = [outcome for outcome, _ in account(harness, spec, *steps)]
    assert outcomes == [{"held": 1}, {"applied": 1}, {"expired": 1}]


def test_a_temporal_join(harness: Harness) -> None:
    spec = timed_joins.spec("temporal-join", "INNER")
    versions = timed_joins.rows(1, ("a", 1, 1), at=0) + timed_joins.rows(1, ("a", 2, 5), at=0)
    steps = [Step(0, versions + timed_joins.rows(0, ("a", 7, 3), at=0)), Step(1, [], watermark=20)]
    assert account(harness, spec, *steps) == [({"held": 3}, {"created": 3}), ({}, {"released": 2})]
