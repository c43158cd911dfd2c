"""The programs of `samples/nexmark`, with their files in a folder of the caller's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import typer

from tests.bench.harness import ROOT

FOLDER = ROOT / "samples" / "nexmark"
#: The published queries without q6, whose SQL Flink cannot plan.
QUERIES = tuple(f"q{number}" for number in range(23) if number != 6)

_SINK = re.compile(r"(CREATE TABLE q\d+ .*?\n\))[^;]*;", re.DOTALL)


def chosen(queries: Sequence[str] | None) -> Sequence[str]:
    """Queries by the names on a command line; all if there are none.

    typer.BadParameter: there is no query of such a name.
        typer.BadParameter: there is none of such a name.
    """
    for query in queries or ():
        if query not in QUERIES:
            raise typer.BadParameter(f"no query {query!r}; there are: {', '.join(QUERIES)}")
    return queries or QUERIES


def program(query: str, data: Path, out: Path | None = None) -> str:
    """A whole program: the tables, then the query.

    Args:
        query: its name, `q0` to `q22`.
        data: the folder of the generated events.
        out: the parent folder of the sink's folder; None: a sink that drops its rows.
    """
    text = (FOLDER / "tables.sql").read_text() + "\n" + (FOLDER / f"{query}.sql").read_text()
    text = text.replace("'data/nexmark/", f"'{data.resolve()}/")
    if out is None:
        return _SINK.sub(r"\1 WITH ('connector' = 'blackhole');", text)
    return text.replace("'out/nexmark/", f"'{out.resolve()}/")


def statements(text: str) -> list[str]:
    """The statements of a program in which no literal has a semicolon at a line's end."""
    lines = [line for line in text.splitlines() if not line.startswith("--")]
    return [statement.strip() for statement in ("\n".join(lines) + "\n").split(";\n") if statement.strip()]
