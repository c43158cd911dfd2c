"""The tables of the registry. Each change needs a migration in `migrations/versions/`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
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

#: The language of a version's program; empty for a version that is a plan.
Language = Literal["sql", "python", ""]
#: Outcomes of an upgrade or rollback in progress.
UNDER_WAY = ("migrating", "rolling-back")
#: Outcomes of an upgrade or rewind that has moved the state, and can be rolled back.
MOVED = ("done", "rewound")


class Moment(TypeDecorator[datetime]):
    """A time in UTC; SQLite stores no time zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: object) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: object) -> datetime | None:
        return value if value is None or value.tzinfo else value.replace(tzinfo=UTC)


class Words(TypeDecorator[tuple[str, ...]]):
    """Words in one text, with a space around each, so that a word is found by its text."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Sequence[str] | None, dialect: object) -> str:
        return f" {' '.join(value)} " if value else ""

    def process_result_value(self, value: str | None, dialect: object) -> tuple[str, ...]:
        return tuple((value or "").split())


class Base(DeclarativeBase):
    """Base of all tables."""


class Blob(Base):
    """A compressed text by its SHA-256; versions with the same program or plan share it."""

    __tablename__ = "blobs"

    hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    content: Mapped[bytes] = mapped_column(LargeBinary)


class Pipeline(Base):
    """A pipeline: versions of a program and its plan under a name, with one version in force."""

    __tablename__ = "pipelines"
    #: Ids are never reused, since checkpoints and logs are stored by id and survive the removal of a pipeline.
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(128), unique=True)
    description: Mapped[str] = mapped_column(Text, default="")
    created_at: Mapped[datetime] = mapped_column(Moment)
    created_by: Mapped[str] = mapped_column(String(128))
    #: The person or team in charge; empty for none.
    owner: Mapped[str] = mapped_column(String(128), default="")
    tags: Mapped[tuple[str, ...]] = mapped_column(Words, default=())
    #: Numbers of the version in force and of the newest version; 0 before the first.
    in_force: Mapped[int] = mapped_column(default=0)
    newest: Mapped[int] = mapped_column(default=0)
    #: The number of changes of the row, part of its ETag.
    revision: Mapped[int] = mapped_column(default=1)
    #: Run settings: trigger, schedule, conf.
    run_settings: Mapped[dict[str, object]] = mapped_column(JSON, default=dict)


class Version(Base):
    """A version of a pipeline; immutable."""

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
    #: Number of the parent version; 0 for none.
    parent: Mapped[int] = mapped_column(default=0)
    #: "sql", "python", or empty for a plan without a program.
    language: Mapped[Language] = mapped_column(String(16), default="")
    program_hash: Mapped[str | None] = mapped_column(ForeignKey("blobs.hash"))
    plan_hash: Mapped[str] = mapped_column(ForeignKey("blobs.hash"))
    tests_hash: Mapped[str | None] = mapped_column(String(64))
    #: Configuration options of the compilation, and the file of the program.
    options: Mapped[dict[str, str]] = mapped_column(JSON, default=dict)
    origin: Mapped[str] = mapped_column(Text, default="")
    operators: Mapped[int] = mapped_column(default=0)
    stateful: Mapped[int] = mapped_column(default=0)


class InForce(Base):
    """The event that a version was put in force; immutable."""

    __tablename__ = "in_force_changes"
    __table_args__ = (Index("in_force_changes_by_pipeline", "pipeline_id", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    pipeline_id: Mapped[int] = mapped_column(ForeignKey("pipelines.id", ondelete="CASCADE"))
    version: Mapped[int]
    at: Mapped[datetime] = mapped_column(Moment)
    by: Mapped[str] = mapped_column(String(128))


class Status(Base):
    """The status of a pipeline, as the supervisor last observed it; no row before the first run."""

    __tablename__ = "statuses"
    __table_args__ = (Index("statuses_by_state", "state"),)

    pipeline_id: Mapped[int] = mapped_column(ForeignKey("pipelines.id", ondelete="CASCADE"), primary_key=True)
    #: A `RunState`.
    state: Mapped[str] = mapped_column(String(16))
    #: Number of the version that runs or ran last; 0 for none.
    version: Mapped[int] = mapped_column(default=0)
    since: Mapped[datetime | None] = mapped_column(Moment)
    seen_at: Mapped[datetime] = mapped_column(Moment)
    rows_per_second: Mapped[float | None]
    #: The number of unread rows of all sources; None if unknown.
    lag: Mapped[int | None] = mapped_column(BigInteger)
    message: Mapped[str] = mapped_column(Text, default="")
    remedy: Mapped[str] = mapped_column(Text, default="")
    #: The time of the next start, after a crash or by the schedule.
    until: Mapped[datetime | None] = mapped_column(Moment)
    #: The last failure, which later runs do not clear.
    last_error: Mapped[str] = mapped_column(Text, default="")
    last_error_at: Mapped[datetime | None] = mapped_column(Moment)
    #: The size of all state at the last micro-batch, and its growth in bytes per hour; None if unknown.
    state_bytes: Mapped[int | None] = mapped_column(BigInteger)
    state_growth: Mapped[float | None]


class Token(Base):
    """An API token: its role and its hash; the secret itself is not stored."""

    __tablename__ = "tokens"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(128))
    role: Mapped[str] = mapped_column(String(16))
    hash: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime] = mapped_column(Moment)
    created_by: Mapped[str] = mapped_column(String(128))
    expires_at: Mapped[datetime | None] = mapped_column(Moment)


class BrowserSession(Base):
    """A page session: the hash of its cookie, and its token."""

    __tablename__ = "sessions"

    hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    token_id: Mapped[int] = mapped_column(ForeignKey("tokens.id", ondelete="CASCADE"))
    expires_at: Mapped[datetime] = mapped_column(Moment)


class IdempotentAnswer(Base):
    """The answer to a request with an Idempotency-Key, for its repetition."""

    __tablename__ = "idempotent_answers"

    #: Hash of the client, the operation and the key.
    hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    #: Hash of the request body; the same key with another body is refused.
    body_hash: Mapped[str] = mapped_column(String(64))
    status: Mapped[int] = mapped_column(default=0)
    answer: Mapped[str] = mapped_column(Text, default="")
    created_at: Mapped[datetime] = mapped_column(Moment)


class Wanted(Base):
    """The desired state of a pipeline's run, and the progress towards it; no row before the first start."""

    __tablename__ = "wanted_runs"

    pipeline_id: Mapped[int] = mapped_column(ForeignKey("pipelines.id", ondelete="CASCADE"), primary_key=True)
    #: Run the pipeline, with this version.
    run: Mapped[bool] = mapped_column(default=False)
    version: Mapped[int] = mapped_column(default=0)
    by: Mapped[str] = mapped_column(String(128), default="")
    #: The upgrade mode of the next start, and its options: `check`, `migrate`, `migrate-partial`, `rollback`, `promote`
    #: by a shadow run, or `adopt-generation` and `rewind-to` with their value as the first option.
    upgrade: Mapped[str] = mapped_column(String(16), default="check")
    options: Mapped[list[str]] = mapped_column(JSON, default=list)
    #: The version to return to if an upgrade is refused, and the version before the last upgrade; 0 for none.
    fallback: Mapped[int] = mapped_column(default=0)
    previous: Mapped[int] = mapped_column(default=0)
    #: The outcome of the last upgrade: empty, migrating, done, refused, rolling-back, rolled-back, rewound.
    outcome: Mapped[str] = mapped_column(String(16), default="")
    #: The active generation before the last upgrade; 0 for none. A different active generation means moved state.
    generation: Mapped[int] = mapped_column(default=0)
    #: The time of the last upgrade, from which the retention of the previous state counts.
    upgraded_at: Mapped[datetime | None] = mapped_column(Moment)
    #: The number of consecutive crashes, the time of the next start, and the last run whose end was handled.
    crashes: Mapped[int] = mapped_column(default=0)
    next_at: Mapped[datetime | None] = mapped_column(Moment)
    seen: Mapped[int] = mapped_column(default=0)


