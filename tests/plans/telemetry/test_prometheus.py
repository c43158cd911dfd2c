"""The metrics of a run for Prometheus."""

from __future__ import annotations

import urllib.request
from typing import Any

import pytest

from compiled_plan.plans.errors import ExecutionError, ProgramError
from compiled_plan.plans.telemetry.prometheus import MetricsServer, address_of

BATCH: dict[str, Any] = {
    "event": "batch",
    "at": "2026-01-01T00:00:10.000Z",
    "batch": 7,
    "rowsIn": 30,
    "rowsOut": 20,
    "deadLetters": 1,
    "batchMillis": 400,
    "watermark": "2026-01-01T00:00:05.000Z",
    "sources": [
        {"name": "orders", "rows": 30, "lag": 12, "lagUnit": "records"},
        {"name": "/in", "rows": 0, "lag": None, "lagUnit": "records"},
    ],
    "operators": [
        {
            "uid": "join-1",
            "rowsIn": 30,
            "rowsInByOutcome": {"applied": 26, "late": 4},
            "rowsOut": 20,
            "rowsLate": 4,
            "stateRows": 9,
            "stateBytes": 900,
            "stateChanges": {"created": 12, "expired": 3},
        },
        {"uid": "agg-1", "rowsIn": 3, "rowsOut": 2, "stateRows": 1, "stateBytes": None},
    ],
}


def scraped(server: MetricsServer) -> list[str]:
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics", timeout=10) as answer:
        return str(answer.read().decode()).splitlines()


def test_metrics_of_a_run_are_served() -> None:
    server = MetricsServer("0", "")
    try:
        server.tell({"event": "start", "plan": "/plans/shop.json", "bounded": False, "at": "2026-01-01T00:00:00.000Z"})
        server.tell(BATCH)
        server.tell(BATCH)
        text = scraped(server)
        assert 'compiled_plan_running{plan="shop"} 1.0' in text
        assert 'compiled_plan_rows_in_total{plan="shop"} 60.0' in text
        assert 'compiled_plan_dead_letters_total{plan="shop"} 2.0' in text
        assert 'compiled_plan_batch_seconds_bucket{le="0.5",plan="shop"} 2.0' in text
        assert 'compiled_plan_state_bytes{operator="join-1",plan="shop"} 900.0' in text
        assert not any(line.startswith('compiled_plan_state_bytes{operator="agg-1"') for line in text)
        assert 'compiled_plan_operator_rows_late{operator="join-1",plan="shop"} 4.0' in text
        assert 'compiled_plan_operator_rows_in_by_outcome{operator="join-1",outcome="applied",plan="shop"} 26.0' in text
        assert 'compiled_plan_operator_state_changes{change="expired",operator="join-1",plan="shop"} 3.0' in text
        assert 'compiled_plan_source_lag{plan="shop",source="orders",unit="records"} 12.0' in text
        assert not any('source="/in"' in line and "lag" in line for line in text)
        assert 'compiled_plan_watermark_timestamp_seconds{plan="shop"} 1.767225605e+09' in text
        server.tell({"event": "failed", "message": "x"})
        text = scraped(server)
        assert 'compiled_plan_running{plan="shop"} 0.0' in text
        assert 'compiled_plan_failures_total{plan="shop"} 1.0' in text
    finally:
        server.close()


def test_a_port_in_use_is_named() -> None:
    server = MetricsServer("0", "one")
    try:
        with pytest.raises(ExecutionError, match=f"127.0.0.1:{server.port}"):
            MetricsServer(str(server.port), "two")
    finally:
        server.close()


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("9464", ("127.0.0.1", 9464)),
        ("0.0.0.0:1", ("0.0.0.0", 1)),
        ("[::]:9464", ("::", 9464)),
        (":80", ("127.0.0.1", 80)),
    ],
)
def test_addresses(text: str, address: tuple[str, int]) -> None:
    assert address_of(text) == address


@pytest.mark.parametrize("text", ["", "x", "host:", "70000", "1.5", "-1", "a:b"])
def test_invalid_addresses(text: str) -> None:
    with pytest.raises(ProgramError, match="no port"):
        address_of(text)
