"""The meeting point of a command and a warm process."""

from __future__ import annotations

import os
import socket
import tempfile
from pathlib import Path

import pytest

from compiled_plan.cli.warm import meeting
from compiled_plan.plans.errors import ExecutionError


def test_the_folder_is_private_to_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        monkeypatch.setenv("XDG_RUNTIME_DIR", short)
        folder = meeting.folder()
        assert (folder, folder.stat().st_mode & 0o777) == (Path(short, "compiled-plan"), 0o700)
        folder.chmod(0o755)
        with pytest.raises(ExecutionError, match="is not a private folder of this user"):
            meeting.folder()


@pytest.mark.parametrize("base", ["/tmp/" + "x" * 120, "relative", ""])
def test_folders_that_cannot_hold_a_socket_are_skipped(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        monkeypatch.setenv("XDG_RUNTIME_DIR", base)
        monkeypatch.setattr(tempfile, "tempdir", short)
        folder = meeting.folder()
        assert folder == Path(short, f"compiled-plan-{os.getuid()}")
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(folder / meeting.SOCKET))


def test_a_folder_that_cannot_be_made_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/proc/nonsense")
    with pytest.raises(ExecutionError, match="cannot create /proc/nonsense/compiled-plan"):
        meeting.folder()
