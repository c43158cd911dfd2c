"""Tables that the pipelines of a registry read and write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from compiled_plan.service.store import blobs
from compiled_plan.service.store.database import Database
from compiled_plan.service.store.tables import Pipeline, PlanTables, Version
from compiled_plan.service.workers import tasks
from compiled_plan.service.workers.pool import Workers

#: The number of plans that one request reads; their tables are stored.
_MOST = 100


@dataclass(frozen=True, slots=True)
class Uses:
    """The tables of the version in force of each pipeline.

    Args:
        tables: documents of the task `tables` by the name of the pipeline.
        pending: number of pipelines whose plans are still to be read.
    """

    tables: dict[str, dict[str, Any]]
    pending: int


def uses_of(database: Database, workers: Workers) -> Uses:
    """The tables of all pipelines. Reads at most 100 plans whose tables are not stored yet."""
    in_force = (
        select(Pipeline.name, Version.plan_hash)
        .join(Version, (Version.pipeline_id == Pipeline.id) & (Version.number == Pipeline.in_force))
        .order_by(Pipeline.name)
    )
    with database.read() as session:
        hashes: dict[str, str] = {row[0]: row[1] for row in session.execute(in_force)}
        stored = session.execute(select(PlanTables.plan_hash, PlanTables.tables))
        known: dict[str, Any] = {row[0]: row[1] for row in stored}
    missing = list(dict.fromkeys(hash_ for hash_ in hashes.values() if hash_ not in known))
    for hash_ in missing[:_MOST]:
        with database.read() as session:
            plan = blobs.get(session, hash_)
        known[hash_] = workers.run(tasks.stored.tables, plan=plan)
        _store(database, hash_, known[hash_])
    tables = {name: known[hash_] for name, hash_ in hashes.items() if hash_ in known}
    return Uses(tables, len(hashes) - len(tables))


def _store(database: Database, hash_: str, tables: dict[str, object]) -> None:
    try:
        with database.write() as session:
            session.add(PlanTables(plan_hash=hash_, tables=tables))
    except IntegrityError:
        return  # Another request has stored them.
