"""What nobody needs any more: folders of runs, versions, the state of before an upgrade."""

from __future__ import annotations

import shutil
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from compiled_plan.service.runs.folders import RunFolder, runs_of
from compiled_plan.service.store import versions
from compiled_plan.service.store.database import Database
from compiled_plan.service.store.tables import Pipeline, Status, Wanted


def prunable(runs: list[RunFolder], kept: int) -> list[RunFolder]:
    """Those of the runs, newest first, that may go; never the newest one, by which runs are counted."""
    return runs[max(1, kept) :]


def prune_runs(pipeline: Path, kept: int) -> list[int]:
    """Remove the folders of old runs; their numbers."""
    found = prunable(list(runs_of(pipeline)), kept)
    for each in found:
        shutil.rmtree(each.path, ignore_errors=True)
    return [each.number for each in found]


def prune_versions(database: Database, kept: int) -> dict[str, list[int]]:
    """Remove old versions of all pipelines; their numbers by the name of the pipeline.

    Args:
        kept: how many of the newest stay; 0 for all.
    """
    if not kept:
        return {}
    with database.read() as session:
        ids = list(session.scalars(select(Pipeline.id).where(Pipeline.newest > kept)))
    found: dict[str, list[int]] = {}
    for id_ in ids:
        with database.write() as session:
            pipeline = session.get(Pipeline, id_)
            if pipeline is not None and (gone := versions.prune(session, pipeline, kept, _needed(session, id_))):
                found[pipeline.name] = gone
    return found


def _needed(session: Session, pipeline: int) -> set[int]:
    """Versions that run, are to run, or may come back."""
    wanted, status = session.get(Wanted, pipeline), session.get(Status, pipeline)
    found = set() if wanted is None else {wanted.version, wanted.fallback, wanted.previous}
    return found | (set() if status is None else {status.version})


def is_way_back_over(wanted: Wanted, days: float, now: datetime) -> bool:
    """Whether the state of before the last upgrade has been kept for long enough.

    Args:
        days: how long it is kept; 0 for ever.
        now: with a zone.
    """
    if not days or wanted.upgrade != "check" or wanted.outcome != "done" or not wanted.previous:
        return False
    return wanted.upgraded_at is not None and wanted.upgraded_at + timedelta(days=days) <= now
