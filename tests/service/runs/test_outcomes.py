"""Restart delays after crashes."""

from __future__ import annotations

import random

from compiled_plan.service.runs.outcomes import Backoff


def test_restart_delays_grow_to_a_bound_with_jitter() -> None:
    backoff, chance = Backoff(first=4, factor=2, most=60, jitter=0.5), random.Random(7)
    for crashes, whole in ((1, 4), (2, 8), (3, 16), (4, 32), (5, 60), (500, 60)):
        delays = [backoff.delay(crashes, chance) for _ in range(200)]
        assert all(whole / 2 <= delay <= whole for delay in delays)
        assert max(delays) - min(delays) > whole / 4


def test_a_long_run_resets_the_crash_count() -> None:
    backoff = Backoff(healthy=300, attempts=3)
    assert [backoff.crashes(2, 299), backoff.crashes(2, 300)] == [3, 1]
    assert [backoff.gives_up(crashes) for crashes in (3, 4)] == [False, True]
    assert not Backoff(attempts=0).gives_up(10_000)
