"""The folder of a service, closed to other users: programs, plans, logs and checkpoints have secrets."""

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
    """Make the folder where it is not there, and close it to other users where it is open to them.

    Raises:
        ExecutionError: it cannot be made, or closed.
    """
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        mode = stat.S_IMODE(home.stat().st_mode)
        if mode & _OTHERS:
            home.chmod(mode & ~_OTHERS)
            typer.echo(f"plan-service: {home.resolve()} was open to other users, and no longer is", err=True)
    except OSError as fault:
        raise ExecutionError(
            f"the folder cannot be made, or closed to other users: {reason(fault)}",
            where=quoted(home.absolute()),
            remedy="name a folder of the service's own user with --home",
        ) from None


def close_new_files() -> int:
    """Close new files of this process to other users; returns the mask of before, for what runs write."""
    return os.umask(_OTHERS)
