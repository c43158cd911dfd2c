"""Requests that come again under one key: carried out once, answered alike."""

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

#: How long an answer is kept.
KEPT = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request was answered: HTTP status and JSON."""

    status: int
    text: str


def begin(session: Session, key: str, body: bytes) -> Answer | None:
    """Note that a request is carried out, or what it was answered before.

    Args:
        key: the client's, with who asks what for.

    Raises:
        ConflictError: the same request is being carried out.
        PlanError: the key was another request's.
    """
    session.execute(delete(IdempotentAnswer).where(IdempotentAnswer.created_at < pipelines.now() - KEPT))
    hash_, body_hash = _hash(key.encode()), _hash(body)
    stored = session.get(IdempotentAnswer, hash_)
    if stored is None:
        session.add(IdempotentAnswer(hash=hash_, body_hash=body_hash, created_at=pipelines.now()))
        session.flush()
        return None
    if stored.body_hash != body_hash:
        raise PlanError(
            "the key belongs to another request", where="Idempotency-Key", remedy="take a new key for each request"
        )
    if not stored.status:
        raise ConflictError(
            "the same request is being carried out", where="Idempotency-Key", remedy="ask again in a moment"
        )
    return Answer(stored.status, stored.answer)


def end(session: Session, key: str, answer: Answer) -> None:
    """Note what a request was answered."""
    stored = session.get(IdempotentAnswer, _hash(key.encode()))
    if stored is not None:
        stored.status, stored.answer = answer.status, answer.text


def forget(session: Session, key: str) -> None:
    """Forget a request that failed before it changed anything: it may be tried again."""
    hash_ = _hash(key.encode())
    session.execute(delete(IdempotentAnswer).where(IdempotentAnswer.hash == hash_, IdempotentAnswer.status == 0))


def forget_unfinished(session: Session) -> None:
    """Forget requests that a service had not carried out yet when it ended: they may be tried again."""
    session.execute(delete(IdempotentAnswer).where(IdempotentAnswer.status == 0))


def _hash(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()