class PlanTables(Base):
    """The tables that a plan reads and writes, derived from its text; a cache."""

    __tablename__ = "plan_tables"

    #: SHA-256 of the plan's text; no foreign key, since plans may be removed.
    plan_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    tables: Mapped[dict[str, object]] = mapped_column(JSON)


class Alert(Base):
    """An alert: a rule whose condition holds for a pipeline, or held."""

    __tablename__ = "alerts"
    __table_args__ = (Index("alerts_by_resolution", "resolved_at"), Index("alerts_by_pending", "pending"))

    id: Mapped[int] = mapped_column(primary_key=True)
    pipeline_id: Mapped[int] = mapped_column(ForeignKey("pipelines.id", ondelete="CASCADE"))
    rule: Mapped[str] = mapped_column(String(64))
    condition: Mapped[str] = mapped_column(String(16))
    message: Mapped[str] = mapped_column(Text)
    value: Mapped[float]
    since: Mapped[datetime] = mapped_column(Moment)
    resolved_at: Mapped[datetime | None] = mapped_column(Moment)
    #: Names of the webhooks that have received its message, and that of its resolution.
    sent: Mapped[list[str]] = mapped_column(JSON, default=list)
    resolution_sent: Mapped[list[str]] = mapped_column(JSON, default=list)
    #: True until all webhooks have received the messages so far.
    pending: Mapped[bool] = mapped_column(Boolean, default=True)


class AlertRule(Base):
    """A rule of alerts that was set through the API."""

    __tablename__ = "alert_rules"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    #: The fields of `Rule`.
    rule: Mapped[dict[str, object]] = mapped_column(JSON)
    changed_at: Mapped[datetime] = mapped_column(Moment)
    changed_by: Mapped[str] = mapped_column(String(128))


class Secret(Base):
    """A secret to which programs refer."""

    __tablename__ = "secrets"

    name: Mapped[str] = mapped_column(String(128), primary_key=True)
    #: Encrypted by `store.secrets.Vault`.
    value: Mapped[bytes] = mapped_column(LargeBinary)
    #: Names of the pipelines that may use it; `*` for all.
    pipelines: Mapped[list[str]] = mapped_column(JSON)
    previews: Mapped[bool] = mapped_column(Boolean)
    changed_at: Mapped[datetime] = mapped_column(Moment)
    changed_by: Mapped[str] = mapped_column(String(128))
