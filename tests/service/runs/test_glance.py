"""Pipeline status figures from invented micro-batches."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from compiled_plan.service.runs.glance import rows_per_second

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def batches(count: int, every: float) -> list[dict[str, Any]]:
    ends = (BEGIN + timedelta(seconds=at * every) for at in range(count))
    return [{"at": end.isoformat(), "rowsIn": 100} for end in ends]


@pytest.mark.parametrize(
    ("count", "every", "later", "rate"),
    [
        (0, 1, 0, None),
        (1, 1, 0, None),
        (10, 0, 0, None),
        (10, 1, 0, 100),
        (10, 1, 9, 100),
        (10, 1, 11, 0),
        (10, 60, 170, 100 / 60),
        (10, 60, 190, 0),
    ],
)
def test_rows_per_second_are_recent(count: int, every: float, later: float, rate: float | None) -> None:
    now = BEGIN.timestamp() + max(0, count - 1) * every + later
    actual = rows_per_second(batches(count, every), now)
    assert actual == (None if rate is None else pytest.approx(rate))
