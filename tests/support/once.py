"""Expensive results that many tests share: computed once, even if several processes share the tests."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable
from typing import Any

import pytest


def once(folders: pytest.TempPathFactory, name: str, make: Callable[[], Any]) -> Any:
    """The result of `make` after a round trip through JSON; the first process computes it, the others wait.

    Args:
        folders: the temporary folders of the test run.
        name: identifies the result.
        make: returns a value that JSON can represent.
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
