"""Invented messages of a run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

BEGUN = datetime(2026, 1, 1, tzinfo=UTC)


def batch(number: int, *, lag: int | None = 0, **operator: Any) -> dict[str, Any]:
    """A micro-batch of half a second, every second, with 100 rows."""
    figures = {"uid": "join-1", "rowsIn": 100 * number, "rowsOut": 50 * number, "stateRows": 10 * number}
    figures |= {"rowsInByInput": [60 * number, 40 * number], "rowsLate": 2, "stateBytes": 1000 * number}
    figures |= {"rowsInByOutcome": {"applied": 95 * number, "held": 5 * number - 2, "late": 2}}
    figures |= {"stateChanges": {"created": 12 * number, "expired": 2 * number}}
    figures |= {"busyMillis": 400 * number, "hotKeys": [{"key": "[1]", "share": 0.75}], **operator}
    source = {"name": "orders", "rows": 100, "lag": lag, "lagUnit": "records", "table": "c.d.orders", "nodes": [1]}
    return {
        "event": "batch",
        "at": (BEGUN + timedelta(seconds=number)).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "batch": number,
        "rowsIn": 100,
        "rowsOut": 30,
        "deadLetters": 0,
        "batchMillis": 500,
        "watermark": (BEGUN + timedelta(seconds=number - 5)).isoformat().replace("+00:00", "Z"),
        "slots": 2,
        "sources": [source],
        "operators": [figures, {**figures, "uid": "agg-1", "busyMillis": 0, "rowsInByInput": []}],
    }
