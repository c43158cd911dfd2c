"""The status of pipelines."""

from __future__ import annotations

import pytest

from compiled_plan.service.common.settings import Settings
from compiled_plan.service.runs import glance
from compiled_plan.service.runs.endings import Ending, Outcome
from compiled_plan.service.store import pipelines
from compiled_plan.service.store.database import open_database
from compiled_plan.service.store.states import RunState
from compiled_plan.service.store.tables import Status


def test_the_last_error_outlives_the_next_start(settings: Settings) -> None:
    with open_database(settings).write() as session:
        pipeline = pipelines.create(session, "orders", "", "me")
        glance.set_failed(session, pipeline, 1, Ending(Outcome.REFUSED, "no such topic"))
        glance.set_starting(session, pipeline, 1)
        status = session.get(Status, pipeline.id)
        assert status is not None and status.last_error_at is not None
        assert (status.state, status.last_error) == (RunState.STARTING, "no such topic")


@pytest.mark.parametrize(
    ("lags", "reason"),
    [
        ([1, 2, 3, 4, 5], "its lag grows: 1 to 5 records in 5 micro-batches"),
        ([9, 1, 2, 3, 4, 5], "its lag grows: 1 to 5 records in 5 micro-batches"),
        ([1, 2, 2, 4, 5], ""),
        ([1, 2, None, 4, 5], ""),
        ([2, 3, 4, 5], ""),
    ],
)
def test_a_lag_that_grows_in_each_micro_batch_is_behind(lags: list[int | None], reason: str) -> None:
    batches = [{"sources": [{"lag": lag}, {"lag": None}], "batchMillis": 100} for lag in lags]
    assert glance.is_behind(batches, "10 s") == reason


@pytest.mark.parametrize(("millis", "behind"), [([101] * 5, True), ([101, 101, 100, 101, 101], False)])
def test_micro_batches_longer_than_the_trigger_are_behind(millis: list[int], behind: bool) -> None:
    batches = [{"sources": [{"lag": 0}], "batchMillis": taken} for taken in millis]
    assert bool(glance.is_behind(batches, "100 ms")) is behind
