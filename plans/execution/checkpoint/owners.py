"""Processes that hold a checkpoint, as locks and leases name them."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from compiled_plan.plans.errors import BusyError
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.inspection.checkpoints import json_in


def this_process() -> dict[str, Any]:
    """The description of this process that its locks carry."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return {"host": socket.gethostname(), "process": os.getpid(), "since": now}


def owner_in(folder: Folder, name: str) -> dict[str, Any]:
    """The owner that a file names; empty if the file is missing or damaged."""
    with suppress(UnicodeDecodeError):
        return json_in(folder.read_text(name), dict) or {}
    return {}


def busy(folder: Folder, owner: dict[str, Any], more: str = "") -> BusyError:
    """The error of a start on a checkpoint that another process holds."""
    process = f"process {owner.get('process', '?')} on {owner.get('host', '?')}"
    return BusyError(
        f"{process} runs a plan on this checkpoint since {owner.get('since', '?')}{more}",
        where=folder.shown,
        remedy="stop that run first, or name another folder with --checkpoint",
    )
