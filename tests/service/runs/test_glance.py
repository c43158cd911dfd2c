"""The status of pipelines."""

from __future__ import annotations

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
