from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import update

from compiled_plan.plans.errors import PlanError
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.store import idempotent, pipelines
from compiled_plan.service.store.database import Database, open_database
from compiled_plan.service.store.errors import ConflictError
from compiled_plan.service.store.tables import IdempotentAnswer


@pytest.fixture
def database(settings: Settings) -> Database:
    return open_database(settings)


def begin(database: Database, key: str, body: bytes = b"{}") -> idempotent.Answer | None:
    with database.write() as session:
        return idempotent.begin(session, key, body)


def end(database: Database, key: str, answer: idempotent.Answer) -> None:
    with database.write() as session:
        idempotent.end(session, key, answer)


def test_a_repeated_request_is_executed_once_with_equal_answers(database: Database) -> None:
    assert begin(database, "k") is None
    with pytest.raises(ConflictError, match="in progress"):
        begin(database, "k")
    end(database, "k", idempotent.Answer(201, "[1]"))
    assert begin(database, "k") == idempotent.Answer(201, "[1]")
    with pytest.raises(PlanError, match="another request"):
        begin(database, "k", b"[]")
    assert begin(database, "other") is None


def test_a_failed_request_may_be_retried(database: Database) -> None:
    assert begin(database, "k") is None
    with database.write() as session:
        idempotent.forget(session, "k")
    assert begin(database, "k", b"[]") is None


def test_a_request_that_failed_after_its_change_is_not_repeated(database: Database) -> None:
    assert begin(database, "k") is None
    end(database, "k", idempotent.Answer(200, "1"))
    with database.write() as session:
        idempotent.forget(session, "k")
    assert begin(database, "k") == idempotent.Answer(200, "1")


def test_a_request_interrupted_by_a_restart_may_be_retried(database: Database) -> None:
    assert begin(database, "done") is None
    end(database, "done", idempotent.Answer(200, "1"))
    assert begin(database, "half") is None
    with database.write() as session:
        idempotent.forget_unfinished(session)
    assert begin(database, "half") is None
    assert begin(database, "done") == idempotent.Answer(200, "1")


def test_answers_are_forgotten_after_a_day(database: Database) -> None:
    assert begin(database, "k") is None
    end(database, "k", idempotent.Answer(200, "1"))
    with database.write() as session:
        past = pipelines.now() - idempotent.RETENTION - timedelta(seconds=1)
        session.execute(update(IdempotentAnswer).values(created_at=past))
    assert begin(database, "k", b"[]") is None
