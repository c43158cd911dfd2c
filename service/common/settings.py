"""The settings of a service: folders, limits, database, address; from a TOML file and options that override it."""

from __future__ import annotations

import ipaddress
import tomllib
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.files import quoted
from compiled_plan.plans.files.faults import reading
from compiled_plan.service.common.alert_rules import Alerts

#: The default home folder of a service.
HOME = Path("plan-service")


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Limits(_Part):
    """Limits on the cost of requests. Sizes are in bytes, times in seconds unless the name has another unit."""

    request_bytes: int = Field(default=4_000_000, gt=0, description="body of a request with a program or a plan")
    program_bytes: int = Field(default=1_000_000, gt=0, description="text of a program")
    compile_seconds: float = Field(default=30.0, gt=0, description="compilation of one program")
    compile_workers: int = Field(default=2, ge=1, le=64, description="concurrent compilations")
    view_workers: int = Field(default=2, ge=1, le=64, description="concurrent views and edits of plans")
    waiting: int = Field(default=10, ge=0, le=30, description="requests waiting for a worker; more are refused (503)")
    compile_memory: int = Field(default=2_000_000_000, gt=0, description="address space of a compiling process")
    test_seconds: float = Field(default=60.0, gt=0, description="tests of one program, in the editor")
    test_memory: int = Field(
        default=1_000_000_000, ge=600_000_000, description="heap of the process that runs tests, one program at a time"
    )
    requests_per_minute: int = Field(default=1_200, gt=0, description="per token; without tokens, per client")
    failed_logins_per_minute: int = Field(
        default=20, gt=0, description="wrong tokens per client; requests with a valid token are not affected"
    )
    connections: int = Field(
        default=1_000, gt=0, description="concurrent connections; at most half of the process's file descriptors"
    )
    connections_per_client: int = Field(
        default=200, gt=0, description="concurrent connections per client; a local proxy is exempt"
    )
    head_seconds: float = Field(default=10.0, gt=0, description="timeout for the headers of a request; idle timeout")
    body_seconds: float = Field(
        default=60.0, gt=0, description="timeout for the body of a request, and for the client to read the response"
    )
    session_hours: float = Field(default=12.0, gt=0, description="lifetime of a page session")


class Keep(_Part):
    """Retention of old data. Versions in force, running or scheduled are never removed."""

    runs: int = Field(default=20, ge=1, description="newest runs of a pipeline whose logs are retained")
    generation_days: float = Field(
        default=30.0,
        ge=0,
        description="retention of the state before an upgrade, for rollback; it is removed at the next stop or start; "
        "0 for ever",
    )
    versions: int = Field(default=0, ge=0, description="newest versions of a pipeline that are retained; 0 for all")


class Settings(_Part):
    """The settings of a service."""

    home: Path = Field(
        default=HOME, description="folder of the service: its database, run logs, running plans, checkpoints"
    )
    database: str = Field(default="", description="SQLAlchemy URL; SQLite in `home` if empty")
    host: str = Field(default="127.0.0.1", description="address to listen on")
    port: int = Field(default=8787, ge=0, le=65535, description="port to listen on; 0 for a free one")
    public_address: str = Field(
        default="",
        description="address that users open, if a proxy is in front: `https://plans.example.com`",
    )
    programs: tuple[Path, ...] = Field(
        default=(),
        description="folders of Python programs to compile, and of Python functions and jars with Java functions",
    )
    data: tuple[str, ...] = Field(
        default=(),
        description="folders, or their URIs, of file tables, in addition to `home/data`; never other folders of `home`",
    )
    secrets_key: Path | None = Field(
        default=None,
        description="file with the keys that encrypt secrets in the database, mode 0600: Fernet keys, one a line, of "
        "which the first one encrypts; by default `home/secrets.key`, which is created with the first secret",
    )
    tokens: bool = Field(default=True, description="require a token; without tokens, only local requests are served")
    limits: Limits = Limits()
    keep: Keep = Keep()
    alerts: Alerts = Alerts()

    @field_validator("programs", "data", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        return tuple(value) if isinstance(value, list) else value

    @property
    def database_url(self) -> str:
        """The URL of the database."""
        return self.database or f"sqlite:///{(self.home / 'service.db').resolve()}"

    @property
    def secrets_file(self) -> Path:
        """The file with the keys that encrypt secrets."""
        return self.secrets_key or self.home.resolve() / "secrets.key"

    @property
    def is_local(self) -> bool:
        """Return True if the service listens on a loopback address."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Return True if the address is a loopback address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def read_settings(file: str | None, options: Mapping[str, object]) -> Settings:
    """Read settings from a file, overridden by options of the command.

    Args:
        file: a TOML file; None for the defaults.
        options: fields of `Settings` by name.

    Raises:
        ProgramError: the file does not exist or is not TOML, or a setting is unknown or wrong.
    """
    try:
        with reading(file or "", "settings file", ProgramError):
            values = tomllib.loads(Path(file).read_text(encoding="utf-8")) if file else {}
    except tomllib.TOMLDecodeError as fault:
        raise ProgramError(
            f"the settings are not valid TOML: {fault}", where=quoted(file or ""), remedy="correct that line"
        ) from None
    try:
        return Settings.model_validate(values | dict(options))
    except ValidationError as fault:
        first = fault.errors()[0]
        name = ".".join(map(str, first["loc"]))
        known = ", ".join(Settings.model_fields)
        remedy = f"the settings are {known}" if first["type"] == "extra_forbidden" else "correct the setting"
        raise ProgramError(
            f"{name}: {first['msg']}", where=quoted(file) if file else "the options", remedy=remedy
        ) from None
