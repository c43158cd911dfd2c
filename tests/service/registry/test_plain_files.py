from __future__ import annotations

import os
from pathlib import Path

import pytest

from compiled_plan.plans.errors import ProgramError
from compiled_plan.service.registry.plain_files import read_file, write_file

pytestmark = pytest.mark.attack


def test_refusals_name_the_obstacle(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    (tmp_path / "folder").mkdir()
    for name, reason in (
        ("pipe", "not a regular file"),
        ("link", "is a symbolic link"),
        ("folder", "it is a folder"),
    ):
        with pytest.raises(ProgramError, match=reason):
            read_file(tmp_path, name)
        with pytest.raises(ProgramError, match=reason):
            write_file(tmp_path, name, "text", secret=False)
    assert not (tmp_path / "nowhere").exists()
    with pytest.raises(ProgramError, match="no such file"):
        read_file(tmp_path / "none", "any")
