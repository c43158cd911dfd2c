"""Content-addressed texts: versions with the same text share it."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable

from sqlalchemy import delete, exists, or_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from compiled_plan.service.store.errors import NotFoundError
from compiled_plan.service.store.tables import Blob, Version

#: The batch size of deletions, since databases limit the number of parameters.
_AT_ONCE = 500


def digest(text: str) -> str:
    """The SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def put(session: Session, text: str) -> str:
    """Store a text, and return its hash."""
    hash_ = digest(text)
    if session.get(Blob, hash_) is None:
        try:
            with session.begin_nested():
                session.add(Blob(hash=hash_, content=zlib.compress(text.encode())))
        except IntegrityError:
            return hash_  # Another session has stored it meanwhile.
    return hash_


def get(session: Session, hash_: str) -> str:
    """The text of a hash.

    Raises:
        NotFoundError: the text is missing or damaged.
    """
    blob = session.get(Blob, hash_)
    text = zlib.decompress(blob.content).decode() if blob is not None else None
    if text is None or digest(text) != hash_:
        raise NotFoundError(
            "a text of the registry is missing or damaged", where=hash_, remedy="restore the database from a copy"
        )
    return text


def remove_unused(session: Session, hashes: Iterable[str]) -> None:
    """Remove texts that no version uses any more."""
    wanted = sorted(set(hashes))
    columns = (Version.plan_hash, Version.program_hash, Version.tests_hash)
    used = exists(select(Version.id).where(or_(*(column == Blob.hash for column in columns))))
    for at in range(0, len(wanted), _AT_ONCE):
        session.execute(delete(Blob).where(Blob.hash.in_(wanted[at : at + _AT_ONCE]), ~used))


def hashes_of(session: Session, pipeline: int) -> set[str]:
    """The hashes of the texts of a pipeline's versions."""
    versions = session.scalars(select(Version).where(Version.pipeline_id == pipeline))
    return {hash_ for version in versions for hash_ in hashes_in(version)}


def hashes_in(version: Version) -> list[str]:
    """The hashes of a version's texts."""
    return [hash_ for hash_ in (version.plan_hash, version.program_hash, version.tests_hash) if hash_]
