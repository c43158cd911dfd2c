"""Idempotent requests: a repeated key returns the stored answer."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import delete
from sqlalchemy.orm import Session

from compiled_plan.plans.errors import PlanError
from compiled_plan.service.store import pipelines
from compiled_plan.service.store.errors import ConflictError
from compiled_plan.service.store.tables import IdempotentAnswer

#: The retention of answers.
RETENTION = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Answer:
    """A stored answer: HTTP status and JSON."""

    status: int
    text: str


def begin(session: Session, key: str, body: bytes) -> Answer | None:
    """Record the start of a request, or return its stored answer.

    Args:
        session: the database session.
        key: the client's key, with the client and the operation.
        body: the body of the request.

    Raises:
        ConflictError: the same request is in progress.
        PlanError: another request has used the key.
    """
    session.execute(delete(IdempotentAnswer).where(IdempotentAnswer.created_at < pipelines.now() - RETENTION))
    hash_, body_hash = _hash(key.encode()), _hash(body)
    stored = session.get(IdempotentAnswer, hash_)
    if stored is None:
        session.add(IdempotentAnswer(hash=hash_, body_hash=body_hash, created_at=pipelines.now()))
        session.flush()
        return None
    if stored.body_hash != body_hash:
        raise PlanError(
            "the key belongs to another request", where="Idempotency-Key", remedy="use a new key for each request"
        )
    if not stored.status:
        raise ConflictError("the same request is in progress", where="Idempotency-Key", remedy="try again in a moment")
    return Answer(stored.status, stored.answer)


def end(session: Session, key: str, answer: Answer) -> None:
    """Store the answer to a request."""
    stored = session.get(IdempotentAnswer, _hash(key.encode()))
    if stored is not None:
        stored.status, stored.answer = answer.status, answer.text


def forget(session: Session, key: str) -> None:
    """Remove a request that failed without a change, so that it can be repeated."""
    hash_ = _hash(key.encode())
    session.execute(delete(IdempotentAnswer).where(IdempotentAnswer.hash == hash_, IdempotentAnswer.status == 0))


def forget_unfinished(session: Session) -> None:
    """Remove requests that were in progress when the service ended, so that they can be repeated."""
    session.execute(delete(IdempotentAnswer).where(IdempotentAnswer.status == 0))


def _hash(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()
