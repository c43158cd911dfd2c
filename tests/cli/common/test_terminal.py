from __future__ import annotations

from pathlib import Path

import pytest
import typer

from compiled_plan.cli.common.terminal import SparkOptions, session_settings
from compiled_plan.plans.errors import ProgramError


def test_options_override_the_settings_file(tmp_path: Path) -> None:
    file = tmp_path / "spark.conf"
    file.write_text("# of this machine\nspark.a=1\nspark.b two words\nspark.c : 3\n")
    settings = SparkOptions(conf=["spark.a=x=y"], conf_file=str(file)).settings()
    assert settings == {"spark.a": "x=y", "spark.b": "two words", "spark.c": "3"}
    assert SparkOptions(conf=[], conf_file="").settings() == {}


def test_an_invalid_settings_file(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match="settings file"):
        SparkOptions(conf=[], conf_file=str(tmp_path / "none")).settings()
    (tmp_path / "odd").write_text("=x")
    with pytest.raises(ProgramError, match="no setting") as raised:
        SparkOptions(conf=[], conf_file=str(tmp_path / "odd")).settings()
    assert raised.value.where.endswith("line 1")
    with pytest.raises(typer.BadParameter, match="write NAME=VALUE"):
        SparkOptions(conf=["spark.a"], conf_file="").settings()


def test_settings_of_a_session() -> None:
    assert session_settings(["a = b=c ", "d="]) == {"a": "b=c", "d": ""}
    for pair in ("a", "=b"):
        with pytest.raises(typer.BadParameter, match=f"--set {pair}: write NAME=VALUE"):
            session_settings([pair])
