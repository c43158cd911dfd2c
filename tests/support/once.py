"""What takes long and is asked for by many tests: made once, also where several processes share the tests."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable
from typing import Any

import pytest


def once(folders: pytest.TempPathFactory, name: str, make: Callable[[], Any]) -> Any:
    """The result of `make`, as JSON gives it back; the first process makes it, others wait for it.

    Args:
        folders: those of the run.
        name: of the result.
        make: gives something that JSON can hold.
    """
    base = folders.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "once"
    folder.mkdir(exist_ok=True)
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        file = folder / f"{name}.json"
        if not file.exists():
            file.write_text(json.dumps(make()))
        return json.loads(file.read_text())
