"""Versions of a pipeline, which are immutable: add, find, list, put in force, and remove old ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from compiled_plan.service.store import blobs, pipelines
from compiled_plan.service.store.errors import NotFoundError
from compiled_plan.service.store.tables import InForce, Language, Pipeline, Version

Kind = Literal["program", "ttl-edit", "import", "plan"]


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A version to add.

    Args:
        kind: its kind.
        plan: the text of the plan.
        operators: the number of operators.
        stateful: the number of operators with TTLs.
        program: the text of the program; None without a program.
        language: the language of the program.
        options: configuration options of the compilation.
        origin: the file of the program.
        comment: the user's comment.
        parent: the number of the parent version; 0 for none.
        tests: the tests of the program; None for those of the parent, empty for none.
    """

    kind: Kind
    plan: str
    operators: int
    stateful: int
    program: str | None = None
    language: Language = ""
    options: Mapping[str, str] = field(default_factory=dict)
    origin: str = ""
    comment: str = ""
    parent: int = 0
    tests: str | None = None


def add(session: Session, pipeline: Pipeline, new: NewVersion, by: str, *, in_force: bool) -> Version:
    """Add a version; the first version of a pipeline is always put in force.

    Args:
        session: the database session.
        pipeline: the pipeline, locked, so that version numbers are unique.
        new: the version.
        by: its author.
        in_force: put it in force.
    """
    number = pipeline.newest + 1
    version = Version(
        pipeline_id=pipeline.id,
        number=number,
        created_at=pipelines.now(),
        created_by=by,
        comment=new.comment,
        kind=new.kind,
        parent=new.parent,
        language=new.language,
        program_hash=None if new.program is None else blobs.put(session, new.program),
        plan_hash=blobs.put(session, new.plan),
        tests_hash=_tests_hash(session, pipeline, new),
        options=dict(new.options),
        origin=new.origin,
        operators=new.operators,
        stateful=new.stateful,
    )
    session.add(version)
    pipelines.change(session, pipeline, newest=number)
    if in_force or pipeline.in_force == 0:
        put_in_force(session, pipeline, version, by)
    return version


def _tests_hash(session: Session, pipeline: Pipeline, new: NewVersion) -> str | None:
    if new.tests is not None:
        return blobs.put(session, new.tests) if tests_digest(new.tests) else None
    parent = select(Version.tests_hash).where(Version.pipeline_id == pipeline.id, Version.number == new.parent)
    return session.scalar(parent)


def tests_digest(tests: str) -> str | None:
    """The hash of tests in a version; None for none."""
    return blobs.digest(tests) if tests.strip() else None


def put_in_force(session: Session, pipeline: Pipeline, version: Version, by: str) -> None:
    """Put a version in force, and record the author; no effect if it is in force already."""
    if pipeline.in_force != version.number:
        session.add(InForce(pipeline_id=pipeline.id, version=version.number, at=pipelines.now(), by=by))
        pipelines.change(session, pipeline, in_force=version.number)


def in_force_changes(
    session: Session, pipeline: Pipeline, *, limit: int = 50, before: int | None = None
) -> Sequence[InForce]:
    """The versions put in force, newest first; only ids below `before`."""
    wanted = select(InForce).where(InForce.pipeline_id == pipeline.id)
    if before is not None:
        wanted = wanted.where(InForce.id < before)
    return session.scalars(wanted.order_by(InForce.id.desc()).limit(limit)).all()


def find(session: Session, pipeline: Pipeline, number: int) -> Version:
    """The version of a number.

    Raises:
        NotFoundError: the version does not exist.
    """
    version = session.scalar(select(Version).where(Version.pipeline_id == pipeline.id, Version.number == number))
    if version is None:
        known = f"the newest is {pipeline.newest}; old ones may be removed" if pipeline.newest else "it has none yet"
        raise NotFoundError(
            f"the pipeline {pipeline.name!r} has no version {number}", where=f"{pipeline.name} {number}", remedy=known
        )
    return version


def page(session: Session, pipeline: Pipeline, *, limit: int = 50, before: int | None = None) -> Sequence[Version]:
    """Versions, newest first; only numbers below `before`."""
    wanted = select(Version).where(Version.pipeline_id == pipeline.id)
    if before is not None:
        wanted = wanted.where(Version.number < before)
    return session.scalars(wanted.order_by(Version.number.desc()).limit(limit)).all()


def prune(session: Session, pipeline: Pipeline, keep: int, spared: Collection[int] = ()) -> list[int]:
    """Remove old versions, and return their numbers.

    Args:
        session: the database session.
        pipeline: the pipeline.
        keep: the number of newest versions to retain.
        spared: numbers of further versions to retain; the version in force is always retained.
    """
    wanted = select(Version).where(Version.pipeline_id == pipeline.id, Version.number <= pipeline.newest - keep)
    old = session.scalars(wanted.where(Version.number.not_in({pipeline.in_force, *spared}))).all()
    hashes = {hash_ for version in old for hash_ in blobs.hashes_in(version)}
    for version in old:
        session.delete(version)
    session.flush()
    blobs.remove_unused(session, hashes)
    return [version.number for version in old]


def plan_text(session: Session, version: Version) -> str:
    """The original text of a version's plan."""
    return blobs.get(session, version.plan_hash)


def program_text(session: Session, version: Version) -> str | None:
    """The text of a version's program; None without a program."""
    return None if version.program_hash is None else blobs.get(session, version.program_hash)


def tests_text(session: Session, version: Version) -> str:
    """The tests of a version's program; empty without tests."""
    return "" if version.tests_hash is None else blobs.get(session, version.tests_hash)
