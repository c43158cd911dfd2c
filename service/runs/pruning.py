"""Removal of old data: folders of runs, versions, the state before an upgrade."""

from __future__ import annotations

import shutil
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from compiled_plan.service.runs.folders import RunFolder, runs_of
from compiled_plan.service.store import versions
from compiled_plan.service.store.database import Database
from compiled_plan.service.store.tables import MOVED, Pipeline, Status, Wanted


def prunable(runs: list[RunFolder], retained: int) -> list[RunFolder]:
    """The removable runs of a list, newest first; never the newest, whose number is needed for counting."""
    return runs[max(1, retained) :]


def prune_runs(pipeline: Path, retained: int) -> list[int]:
    """Remove the folders of old runs, and return their numbers."""
    runs = prunable(list(runs_of(pipeline)), retained)
    for run in runs:
        shutil.rmtree(run.path, ignore_errors=True)
    return [run.number for run in runs]


def prune_versions(database: Database, retained: int) -> dict[str, list[int]]:
    """Remove old versions of all pipelines, and return their numbers by pipeline.

    Args:
        database: the database.
        retained: the number of newest versions to retain; 0 for all.
    """
    if not retained:
        return {}
    with database.read() as session:
        ids = list(session.scalars(select(Pipeline.id).where(Pipeline.newest > retained)))
    removed: dict[str, list[int]] = {}
    for id_ in ids:
        with database.write() as session:
            pipeline = session.get(Pipeline, id_)
            if pipeline is not None and (gone := versions.prune(session, pipeline, retained, _needed(session, id_))):
                removed[pipeline.name] = gone
    return removed


def _needed(session: Session, pipeline: int) -> set[int]:
    """Versions that run, will run, or may be restored."""
    wanted, status = session.get(Wanted, pipeline), session.get(Status, pipeline)
    needed = set() if wanted is None else {wanted.version, wanted.fallback, wanted.previous}
    return needed | (set() if status is None else {status.version})


def is_way_back_over(wanted: Wanted, days: float, now: datetime) -> bool:
    """Return True if the retention of the state before the last upgrade is over.

    Args:
        wanted: the desired state of the pipeline.
        days: the retention; 0 for ever.
        now: the time, with a time zone.
    """
    if not days or wanted.upgrade != "check" or wanted.outcome not in MOVED or not wanted.previous:
        return False
    return wanted.upgraded_at is not None and wanted.upgraded_at + timedelta(days=days) <= now
