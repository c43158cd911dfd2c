from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from compiled_plan.plans.errors import PlanError
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.store import listing, pipelines
from compiled_plan.service.store.database import Database, open_database
from compiled_plan.service.store.tables import Status

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def database(settings: Settings) -> Database:
    """Twelve pipelines with equal, different and unknown values."""
    database = open_database(settings)
    with database.write() as session:
        for at in range(12):
            pipeline = pipelines.create(session, f"p{at:02}", "", "me")
            pipeline.owner = ("", "jane", "joe")[at % 3]
            if at % 4 == 3:
                continue
            value: dict[str, Any] = {} if at % 4 == 2 else {"lag": at % 5, "rows_per_second": at / 7, "state_bytes": at}
            error = {"last_error_at": BEGIN + timedelta(microseconds=at % 3), "last_error": "x"}
            value["until"] = BEGIN + timedelta(hours=at % 5) if at % 2 else None
            row = Status(pipeline_id=pipeline.id, state=("failed", "running")[at % 2], seen_at=BEGIN, **value, **error)
            session.add(row)
    return database


@pytest.mark.wide
@pytest.mark.parametrize("sort", [f"{sign}{key}" for key in listing.SORTS for sign in ("", "-")])
def test_pages_of_a_sorted_list_have_each_pipeline_once(sort: str, database: Database) -> None:
    with database.read() as session:
        whole = [item.pipeline.name for item in listing.page(session, sort=sort, limit=100).items]
        names, cursor = [], ""
        while True:
            page = listing.page(session, sort=sort, limit=5, cursor=cursor)
            names += [item.pipeline.name for item in page.items]
            cursor = page.cursor
            if not cursor:
                break
    assert names == whole
    assert sorted(names) == [f"p{at:02}" for at in range(12)]


def test_unknown_values_are_last_in_both_directions(database: Database) -> None:
    with database.read() as session:
        up, down = (
            [item.status and item.status.lag for item in listing.page(session, sort=sort).items]
            for sort in ("lag", "-lag")
        )
    assert up == [0, 0, 1, 3, 4, 4, *[None] * 6]
    assert down == [4, 4, 3, 1, 0, 0, *[None] * 6]


def test_a_pipeline_that_is_added_or_removed_meanwhile_moves_no_other(database: Database) -> None:
    with database.write() as session:
        first = listing.page(session, sort="-lag", limit=3)
        pipelines.remove(session, first.items[-1].pipeline)
        pipelines.create(session, "a-new-one", "", "me")
        rest = listing.page(session, sort="-lag", limit=100, cursor=first.cursor)
    names = [item.pipeline.name for item in (*first.items, *rest.items)]
    assert len(names) == len(set(names)) == 13


def test_a_cursor_of_another_sort_is_refused(database: Database) -> None:
    with database.read() as session:
        cursor = listing.page(session, sort="lag", limit=3).cursor
        with pytest.raises(PlanError, match="not a valid cursor of this list"):
            listing.page(session, sort="-lag", cursor=cursor)


def test_an_unknown_sort_is_refused(client: TestClient) -> None:
    assert client.get("pipelines", params={"sort": "-lag"}).status_code == 200
    assert client.get("pipelines", params={"sort": "age"}).status_code == 422
