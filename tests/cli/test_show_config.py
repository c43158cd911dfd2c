"""`compiled-plan config`: the config file in force."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commands import called


def test_the_file_in_force(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    assert "no compiled-plan.toml in" in called("show_config").stderr
    (file := tmp_path / "compiled-plan.toml").write_text("[conf]\nspark.password = 'x'\n")
    line = "conf.spark.password = ******  (line 2)\n"
    untrusted = f"{file}: not trusted; --trust agrees to this content\n"
    for option, state in (("", untrusted), ("--trust", f"{file}: trusted\n"), ("", f"{file}: trusted\n")):
        shown = called("show_config", *option.split())
        assert (shown.stdout, shown.stderr) == (line, state)
    for text, message in (
        ("[diff-plan]\nal = true\n", "diff-plan has no option 'al'"),
        ("[conf]\nspark.a = []\n", "wrong type of spark.a"),
        ("mistery = 1", "unknown key 'mistery'"),
    ):
        file.write_text(text)
        wrong = called("show_config", file, "--trust")
        assert wrong.returncode == 1 and message in wrong.stderr
    assert "unknown key" in called("edit_plan", "plan.json").stderr
