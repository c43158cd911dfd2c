"""Removal of expired versions, runs and logs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select

from compiled_plan.service.common.settings import Settings
from compiled_plan.service.runs.folders import new_run, runs_of
from compiled_plan.service.runs.pruning import is_way_back_over, prune_runs, prune_versions
from compiled_plan.service.store import pipelines, versions
from compiled_plan.service.store.database import open_database
from compiled_plan.service.store.tables import Blob, Status, Wanted

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def test_folders_of_old_runs_are_removed(tmp_path: Path) -> None:
    for _ in range(5):
        (new_run(tmp_path).output / "current").touch()
    assert prune_runs(tmp_path, 2) == [3, 2, 1]
    assert [run.number for run in runs_of(tmp_path)] == [5, 4]
    assert prune_runs(tmp_path, 0) == [4]
    assert new_run(tmp_path).number == 6


def test_referenced_versions_are_kept(settings: Settings) -> None:
    database = open_database(settings)
    with database.write() as session:
        pipeline = pipelines.create(session, "shop", "", "me")
        session.flush()
        for number in range(1, 13):
            new = versions.NewVersion("plan", f"plan {number % 4}", 1, 0)
            versions.add(session, pipeline, new, "me", in_force=number == 2)
        session.add(
            Wanted(pipeline_id=pipeline.id, run=True, version=5, fallback=4, previous=3, upgrade="check", options=[])
        )
        session.add(Status(pipeline_id=pipeline.id, state="running", version=6, seen_at=NOW))
        pipelines.create(session, "other", "", "me")
    assert prune_versions(database, 0) == {}
    assert prune_versions(database, 3) == {"shop": [1, 7, 8, 9]}
    assert prune_versions(database, 3) == {}
    with database.read() as session:
        pipeline = pipelines.find(session, "shop")
        numbers = [version.number for version in versions.page(session, pipeline)]
        assert numbers == [12, 11, 10, 6, 5, 4, 3, 2]
        assert [versions.plan_text(session, versions.find(session, pipeline, number)) for number in (2, 12)] == [
            "plan 2",
            "plan 0",
        ]
        assert session.scalar(select(func.count()).select_from(Blob)) == 4
    with database.write() as session:
        pipeline = pipelines.find(session, "shop")
        assert (
            versions.add(session, pipeline, versions.NewVersion("plan", "{}", 1, 0), "me", in_force=False).number == 13
        )
    database.close()


@pytest.mark.parametrize(
    ("ago", "days", "changed", "over"),
    [
        (31, 30, {}, True),
        (29, 30, {}, False),
        (31, 0, {}, False),
        (31, 30, {"upgrade": "rollback"}, False),
        (31, 30, {"outcome": "migrating"}, False),
        (31, 30, {"previous": 0}, False),
        (31, 30, {"upgraded_at": None}, False),
    ],
)
def test_retention_of_the_rollback_version(ago: float, days: float, changed: dict[str, object], over: bool) -> None:
    values = {"upgrade": "check", "outcome": "done", "previous": 1, "upgraded_at": NOW - timedelta(days=ago)}
    assert is_way_back_over(Wanted(**(values | changed)), days, NOW) is over
