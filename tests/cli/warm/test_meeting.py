"""Where a command and the process that kept Spark meet."""

from __future__ import annotations

import os
import socket
import tempfile
from pathlib import Path

import pytest

from compiled_plan.cli.warm import meeting
from compiled_plan.plans.errors import ExecutionError


def test_the_folder_is_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        monkeypatch.setenv("XDG_RUNTIME_DIR", short)
        found = meeting.folder()
        assert (found, found.stat().st_mode & 0o777) == (Path(short, "compiled-plan"), 0o700)
        found.chmod(0o755)
        with pytest.raises(ExecutionError, match="is not a private folder of this user"):
            meeting.folder()


@pytest.mark.parametrize("base", ["/tmp/" + "x" * 120, "relative", ""])
def test_a_folder_that_is_no_place_for_a_socket_is_left_out(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        monkeypatch.setenv("XDG_RUNTIME_DIR", base)
        monkeypatch.setattr(tempfile, "tempdir", short)
        found = meeting.folder()
        assert found == Path(short, f"compiled-plan-{os.getuid()}")
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(found / meeting.SOCKET))


def test_a_folder_that_cannot_be_made_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/proc/nonsense")
    with pytest.raises(ExecutionError, match="cannot create /proc/nonsense/compiled-plan"):
        meeting.folder()
