"""What an operator decides of a service: folders, limits, database, address. A TOML file, and options over it."""

from __future__ import annotations

import ipaddress
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.files import quoted
from compiled_plan.plans.files.faults import reading

#: Where a service keeps what it has to keep, unless it is told.
HOME = Path("plan-service")


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Limits(_Part):
    """Bounds on what a request may cost. Sizes are in bytes, times in seconds."""

    request_bytes: int = Field(default=4_000_000, gt=0, description="body of a request with a program or a plan")
    program_bytes: int = Field(default=1_000_000, gt=0, description="text of a program")
    compile_seconds: float = Field(default=30.0, gt=0, description="compiling one program")
    compile_workers: int = Field(default=2, ge=1, le=64, description="programs that are compiled at once")
    view_workers: int = Field(default=2, ge=1, le=64, description="plans that are looked at or edited at once")
    waiting: int = Field(default=10, ge=0, le=30, description="requests that wait for a worker; more are told to wait")
    compile_memory: int = Field(default=2_000_000_000, gt=0, description="address space of a compiling process")
    requests_per_minute: int = Field(default=1_200, gt=0, description="of one token; without tokens, of one client")
    failed_logins_per_minute: int = Field(
        default=20, gt=0, description="wrong tokens of one client; a valid one is served all the same"
    )
    connections: int = Field(default=1_000, gt=0, description="at once; half of the descriptors of the process at most")
    connections_per_client: int = Field(default=200, gt=0, description="at once; not of a proxy at this machine")
    head_seconds: float = Field(default=10.0, gt=0, description="until the head of a request is there, or the next one")
    body_seconds: float = Field(default=60.0, gt=0, description="until its body is there, and until an answer is read")
    session_hours: float = Field(default=12.0, gt=0, description="a session of the page ends after it")


class Keep(_Part):
    """What stays of what is over. What is in force, runs, or waits to, always does."""

    runs: int = Field(default=20, ge=1, description="runs of a pipeline whose logs stay, the newest ones")
    generation_days: float = Field(
        default=30.0,
        ge=0,
        description="the state of before an upgrade stays so long, for the way back, and goes at the next stop or "
        "start; 0 keeps it",
    )
    versions: int = Field(default=0, ge=0, description="versions of a pipeline that stay, the newest ones; 0 keeps all")


class Settings(_Part):
    """A service's settings."""

    home: Path = Field(
        default=HOME, description="folder of the service: its database, logs of runs, plans that run, checkpoints"
    )
    database: str = Field(default="", description="SQLAlchemy URL; SQLite in `home` if empty")
    host: str = Field(default="127.0.0.1", description="address to listen on")
    port: int = Field(default=8787, ge=0, le=65535, description="port to listen on; 0 takes a free one")
    public_address: str = Field(
        default="",
        description="the address that people open, where a proxy stands in front: `https://plans.example.com`",
    )
    programs: tuple[Path, ...] = Field(
        default=(),
        description="folders that programs in Python may be compiled from, and functions in Python be imported from",
    )
    data: tuple[str, ...] = Field(
        default=(),
        description="folders, or URIs of them, that tables in files may be in, beside `home/data`; never others of "
        "`home`",
    )
    tokens: bool = Field(
        default=True, description="whether requests need a token; without, only this machine is served"
    )
    limits: Limits = Limits()
    keep: Keep = Keep()

    @field_validator("programs", "data", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value

    @property
    def database_url(self) -> str:
        """The URL of the database."""
        return self.database or f"sqlite:///{(self.home / 'service.db').resolve()}"

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the service."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether an address is this machine's own alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def read_settings(file: str | None, options: Mapping[str, Any]) -> Settings:
    """The settings of a file, with options of the command over them.

    Args:
        file: TOML; None for the defaults.
        options: fields of `Settings` that were given.

    Raises:
        ProgramError: no such file, no TOML, an unknown or a wrong setting.
    """
    try:
        with reading(file or "", "settings file", ProgramError):
            values = tomllib.loads(Path(file).read_text(encoding="utf-8")) if file else {}
    except tomllib.TOMLDecodeError as fault:
        raise ProgramError(
            f"the settings are no TOML: {fault}", where=quoted(file or ""), remedy="correct that line"
        ) from None
    try:
        return Settings.model_validate(values | dict(options))
    except ValidationError as fault:
        first = fault.errors()[0]
        name = ".".join(map(str, first["loc"]))
        known = ", ".join(Settings.model_fields)
        remedy = f"the settings are {known}" if first["type"] == "extra_forbidden" else "mend the setting"
        raise ProgramError(
            f"{name}: {first['msg']}", where=quoted(file) if file else "the options", remedy=remedy
        ) from None
