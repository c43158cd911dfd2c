"""Pipelines of the registry: create, find, list, change, remove."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.findings import did_you_mean
from compiled_plan.service.store import blobs
from compiled_plan.service.store.errors import ConflictError, MovedError, NotFoundError
from compiled_plan.service.store.states import RunState
from compiled_plan.service.store.tables import InForce, Pipeline, Status, Version

#: Letters, digits and `-_.`, since names are part of URLs and folders.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
#: Lower case, since filters compare it.
TAG = re.compile(r"[a-z0-9][a-z0-9_.:-]{0,49}")
MOST_TAGS = 20


def now() -> datetime:
    """The current time in UTC."""
    return datetime.now(UTC)


def create(session: Session, name: str, description: str, by: str) -> Pipeline:
    """Create a pipeline.

    Raises:
        PlanError: the name is invalid.
        ConflictError: the name is taken.
    """
    if not NAME.fullmatch(name) or ".." in name:
        raise PlanError(
            "not a valid pipeline name",
            where=name,
            remedy="use at most 100 letters, digits, `-`, `_` and `.`, starting with a letter or digit",
        )
    if session.scalar(select(Pipeline.id).where(Pipeline.name == name)) is not None:
        raise ConflictError(f"a pipeline {name!r} exists already", where=name, remedy="choose another name")
    pipeline = Pipeline(name=name, description=description, created_at=now(), created_by=by)
    session.add(pipeline)
    session.flush()
    return pipeline


def find(session: Session, name: str, *, lock: bool = False) -> Pipeline:
    """The pipeline of a name.

    Args:
        session: the database session.
        name: the name.
        lock: lock the row until the transaction ends.

    Raises:
        NotFoundError: the pipeline does not exist.
    """
    wanted = select(Pipeline).where(Pipeline.name == name)
    pipeline = session.scalar(wanted.with_for_update() if lock else wanted)
    if pipeline is None:
        near = session.scalars(select(Pipeline.name).order_by(Pipeline.name).limit(1000)).all()
        remedy = did_you_mean(name, near, "GET /api/v1/pipelines lists them")
        raise NotFoundError(f"there is no pipeline {name!r}", where=name, remedy=remedy)
    return pipeline


def etag(pipeline: Pipeline) -> str:
    """The ETag of a pipeline, which changes with the pipeline and its version in force."""
    return f'"{pipeline.id}-{pipeline.revision}"'


def find_unmoved(session: Session, name: str, expected: str) -> Pipeline:
    """The pipeline of a name, locked, if it still has an expected ETag.

    Args:
        session: the database session.
        name: the name.
        expected: the value of the If-Match header.

    Raises:
        NotFoundError: the pipeline does not exist.
        MovedError: the pipeline has changed.
    """
    pipeline = find(session, name, lock=True)
    tags = [tag.strip().removeprefix("W/") for tag in expected.split(",")]
    if expected.strip() != "*" and etag(pipeline) not in tags:
        raise MovedError(
            f"the pipeline {name!r} has changed since it was read; version {pipeline.in_force} is now in force",
            where="If-Match",
            remedy="read it again, review the changes, and send the request with the new ETag",
        )
    return pipeline


def change(session: Session, pipeline: Pipeline, **values: object) -> None:
    """Change columns of a pipeline and its ETag."""
    for name, value in values.items():
        setattr(pipeline, name, value)
    pipeline.revision += 1
    session.flush()


def remove(session: Session, pipeline: Pipeline) -> None:
    """Remove a pipeline with all its versions.

    Raises:
        ConflictError: the pipeline runs.
    """
    status = session.get(Status, pipeline.id)
    if status is not None and RunState(status.state).is_alive:
        raise ConflictError(f"the pipeline {pipeline.name!r} runs", where=pipeline.name, remedy="stop it first")
    hashes = blobs.hashes_of(session, pipeline.id)
    session.execute(delete(Version).where(Version.pipeline_id == pipeline.id))
    for table in (Status, InForce):
        session.execute(delete(table).where(table.pipeline_id == pipeline.id))
    session.delete(pipeline)
    session.flush()
    blobs.remove_unused(session, hashes)


def counts(session: Session) -> dict[str, int]:
    """The number of pipelines by state."""
    state = func.coalesce(Status.state, RunState.NONE.value)
    wanted = select(state, func.count()).select_from(Pipeline).outerjoin(Status, Status.pipeline_id == Pipeline.id)
    return {row[0]: row[1] for row in session.execute(wanted.group_by(state))}
