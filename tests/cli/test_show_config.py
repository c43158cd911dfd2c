"""`compiled-plan config`: the config file in force."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commands import called


def test_the_file_in_force(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "no compiled-plan.toml in" in called("show_config").stderr
    (file := tmp_path / "compiled-plan.toml").write_text("[conf]\nspark.password = 'x'\n")
    shown = called("show_config")
    assert (shown.stdout, shown.stderr) == ("conf.spark.password = ******  (line 2)\n", f"{file}\n")
    file.write_text("mistery = 1")
    wrong = called("show_config", file)
    assert wrong.returncode == 1 and "unknown key 'mistery'" in wrong.stderr
