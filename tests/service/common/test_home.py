from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.service.common.home import prepare_home
from tests.support.service import served

pytestmark = pytest.mark.attack


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_an_open_home_is_made_private(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    home.chmod(0o755)
    prepare_home(home)
    assert mode(home) == 0o700
    assert f"{home} was open to other users" in capsys.readouterr().err
    prepare_home(home)
    assert capsys.readouterr().err == ""
    prepare_home(tmp_path / "a" / "new")
    assert mode(tmp_path / "a" / "new") == 0o700


def test_a_home_that_cannot_be_made_private_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def chmod(self: Path, mode: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    tmp_path.chmod(0o750)
    monkeypatch.setattr(Path, "chmod", chmod)
    with pytest.raises(ExecutionError, match="created or made private") as raised:
        prepare_home(tmp_path)
    assert "--home" in raised.value.remedy
    (tmp_path / "file").touch()
    with pytest.raises(ExecutionError):
        prepare_home(tmp_path / "file")


@pytest.mark.wide
def test_files_of_a_service_are_private_to_its_user(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with served(tmp_path / "home", "--no-tokens"):
            paths = list((tmp_path / "home").rglob("*"))
    finally:
        os.umask(before)
    assert paths
    assert [path for path in paths if mode(path) & 0o077] == []
