"""Pipeline status figures from invented micro-batches."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from compiled_plan.service.common.settings import Settings
from compiled_plan.service.runs import glance
from compiled_plan.service.runs.endings import Ending, Outcome
from compiled_plan.service.runs.glance import rows_per_second
from compiled_plan.service.store import pipelines
from compiled_plan.service.store.database import open_database
from compiled_plan.service.store.states import RunState
from compiled_plan.service.store.tables import Status

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


def test_the_growth_of_the_state_is_measured_between_samples(settings: Settings) -> None:
    def batch(size: int) -> dict[str, Any]:
        return {"operators": [{"stateBytes": size}, {"stateBytes": None}]}

    with open_database(settings).write() as session:
        pipeline = pipelines.create(session, "orders", "", "me")
        glance.set_ended(session, pipeline, 1, RunState.RUNNING)
        glance.note_state(session, pipeline, batch(1_000))
        status = session.get(Status, pipeline.id)
        assert status is not None and status.sampled_at is not None
        assert (status.state_bytes, status.state_growth) == (1_000, None)
        status.sampled_at -= timedelta(minutes=12)
        glance.note_state(session, pipeline, batch(1_600))
        assert status.state_growth == pytest.approx(3_000, rel=0.01)
        assert status.sampled_bytes == 1_600


def test_the_last_error_outlives_the_next_start(settings: Settings) -> None:
    with open_database(settings).write() as session:
        pipeline = pipelines.create(session, "orders", "", "me")
        glance.set_failed(session, pipeline, 1, Ending(Outcome.REFUSED, "no such topic"))
        glance.set_starting(session, pipeline, 1)
        status = session.get(Status, pipeline.id)
        assert status is not None and status.last_error_at is not None
        assert (status.state, status.last_error) == (RunState.STARTING, "no such topic")
