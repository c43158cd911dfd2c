"""The tables of the registry. A change of them comes with a migration in `migrations/versions/`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    DateTime,
    ForeignKey,
    Index,
    LargeBinary,
    String,
    Text,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

#: Outcomes of an upgrade, or of the way back, that has not come to its end.
UNDER_WAY = ("migrating", "rolling-back")


class Moment(TypeDecorator[datetime]):
    """A time in UTC; SQLite keeps no zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        return value if value is None or value.tzinfo else value.replace(tzinfo=UTC)


class Base(DeclarativeBase):
    """Base of all tables."""


class Blob(Base):
    """A text by its SHA-256, compressed: versions that share a program or a plan share it here, too."""

    __tablename__ = "blobs"

    hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    content: Mapped[bytes] = mapped_column(LargeBinary)


class Pipeline(Base):
    """A pipeline: a name for versions of a program and its plan, of which one is in force."""

    __tablename__ = "pipelines"
    #: Checkpoints and logs are found by the id, and stay when a pipeline is removed: no other one gets it.
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(128), unique=True)
    description: Mapped[str] = mapped_column(Text, default="")
    created_at: Mapped[datetime] = mapped_column(Moment)
    created_by: Mapped[str] = mapped_column(String(128))
    #: Number of the version in force, and of the newest one; 0 before the first.
    in_force: Mapped[int] = mapped_column(default=0)
    newest: Mapped[int] = mapped_column(default=0)
    #: Counts the changes of the row: what its ETag says.
    revision: Mapped[int] = mapped_column(default=1)
    #: How it runs: trigger, schedule, conf.
    run_settings: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)


class Version(Base):
    """A version of a pipeline. Never changed."""

    __tablename__ = "versions"
    __table_args__ = (UniqueConstraint("pipeline_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    pipeline_id: Mapped[int] = mapped_column(ForeignKey("pipelines.id", ondelete="CASCADE"))
    number: Mapped[int]
    created_at: Mapped[datetime] = mapped_column(Moment)
    created_by: Mapped[str] = mapped_column(String(128))
    comment: Mapped[str] = mapped_column(Text, default="")
    #: "program", "plan", "ttl-edit" or "import".
    kind: Mapped[str] = mapped_column(String(16))
    #: Number of the version that it was made from; 0 for none.
    parent: Mapped[int] = mapped_column(default=0)
    #: "sql", "python", or empty for a plan without a program.
    language: Mapped[str] = mapped_column(String(16), default="")
    program_hash: Mapped[str | None] = mapped_column(ForeignKey("blobs.hash"))
    plan_hash: Mapped[str] = mapped_column(ForeignKey("blobs.hash"))
    #: Options that the program was compiled with, and where its text was.
    options: Mapped[dict[str, str]] = mapped_column(JSON, default=dict)
    origin: Mapped[str] = mapped_column(Text, default="")
    operators: Mapped[int] = mapped_column(default=0)
    stateful: Mapped[int] = mapped_column(default=0)


class InForce(Base):
    """That a version of a pipeline was put in force: when, and by whom. Never changed."""

    __tablename__ = "in_force_changes"
    __table_args__ = (Index("in_force_changes_by_pipeline", "pipeline_id", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    pipeline_id: Mapped[int] = mapped_column(ForeignKey("pipelines.id", ondelete="CASCADE"))
    version: Mapped[int]
    at: Mapped[datetime] = mapped_column(Moment)
    by: Mapped[str] = mapped_column(String(128))


class Status(Base):
    """A pipeline's state at a glance, as who looks after its run last saw it; no row for one that never ran."""

    __tablename__ = "statuses"
    __table_args__ = (Index("statuses_by_state", "state"),)

    pipeline_id: Mapped[int] = mapped_column(ForeignKey("pipelines.id", ondelete="CASCADE"), primary_key=True)
    #: running, behind, failed, stopped, finished, upgrade-waiting.
    state: Mapped[str] = mapped_column(String(16))
    #: Number of the version that runs, or ran; 0 for none.
    version: Mapped[int] = mapped_column(default=0)
    since: Mapped[datetime | None] = mapped_column(Moment)
    seen_at: Mapped[datetime] = mapped_column(Moment)
    rows_per_second: Mapped[float | None]
    #: Rows that sources hold and the run has not read yet; None where nobody knows.
    lag: Mapped[int | None] = mapped_column(BigInteger)
    message: Mapped[str] = mapped_column(Text, default="")
    remedy: Mapped[str] = mapped_column(Text, default="")


class Token(Base):
    """A token of the API: what it may do, and its hash; the token itself is nowhere."""

    __tablename__ = "tokens"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(128))
    role: Mapped[str] = mapped_column(String(16))
    hash: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime] = mapped_column(Moment)
    created_by: Mapped[str] = mapped_column(String(128))
    expires_at: Mapped[datetime | None] = mapped_column(Moment)


class BrowserSession(Base):
    """A session of the page: the hash of its cookie, and the token that it was opened with."""

    __tablename__ = "sessions"

    hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    token_id: Mapped[int] = mapped_column(ForeignKey("tokens.id", ondelete="CASCADE"))
    expires_at: Mapped[datetime] = mapped_column(Moment)


class IdempotentAnswer(Base):
    """What a request with an Idempotency-Key was answered, for when it comes again."""

    __tablename__ = "idempotent_answers"

    #: Hash of who asked, what for, and the key.
    hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    #: Hash of the request's body: another one under the same key is refused.
    body_hash: Mapped[str] = mapped_column(String(64))
    status: Mapped[int] = mapped_column(default=0)
    answer: Mapped[str] = mapped_column(Text, default="")
    created_at: Mapped[datetime] = mapped_column(Moment)


class Wanted(Base):
    """What is wanted of a pipeline's run, and how far that has come; no row for one that nobody ever started."""

    __tablename__ = "wanted_runs"

    pipeline_id: Mapped[int] = mapped_column(ForeignKey("pipelines.id", ondelete="CASCADE"), primary_key=True)
    #: Whether it is to run, and which version.
    run: Mapped[bool] = mapped_column(default=False)
    version: Mapped[int] = mapped_column(default=0)
    by: Mapped[str] = mapped_column(String(128), default="")
    #: How the next start goes on with the checkpoint: `check`, `migrate`, `migrate-partial`, `rollback`,
    #: `adopt-generation` (with the generation first among the options); with options.
    upgrade: Mapped[str] = mapped_column(String(16), default="check")
    options: Mapped[list[str]] = mapped_column(JSON, default=list)
    #: The version that runs again if an upgrade is refused; the one before the last upgrade. 0 for none.
    fallback: Mapped[int] = mapped_column(default=0)
    previous: Mapped[int] = mapped_column(default=0)
    #: Of the last upgrade: empty, migrating, done, refused, rolling-back, rolled-back.
    outcome: Mapped[str] = mapped_column(String(16), default="")
    #: The checkpoint's generation before the last upgrade; 0 for none: its state has moved where another one counts.
    generation: Mapped[int] = mapped_column(default=0)
    #: When the last upgrade was done: how long the way back is kept counts from there.
    upgraded_at: Mapped[datetime | None] = mapped_column(Moment)
    #: Crashes in a row; when the next start is due; the number of the last run whose end was seen.
    crashes: Mapped[int] = mapped_column(default=0)
    next_at: Mapped[datetime | None] = mapped_column(Moment)
    seen: Mapped[int] = mapped_column(default=0)
