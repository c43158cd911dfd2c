"""Pipelines of the registry: made, found, listed, changed, removed."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import delete, func, or_, select
from sqlalchemy.orm import Session

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.findings import did_you_mean
from compiled_plan.service.store import blobs
from compiled_plan.service.store.errors import ConflictError, MovedError, NotFoundError
from compiled_plan.service.store.tables import InForce, Pipeline, Status, Version

#: Letters, digits and `-_.`: a name is part of addresses and of folders.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
#: States in which a process of the pipeline is there.
ALIVE = ("running", "behind", "upgrade-waiting")
NO_STATE = "none"


@dataclass(frozen=True, slots=True)
class Listed:
    """A pipeline in a list, with its state at a glance."""

    pipeline: Pipeline
    status: Status | None


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a list; `cursor` asks for the next one, empty behind the last."""

    items: Sequence[Listed]
    cursor: str
    total: int


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


def create(session: Session, name: str, description: str, by: str) -> Pipeline:
    """A new pipeline.

    Raises:
        PlanError: not a name.
        ConflictError: the name is taken.
    """
    if not NAME.fullmatch(name) or ".." in name:
        raise PlanError(
            "this is no name of a pipeline",
            where=name,
            remedy="take letters, digits, `-`, `_` and `.`, 100 at most, with a letter or digit first",
        )
    if session.scalar(select(Pipeline.id).where(Pipeline.name == name)) is not None:
        raise ConflictError(f"there is a pipeline {name!r} already", where=name, remedy="take another name")
    pipeline = Pipeline(name=name, description=description, created_at=now(), created_by=by)
    session.add(pipeline)
    session.flush()
    return pipeline


def find(session: Session, name: str, *, lock: bool = False) -> Pipeline:
    """The pipeline of a name.

    Args:
        lock: whether nobody else may change it until the transaction ends.

    Raises:
        NotFoundError: there is none.
    """
    wanted = select(Pipeline).where(Pipeline.name == name)
    pipeline = session.scalar(wanted.with_for_update() if lock else wanted)
    if pipeline is None:
        near = session.scalars(select(Pipeline.name).order_by(Pipeline.name).limit(1000)).all()
        remedy = did_you_mean(name, near, "GET /api/v1/pipelines lists them")
        raise NotFoundError(f"there is no pipeline {name!r}", where=name, remedy=remedy)
    return pipeline


def etag(pipeline: Pipeline) -> str:
    """What says whether a pipeline, and which version is in force, is still what somebody has read."""
    return f'"{pipeline.id}-{pipeline.revision}"'


def find_unmoved(session: Session, name: str, expected: str) -> Pipeline:
    """The pipeline of a name, for a change of what was read with an ETag; locked.

    Raises:
        NotFoundError: there is none.
        MovedError: it has changed since.
    """
    pipeline = find(session, name, lock=True)
    tags = [tag.strip().removeprefix("W/") for tag in expected.split(",")]
    if expected.strip() != "*" and etag(pipeline) not in tags:
        raise MovedError(
            f"the pipeline {name!r} has changed since it was read; version {pipeline.in_force} is in force now",
            where="If-Match",
            remedy="read it again, look at what has changed, and send the change with the new ETag",
        )
    return pipeline


def change(session: Session, pipeline: Pipeline, **values: Any) -> None:
    """Change columns of a pipeline; its ETag becomes another one."""
    for name, value in values.items():
        setattr(pipeline, name, value)
    pipeline.revision += 1
    session.flush()


def remove(session: Session, pipeline: Pipeline) -> None:
    """Remove a pipeline with all its versions.

    Raises:
        ConflictError: it runs.
    """
    status = session.get(Status, pipeline.id)
    if status is not None and status.state in ALIVE:
        raise ConflictError(f"the pipeline {pipeline.name!r} runs", where=pipeline.name, remedy="stop it first")
    hashes = blobs.hashes_of(session, pipeline.id)
    session.execute(delete(Version).where(Version.pipeline_id == pipeline.id))
    for table in (Status, InForce):
        session.execute(delete(table).where(table.pipeline_id == pipeline.id))
    session.delete(pipeline)
    session.flush()
    blobs.remove_unused(session, hashes)


def page(session: Session, *, q: str = "", state: str = "", limit: int = 50, cursor: str = "") -> Page:
    """Pipelines by name, with their state at a glance.

    Args:
        q: a part of the name or the description, in any case.
        state: of this state alone.
        cursor: of the page before.

    Raises:
        PlanError: not a cursor.
    """
    wanted = select(Pipeline, Status).outerjoin(Status, Status.pipeline_id == Pipeline.id)
    if q:
        places = (Pipeline.name, Pipeline.description)
        wanted = wanted.where(or_(*(place.icontains(q, autoescape=True) for place in places)))
    if state:
        wanted = wanted.where(Status.state == state if state != NO_STATE else Status.state.is_(None))
    total = session.scalar(select(func.count()).select_from(wanted.subquery())) or 0
    if cursor:
        wanted = wanted.where(Pipeline.name > _name_of(cursor))
    rows = session.execute(wanted.order_by(Pipeline.name).limit(limit + 1)).all()
    items = [Listed(pipeline, status) for pipeline, status in rows[:limit]]
    return Page(items, _cursor_of(items[-1].pipeline.name) if len(rows) > limit else "", total)


def counts(session: Session) -> dict[str, int]:
    """How many pipelines there are of each state."""
    state = func.coalesce(Status.state, NO_STATE)
    wanted = select(state, func.count()).select_from(Pipeline).outerjoin(Status, Status.pipeline_id == Pipeline.id)
    return {row[0]: row[1] for row in session.execute(wanted.group_by(state))}


def _cursor_of(name: str) -> str:
    return base64.urlsafe_b64encode(name.encode()).decode()


def _name_of(cursor: str) -> str:
    try:
        return base64.b64decode(cursor.encode("ascii"), altchars=b"-_", validate=True).decode()
    except (binascii.Error, UnicodeError):
        raise PlanError("this is no cursor", where="cursor", remedy="take the one of the page before") from None
