"""Ages of state entries when rows use them.

The harness checks in every test of an operator that folded rows and cached states have the same ages.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.plans.execution.operators import test_aggregate as aggregates
from tests.plans.execution.operators import test_changelog_compactor as compactors
from tests.plans.execution.operators import test_changelog_deduplicate as changelogs
from tests.plans.execution.operators import test_join as joins
from tests.plans.execution.operators import test_join_multi as multi_joins
from tests.plans.execution.operators import test_over as overs
from tests.plans.execution.operators import test_rank as ranks
from tests.plans.execution.operators import test_timed_joins as timed_joins
from tests.support.kernel.harness import Change, Harness, Step

SUM = {"function": "$SUM$1", "args": [1]}


def ages(harness: Harness, spec: Mapping[str, Any], *steps: Step, entry: int = 0) -> list[dict[int, int]]:
    """Uses of a state entry in each step by age; ages below 64 ms are exact."""
    answers = harness.run(dict(spec), list(steps))
    return [{end - 1: uses for end, uses in answer.uses[entry].items()} for answer in answers]


def rows(*values: tuple[Any, ...], kind: str = "+I", port: int = 0) -> list[Change]:
    return [Change(kind, row, port) for row in values]


def test_each_matched_row_of_a_join_has_its_own_age(harness: Harness) -> None:
    steps = [Step(0, rows((1, 1))), Step(10, rows((1, 2))), Step(30, rows((1, 3), port=1))]
    assert ages(harness, joins.spec("INNER"), *steps) == [{}, {}, {20: 1, 30: 1}]
    assert ages(harness, joins.spec("INNER"), *steps, entry=1) == [{}, {}, {}]


def test_a_match_of_an_outer_join_is_a_write(harness: Harness) -> None:
    steps = [Step(0, rows((1, 1))), *(Step(at, rows((1, at), port=1)) for at in (10, 25))]
    assert ages(harness, joins.spec("LEFT"), *steps) == [{}, {10: 1}, {15: 1}]


@pytest.mark.parametrize("join_type", ["SEMI", "ANTI"])
def test_a_semi_join(harness: Harness, join_type: str) -> None:
    steps = [Step(0, rows((1, 1))), Step(5, rows((1, 2), port=1)), Step(12, rows((1, 3)))]
    assert ages(harness, joins.spec(join_type), *steps) == [{}, {5: 1}, {}]
    assert ages(harness, joins.spec(join_type), *steps, entry=1) == [{}, {}, {7: 1}]


def test_retracted_and_replaced_rows_of_a_join(harness: Harness) -> None:
    retracted = [Step(0, rows((1, 1))), Step(8, rows((1, 1), kind="-D"))]
    assert ages(harness, joins.spec("INNER"), *retracted) == [{}, {8: 1}]
    replaced = [Step(0, rows((1, 1))), Step(9, rows((1, 2), kind="+U"))]
    assert ages(harness, joins.spec("INNER", leftUpsertKeys=[[0]]), *replaced) == [{}, {9: 1}]


def test_a_row_of_a_multi_join_is_used_by_results_alone(harness: Harness) -> None:
    steps = [Step(0, rows((1, 1))), Step(10, rows((1, 2), port=1)), Step(30, rows((1, 3), port=2))]
    spec = multi_joins.spec("INNER", "INNER", conditions=[None, "0=2", "0=4"])
    assert ages(harness, spec, *steps) == [{}, {}, {30: 1}]
    assert ages(harness, spec, *steps, entry=1) == [{}, {}, {20: 1}]


def test_a_group_is_used_and_written_by_each_row(harness: Harness) -> None:
    steps = [Step(at, rows(("a", 1), ("a", 2))) for at in (0, 50)]
    assert ages(harness, aggregates.spec([SUM], ["INT"]), *steps) == [{0: 1}, {0: 1, 50: 1}]


@pytest.mark.parametrize(("keep_last", "last"), [(False, {30: 2}), (True, {0: 1, 20: 1})])
def test_duplicates_refresh_a_row_only_if_they_replace_it(
    harness: Harness, keep_last: bool, last: Mapping[int, int]
) -> None:
    steps = [Step(at, rows(*[("a", at)] * number)) for at, number in ((0, 1), (10, 1), (30, 2))]
    spec = changelogs.spec("deduplicate", keepLast=keep_last)
    assert ages(harness, spec, *steps) == [{}, {10: 1}, last]


def test_the_first_row_by_time_is_used_when_it_is_emitted(harness: Harness) -> None:
    first = Change("+I", ("a", 5), key="a", watermark=0)
    steps = [Step(0, [first], watermark=0), Step(40, [], watermark=9), Step(60, [first], watermark=9)]
    spec = changelogs.spec("keep-first-in-order", rowtime=1, timeDomain="event")
    spec |= {"inputTypes": [["STRING", "BIGINT"]], "outputTypes": ["STRING", "BIGINT"]}
    assert ages(harness, spec, *steps) == [{}, {40: 1}, {20: 1}]


def test_changelogs_by_primary_key(harness: Harness) -> None:
    steps = [Step(0, rows(("a", 1))), Step(11, rows(("a", 2))), Step(23, rows(("a", 2), kind="-D"))]
    for spec in (changelogs.spec("changelog-normalize"), changelogs.spec("sink-upsert-materializer")):
        assert ages(harness, spec, *steps) == [{}, {11: 1}, {12: 1}], spec["type"]


def test_a_rank(harness: Harness) -> None:
    """Two rows are ranked: one is displaced, then one outranked by the last of them, then one retracted."""
    steps = [Step(0, rows((1, 10))), Step(10, rows((2, 20))), Step(30, rows((3, 15))), Step(60, rows((4, 1)))]
    assert ages(harness, ranks.spec(), *steps) == [{}, {}, {30: 1}, {30: 1}]
    steps = [Step(0, rows((1, 10))), Step(10, rows((1, 10), kind="-D"))]
    assert ages(harness, ranks.spec(strategy="retract"), *steps) == [{}, {10: 1}]


def test_an_idle_key_is_used_by_the_first_of_its_rows(harness: Harness) -> None:
    spec = overs.spec("proctime", [SUM], ["INT"], ttl=[1000])
    steps = [Step(at, rows(("a", 1, 0), ("a", 2, 0))) for at in (0, 33)]
    assert ages(harness, spec, *steps) == [{}, {0: 1, 33: 1}]


def test_ages_are_exact_within_a_thirty_second(harness: Harness) -> None:
    spec = aggregates.spec([SUM], ["INT"])
    times = [sum(3**power for power in range(upto)) for upto in range(30)]
    answers = harness.run(spec, [Step(at, rows(("a", 1))) for at in times])
    for power, answer in enumerate(answers[1:]):
        ((end, uses),) = answer.uses[0].items()
        assert uses == 1
        assert 3**power < end <= 3**power * 33 / 32 + 1


def test_a_clock_that_jumps_back_yields_no_negative_age(harness: Harness) -> None:
    steps = [Step(50, rows(("a", 1))), Step(10, rows(("a", 1)))]
    assert ages(harness, aggregates.spec([SUM], ["INT"]), *steps) == [{}, {0: 1}]


def test_a_temporal_join_is_used_by_left_rows_alone_if_they_find_a_version(harness: Harness) -> None:
    steps = [
        Step(0, timed_joins.rows(1, ("a", 1, 1), at=0)),
        Step(21, timed_joins.rows(0, ("a", 2, 1), at=0)),
        Step(30, timed_joins.rows(0, (None, 2, 1), at=0)),
    ]
    spec = timed_joins.spec("proctime-temporal-join", "INNER", ttl=[1000])
    assert ages(harness, spec, *steps) == [{}, {21: 1}, {}]


def test_changes_that_wait_for_a_watermark(harness: Harness) -> None:
    steps = [
        Step(0, [Change("+I", ("a", 1), key="a", watermark=0)], watermark=0),
        Step(15, [], watermark=5),
        Step(40, [Change("+I", ("a", 2), key="a", watermark=5)], watermark=5),
    ]
    assert ages(harness, compactors.spec(), *steps) == [{}, {15: 1}, {25: 1}]
