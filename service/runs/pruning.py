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


def prunable(runs: list[RunFolder], retained: int) -> list[RunFolder]:
    """Those of the runs, newest first, that may go; never the newest one, by which runs are counted."""
    return runs[max(1, retained) :]


def prune_runs(pipeline: Path, retained: int) -> list[int]:
    """Remove the folders of old runs; their numbers."""
    runs = prunable(list(runs_of(pipeline)), retained)
    for run in runs:
        shutil.rmtree(run.path, ignore_errors=True)
    return [run.number for run in runs]


def prune_versions(database: Database, retained: int) -> dict[str, list[int]]:
    """Remove old versions of all pipelines; their numbers by the name of the pipeline.

    Args:
        kept: how many of the newest stay; 0 for all.
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
    """Versions that run, are to run, or may come back."""
    wanted, status = session.get(Wanted, pipeline), session.get(Status, pipeline)
    needed = set() if wanted is None else {wanted.version, wanted.fallback, wanted.previous}
    return needed | (set() if status is None else {status.version})


def is_way_back_over(wanted: Wanted, days: float, now: datetime) -> bool:
    """Whether the state of before the last upgrade has been kept for long enough.

    Args:
        days: how long it is kept; 0 for ever.
        now: with a zone.
    """
    if not days or wanted.upgrade != "check" or wanted.outcome != "done" or not wanted.previous:
        return False
    return wanted.upgraded_at is not None and wanted.upgraded_at + timedelta(days=days) <= now
