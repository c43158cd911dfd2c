from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from compiled_plan.cli.common.groups import with_groups

app = typer.Typer()


@dataclass(frozen=True, slots=True)
class Size:
    width: Annotated[int, typer.Option(help="Its width.")] = 1
    height: Annotated[int, typer.Option("--height", "-h", help="Its height.")] = 2


@app.command()
@with_groups
def draw(name: str, *, size: Size, loud: bool = False) -> None:
    print(name, size, loud)


def run(*arguments: str) -> str:
    return CliRunner().invoke(app, arguments).output


def test_fields_of_a_group_are_options_of_the_command() -> None:
    assert run("box", "-h", "7", "--loud") == "box Size(width=1, height=7) True\n"


def test_options_are_in_the_order_of_the_parameters() -> None:
    places = [run("--help").index(option) for option in ("--width", "--height", "--loud")]
    assert places == sorted(places)
