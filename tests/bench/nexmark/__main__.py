"""`python -m tests.bench.nexmark`: measure both sides, and print the table of the README."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tests.bench.harness import BenchError
from tests.bench.nexmark.compare import EVENTS, QUICK_EVENTS, generate, markdown, rows
from tests.bench.nexmark.flink import flink_python
from tests.bench.nexmark.programs import chosen

app = typer.Typer(add_completion=False)


@app.command()
def nexmark(
    queries: Annotated[
        list[str] | None, typer.Argument(metavar="[QUERY]...", help="q0 to q22; all if left out.", callback=chosen)
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help=f"{QUICK_EVENTS:,} events, to see that it works.")] = False,
    events: Annotated[int, typer.Option(metavar="N", help="How many events.")] = EVENTS,
    runs: Annotated[int, typer.Option(metavar="N", help="Measured runs of each; the median counts.")] = 1,
) -> None:
    """Rows per second of the Nexmark queries, on Flink and here, with 2 cores and RocksDB state each.

    The table goes to stdout as Markdown, progress to stderr. Exit code 1 if a query failed.
    """
    console = Console(stderr=True, highlight=False, markup=False)
    try:
        flink_python()
    except BenchError as fault:
        console.print(f"error: {fault}")
        raise typer.Exit(1) from None
    measured = []
    with tempfile.TemporaryDirectory(prefix="bench-nexmark-") as name:
        data = generate(Path(name), QUICK_EVENTS if quick else events)
        for row in rows(queries or (), data, Path(name), runs):
            measured.append(row)
            ratio = "failed" if row.ratio is None else f"{row.ratio:.2f}"
            console.print(f"{row.query}: {ratio}" + (f"\n{row.fault}" if row.fault else ""))
    Console().print(markdown(measured), soft_wrap=True, markup=False, highlight=False)
    raise typer.Exit(1 if any(row.ratio is None for row in measured) else 0)


if __name__ == "__main__":
    app()
