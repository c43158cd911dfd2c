"""OVER windows and temporal joins evict keys that have been idle for the TTL."""

from __future__ import annotations

from typing import Any

import pytest

from tests.plans.execution.operators import test_timed_joins as joins
from tests.plans.execution.operators.test_over import COUNT, SUM, rows, spec
from tests.support.kernel.harness import Change, Harness, Step

TTL = 10_000


def totals(answers: list[Any]) -> list[Any]:
    return [change.values[3:] for answer in answers for change in answer.out]


@pytest.mark.parametrize("order", ["proctime", "column"])
def test_a_key_idle_for_the_ttl_starts_over(harness: Harness, order: str) -> None:
    over = spec(order, [COUNT, SUM], ["BIGINT", "INT"], ttl=[TTL], rows=True)
    steps = [Step(time, rows(("a", 1, 0))) for time in (0, 9_999, 19_998, 29_998, 30_000)]
    answers = harness.run(over, [*steps, Step(39_999, []), Step(40_000, [])])
    # 29_998 is TTL after 19_998: evicted.
    assert totals(answers) == [(1, 1), (2, 2), (3, 3), (1, 1), (2, 2)]
    assert [answer.keys for answer in answers[-2:]] == [1, 0]
    assert [answer.state_rows for answer in answers[3:]] == ([1, 1, 1, 0] if order == "proctime" else [1, 2, 2, 0])


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        ({"rows": True, "preceding": 1, "ttl": [TTL]}, [(1, 1), (2, 2), (1, 1)]),
        # A window of the last time has no TTL.
        ({"preceding": 50_000, "ttl": []}, [(1, 1), (2, 2), (3, 3)]),
        ({"rows": True, "preceding": 1, "ttl": [0]}, [(1, 1), (2, 2), (2, 2)]),
    ],
)
def test_bounded_windows_in_processing_time(harness: Harness, fields: dict[str, Any], wanted: list[Any]) -> None:
    over = spec("proctime", [COUNT, SUM], ["BIGINT", "INT"], **fields)
    assert totals(harness.run(over, [Step(time, rows(("a", 1, 0))) for time in (0, 1_000, 11_000)])) == wanted


@pytest.mark.parametrize("preceding", [None, 5])
def test_in_event_time_the_clock_counts_too(harness: Harness, preceding: int | None) -> None:
    over = spec("rowtime", [COUNT, SUM], ["BIGINT", "INT"], rows=True, preceding=preceding, ttl=[TTL])
    steps = [
        Step(0, rows(("a", 1, 10)), watermark=10),
        Step(5_000, rows(("a", 1, 20), at=10), watermark=20),
        # Whatever the watermark, 5 s after the last change nothing is evicted.
        Step(9_000, rows(("a", 1, 10**9), at=20), watermark=10**9),
        # 10 s without rows.
        Step(19_000, rows(("a", 1, 10**9 + 1), at=10**9), watermark=10**9 + 1),
    ]
    assert totals(harness.run(over, steps)) == [(1, 1), (2, 2), (3, 3), (1, 1)]


def test_rows_that_wait_for_the_watermark_keep_a_key(harness: Harness) -> None:
    over = spec("rowtime", [COUNT, SUM], ["BIGINT", "INT"], ttl=[TTL])
    steps = [
        Step(0, rows(("a", 1, 10)), watermark=10),
        Step(1, rows(("a", 1, 20), at=10), watermark=10),
        Step(50_000, rows(("a", 1, 30), at=10), watermark=10),
        Step(90_000, [], watermark=30),
    ]
    assert totals(harness.run(over, steps)) == [(1, 1), (2, 2), (3, 3)]


def test_idle_keys_in_event_time_are_removed_as_the_watermark_moves_on(harness: Harness) -> None:
    over = spec("rowtime", [COUNT], ["BIGINT"], ttl=[TTL])
    steps = [
        Step(0, rows(("a", 1, 10)), watermark=10),
        Step(1_000, [], watermark=10),
        # The watermark is far ahead, the clock is not.
        Step(5_000, [], watermark=1_000_000),
        Step(12_000, [], watermark=1_000_000 + TTL),
    ]
    assert [answer.keys for answer in harness.run(over, steps)] == [1, 1, 1, 0]


def test_a_ttl_that_is_set_later_holds_for_old_keys(harness: Harness) -> None:
    without, with_ttl = (spec("proctime", [COUNT], ["BIGINT"], ttl=[ttl]) for ttl in (0, TTL))
    steps = [
        Step(0, rows(("a", 1, 0)), without),
        Step(20_000, rows(("a", 1, 0)), with_ttl),
        Step(25_000, rows(("a", 1, 0)), without),
        Step(90_000, rows(("a", 1, 0)), without),
    ]
    assert [change.values[3] for answer in harness.run(without, steps) for change in answer.out] == [1, 1, 2, 3]


def joined(answers: list[Any]) -> list[Any]:
    return [(change.values[1], change.values[4]) for answer in answers for change in answer.out]


def test_a_temporal_join_evicts_versions_and_waiting_rows(harness: Harness) -> None:
    join = joins.spec("temporal-join", "LEFT", ttl=[TTL])
    right, left = (lambda *row, at: joins.rows(1, row, at=at)), (lambda *row, at: joins.rows(0, row, at=at))
    steps = [
        Step(0, right("a", 7, 1, at=0), watermark=1),
        Step(9_000, left("a", 1, 5, at=1), watermark=5),
        Step(18_000, left("a", 2, 6, at=5), watermark=6),
        Step(28_000, left("a", 3, 7, at=6), watermark=7),
        # A waiting row is evicted with its key.
        Step(29_000, left("a", 4, 50, at=7), watermark=7),
        Step(39_000, [], watermark=50),
    ]
    answers = harness.run(join, steps)
    assert joined(answers) == [(1, 7), (2, 7), (3, None)]
    assert (answers[-1].keys, answers[-1].state_rows) == (0, 0)


def test_a_temporal_join_in_processing_time_stays_alive_by_either_side(harness: Harness) -> None:
    join = joins.spec("proctime-temporal-join", "LEFT", timeDomain="processing", ttl=[TTL])
    steps = [
        Step(0, [Change("+I", ("a", 7, 1), 1, "a")]),
        *(Step(time, [Change("+I", ("a", time, 1), 0, "a")]) for time in (9_000, 18_000, 28_000)),
        Step(60_000, []),
    ]
    answers = harness.run(join, steps)
    assert joined(answers) == [(9_000, 7), (18_000, 7), (28_000, None)]
    assert answers[-1].keys == 0
