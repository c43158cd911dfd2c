"""The database: open, migrate, and use it in transactions."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.orm import Session

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.text.masking import masked_url
from compiled_plan.service.common.home import prepare_home
from compiled_plan.service.common.settings import Settings

_MIGRATIONS = Path(__file__).parent / "migrations"
#: The lock timeout of a write in SQLite, in seconds.
_BUSY = 30.0
_WRITES = "plan_service_writes"


class Database:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._writing = engine.execution_options(**{_WRITES: True})

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A read-only session with a consistent view of the database."""
        with Session(self.engine, expire_on_commit=False) as session:
            yield session
            session.rollback()

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A session that commits at the end of the block, or rolls back after an error.

        SQLite serializes these sessions from their first statement, so that their reads stay valid until the commit.
        """
        with Session(self._writing, expire_on_commit=False) as session, session.begin():
            yield session

    def close(self) -> None:
        self.engine.dispose()


def open_database(settings: Settings) -> Database:
    """Open the database of a service; create it or migrate it to this release.

    Raises:
        ExecutionError: the database cannot be opened, or belongs to a later release; or as for `prepare_home`.
    """
    prepare_home(settings.home)
    url = settings.database_url
    try:
        parsed = make_url(url)
        if parsed.drivername in ("postgresql", "postgres"):
            parsed = parsed.set(drivername="postgresql+psycopg")
        if parsed.get_backend_name() == "sqlite" and parsed.database:
            # Private, since programs contain passwords.
            Path(parsed.database).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        options: dict[str, object] = {"connect_args": {"timeout": _BUSY}} if _is_sqlite(parsed.drivername) else {}
        engine = create_engine(parsed, pool_pre_ping=not options, **options)
        if options:
            _prepare_sqlite(engine)
        with engine.begin() as connection:
            migrate(connection)
    except (SQLAlchemyError, ArgumentError, OSError) as fault:
        reason = str(getattr(fault, "orig", None) or fault).strip().splitlines()[0]
        raise ExecutionError(
            f"cannot open the database: {masked_url(reason)}",
            where=masked_url(url),
            remedy="check --database, and that its server runs: sqlite:////folder/file.db, "
            "postgresql://user@host/database",
        ) from None
    return Database(engine)


def migrate(connection: Connection) -> None:
    """Migrate the database to this release in one transaction.

    Raises:
        ExecutionError: the database belongs to a later release.
    """
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as fault:
        known = ScriptDirectory.from_config(config).get_current_head()
        raise ExecutionError(
            f"the database belongs to another release: {fault}",
            remedy=f"start the release that wrote it, or a later one; this release supports {known}",
        ) from None


def _is_sqlite(driver: str) -> bool:
    return driver.partition("+")[0] == "sqlite"


def _prepare_sqlite(engine: Engine) -> None:
    """Enable concurrent readers (WAL), foreign keys, and durable commits."""

    @event.listens_for(engine, "connect")
    def connected(connection: sqlite3.Connection, record: object) -> None:
        # The driver would begin transactions too late; the event below begins them.
        connection.isolation_level = None
        for pragma in ("journal_mode=WAL", "foreign_keys=ON", "synchronous=FULL"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        writes = connection.get_execution_options().get(_WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
