"""The home folder of a service, private since programs, plans, logs and checkpoints contain secrets."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import typer

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.files import quoted
from compiled_plan.plans.files.faults import reason

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def prepare_home(home: Path) -> None:
    """Create the folder if it does not exist, and remove the access of other users.

    Raises:
        ExecutionError: the folder cannot be created or made private.
    """
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        mode = stat.S_IMODE(home.stat().st_mode)
        if mode & _OTHERS:
            home.chmod(mode & ~_OTHERS)
            typer.echo(f"plan-service: {home.resolve()} was open to other users; it is private now", err=True)
    except OSError as fault:
        raise ExecutionError(
            f"the folder cannot be created or made private: {reason(fault)}",
            where=quoted(home.absolute()),
            remedy="choose a folder of the service's own user with --home",
        ) from None


def close_new_files() -> int:
    """Make new files of this process private, and return the previous umask for the files of runs."""
    return os.umask(_OTHERS)
