from __future__ import annotations

from compiled_plan.service.access.rates import Rate


def test_a_bucket_fills_evenly() -> None:
    at = 0.0
    rate = Rate(6, clock=lambda: at)
    assert [rate.wait("a") for _ in range(7)] == [0] * 6 + [10]
    assert rate.wait("b") == 0
    at = 10.0
    assert [rate.wait("a"), rate.wait("a")] == [0, 10]
    at = 1000.0
    assert [rate.wait("a") for _ in range(7)] == [0] * 6 + [10]


def test_buckets_of_idle_clients_are_evicted() -> None:
    rate = Rate(1, clients=2, clock=lambda: 0.0)
    assert [rate.wait(client) for client in "abca"] == [0, 0, 0, 0]
    assert rate.wait("c") == 60
