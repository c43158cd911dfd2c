"""Options of all commands: version, completion, defaults from a config file."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

import compiled_plan
from compiled_plan.commands.apps import app_for
from compiled_plan.commands.config import NAME
from compiled_plan.commands.trust import trust
from compiled_plan.plans.errors import ProgramError

app = app_for("execute-plan")


@app.command()
def call(
    plans: Annotated[list[str] | None, typer.Argument()] = None,
    master: Annotated[str, typer.Option(metavar="URL")] = "",
    conf: Annotated[list[str] | None, typer.Option(metavar="K=V")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", metavar="K=V")] = None,
    time_zone: Annotated[str | None, typer.Option(metavar="ZONE")] = None,
    as_json: Annotated[bool, typer.Option("--json")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q")] = False,
    limit: int | None = None,
) -> None:
    """Show its options."""
    if master == "none":
        raise typer.BadParameter("--master none: no such master")
    typer.echo([plans, master, conf, set_, time_zone, as_json, quiet, limit])


FILE = """
master = "local[2]"
conf = {spark.a = 1}
time-zone = "UTC"
[execute-plan]
set = {b = 2}
json = true
quiet = true
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    write(tmp_path / NAME, FILE)
    return tmp_path


def write(file: Path, text: str) -> None:
    file.write_text(text)
    trust(file, text)


def called(*arguments: str) -> Any:
    result = CliRunner().invoke(app, arguments)
    if isinstance(result.exception, ProgramError):
        raise result.exception
    return result


def test_defaults_of_the_file_and_options_that_win(here: Path) -> None:
    assert called().stdout == "[None, 'local[2]', ['spark.a=1'], ['b=2'], 'UTC', True, True, None]\n"
    said = called("p", "--master", "x", "--conf", "c=3", "--set", "d=4", "--time-zone", "CET")
    assert said.stdout == "[['p'], 'x', ['c=3'], ['d=4'], 'CET', True, True, None]\n"


def test_another_file_or_none(here: Path) -> None:
    (here / "other.toml").write_text("master = 'other'")
    assert called("--config", "other.toml").stdout.startswith("[None, 'other', None, None, None, False")
    assert called("--no-config").stdout.startswith("[None, '', None, None, None, False")
    assert "--config and --no-config exclude each other" in called("--config", "other.toml", "--no-config").stderr
    assert "--config and --no-config exclude each other" in called("--no-config", "--config", "other.toml").stderr
    with pytest.raises(ProgramError, match="no such config file"):
        called("--config", "none.toml")


def test_a_refused_value_of_the_file_is_named_with_its_line(here: Path) -> None:
    write(here / NAME, "\nmaster = 'none'\n")
    assert f"defaults of '{here / NAME}': --master (line 2)" in called().stderr
    assert "defaults of" not in called("--no-config", "--master", "none").stderr


def test_an_untrusted_file_stops_the_command(here: Path) -> None:
    (here / NAME).write_text("master = 'theirs'")
    with pytest.raises(ProgramError, match="is new or has changed"):
        called()
    assert called("--no-config").stdout.startswith("[None, ''")
    # To name a file is to agree to it.
    assert called("--config", NAME).stdout.startswith("[None, 'theirs'")


def test_invalid_files_do_not_stop_help_and_version(here: Path) -> None:
    (here / NAME).write_text("nonsense")
    assert called("--version").stdout == f"compiled-plan {version('compiled-plan')}\n"
    assert "--install-completion" in called("--help").stdout


def test_the_version_in_python() -> None:
    assert compiled_plan.__version__ == version("compiled-plan")
    with pytest.raises(AttributeError):
        compiled_plan.__nonsense__  # noqa: B018
