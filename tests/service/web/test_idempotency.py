"""A request whose answer was lost because the service ended."""

from __future__ import annotations

import json

import pytest

from compiled_plan.service.access.roles import LOCAL
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.registry.parts import Parts
from compiled_plan.service.store import idempotent, pipelines
from compiled_plan.service.store.database import open_database
from compiled_plan.service.web.idempotency import Keep, once
from compiled_plan.service.workers.pool import Workers


class KilledError(BaseException):
    """The service was killed."""


def test_a_repeated_request_changes_nothing_again(settings: Settings, workers: Workers) -> None:
    parts = Parts(settings, open_database(settings), workers)

    def make(keep: Keep, fails: bool = False) -> dict[str, str]:
        with parts.database.write() as session:
            pipelines.create(session, "shop", "", "me")
            keep(session, {"answer": "as far as it is known"})
            if fails:
                raise KilledError
        raise KilledError

    for fails in (True, False):
        with pytest.raises(KilledError):
            once(parts, LOCAL, "POST", "key", {}, lambda keep, fails=fails: make(keep, fails))
    with parts.database.write() as session:
        idempotent.forget_unfinished(session)
    again = once(parts, LOCAL, "POST", "key", {}, make)
    assert (json.loads(bytes(again.body)), again.headers["Idempotent-Replay"]) == (
        {"answer": "as far as it is known"},
        "true",
    )
