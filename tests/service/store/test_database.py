from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, select, text
from sqlalchemy.exc import IntegrityError

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.service.common.home import prepare_home
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.store.database import _MIGRATIONS, Database, open_database
from compiled_plan.service.store.tables import Base, Pipeline, Status, Version
from tests.support.service import database_in
from tools.services.server import Server

NOW = datetime(2026, 1, 2, 3, 4, 5, 678, UTC)


def pipeline(name: str = "orders") -> Pipeline:
    return Pipeline(name=name, created_at=NOW, created_by="me")


def test_migrations_make_the_tables_that_are_declared(settings: Settings) -> None:
    database = open_database(settings)
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_a_reopened_database_keeps_its_data(settings: Settings) -> None:
    first = open_database(settings)
    with first.write() as session:
        session.add(pipeline())
    first.close()
    with open_database(settings).read() as session:
        assert session.scalars(select(Pipeline.name)).all() == ["orders"]


def test_sqlite_is_durable_and_enforces_foreign_keys(settings: Settings) -> None:
    database = open_database(settings)
    with database.read() as session:
        names = ("journal_mode", "synchronous", "foreign_keys")
        pragmas = [session.execute(text(f"PRAGMA {name}")).scalar() for name in names]
    assert pragmas == ["wal", 2, 1]
    with pytest.raises(IntegrityError), database.write() as session:
        session.add(Version(pipeline_id=7, number=1, created_at=NOW, created_by="me", kind="plan", plan_hash="x"))


def test_the_id_of_a_removed_pipeline_is_not_reused(settings: Settings) -> None:
    # Checkpoints and logs are located by the id, and stay.
    database = open_database(settings)
    first, second = pipeline(), pipeline()
    with database.write() as session:
        session.add(first)
        session.flush()
        old = first.id
        session.delete(first)
    with database.write() as session:
        session.add(second)
        session.flush()
        assert second.id != old


def test_the_folder_is_private(settings: Settings) -> None:
    open_database(settings).close()
    assert settings.home.stat().st_mode & 0o077 == 0


def test_a_write_that_fails_changes_nothing(settings: Settings) -> None:
    database = open_database(settings)
    with pytest.raises(ValueError), database.write() as session:
        session.add(pipeline())
        session.flush()
        raise ValueError
    with database.read() as session:
        assert session.scalars(select(Pipeline)).all() == []


def test_times_are_stored_in_utc(settings: Settings) -> None:
    database = open_database(settings)
    with database.write() as session:
        stored = pipeline()
        stored.created_at = NOW.astimezone(timezone(timedelta(hours=2)))
        session.add(stored)
    with database.read() as session:
        assert session.scalars(select(Pipeline.created_at)).one() == NOW


@pytest.mark.parametrize("url", ["sqlite:////proc/none/service.db", "nonsense", "postgresql://u:geheim@127.0.0.1:1/x"])
def test_an_unreachable_database_is_named_without_its_password(url: str, tmp_path: Path) -> None:
    with pytest.raises(ExecutionError, match="cannot open the database") as error:
        open_database(Settings(home=tmp_path, database=url))
    assert "geheim" not in error.value.render()
    assert "--database" in error.value.remedy


def test_a_database_of_a_later_release_is_refused(settings: Settings) -> None:
    database = open_database(settings)
    with database.write() as session:
        session.execute(text("UPDATE alembic_version SET version_num = 'm9999'"))
    with pytest.raises(ExecutionError, match="belongs to another release"):
        open_database(settings)


def writes(database: Database, name: str) -> None:
    with database.write() as session:
        session.add(pipeline(name))


def test_the_tables_are_made_in_postgresql_too(postgres: Server, tmp_path: Path) -> None:
    database = open_database(Settings(home=tmp_path, database=database_in(postgres, "registry")))
    writes(database, "orders")
    with database.read() as session:
        assert session.scalars(select(Pipeline.created_at)).one() == NOW
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
    database.close()


def test_a_database_of_an_older_release_keeps_its_pipelines(settings: Settings) -> None:
    prepare_home(settings.home)
    engine = create_engine(settings.database_url)
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "m0003")
        connection.execute(
            text(
                "INSERT INTO pipelines (id, name, description, created_at, created_by, in_force, newest, revision,"
                " run_settings) VALUES (7, 'orders', '', '2026-01-02 03:04:05', 'me', 0, 0, 1, '{}')"
            )
        )
        connection.execute(
            text(
                "INSERT INTO statuses (pipeline_id, state, version, seen_at, message, remedy)"
                " VALUES (7, 'failed', 1, '2026-01-02 03:04:05', 'no such topic', '')"
            )
        )
    engine.dispose()
    with open_database(settings).read() as session:
        row = session.scalars(select(Pipeline)).one()
        status = session.scalars(select(Status)).one()
        assert (row.name, row.owner, row.tags) == ("orders", "", ())
        assert (status.message, status.last_error, status.state_growth) == ("no such topic", "", None)
