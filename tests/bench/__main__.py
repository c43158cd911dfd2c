"""`python -m tests.bench`: measure, and print a table of figures and goals."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from tests.bench.base import Line, Setting, measurements
from tests.bench.data import FORMATS
from tests.bench.harness import BenchError

app = typer.Typer(add_completion=False)


@app.command()
def bench(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Measurements; all if left out.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Smaller data, one run each: minutes instead of an hour.")
    ] = False,
    format: Annotated[str, typer.Option(help=f"Format of the input: {', '.join(FORMATS)}.")] = FORMATS[0],
    runs: Annotated[int | None, typer.Option(metavar="N", help="Runs of each pair; 3, with --quick 1.")] = None,
    seconds: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Seconds that count of each run of 'latency'; 30.")
    ] = None,
) -> None:
    """Measure speed and memory, as ratios from one run, on 2 cores with RocksDB state."""
    known = measurements()
    for name in names or ():
        if name not in known:
            raise typer.BadParameter(f"no measurement {name!r}; there are: {', '.join(known)}")
    if format not in FORMATS:
        raise typer.BadParameter(f"no format {format!r}; there are: {', '.join(FORMATS)}")
    console = Console(stderr=True)
    table = Table("measurement", "figure", "goal", "met")
    failed = False
    for name in names or known:
        console.print(f"{name}: {(known[name].__doc__ or '').strip().splitlines()[0]}")
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix=f"bench-{name}-") as folder:
            setting = Setting(Path(folder), quick, format, runs or (1 if quick else 3), seconds)
            try:
                for line in known[name](setting):
                    console.print(f"  {line.what}: {line.figure}", highlight=False)
                    table.add_row(*_cells(line))
            except BenchError as fault:
                failed = True
                console.print(f"  failed: {fault}", markup=False, highlight=False)
                table.add_row(name, "failed", "", "no")
        console.print(f"  ({time.monotonic() - started:.0f} s)", highlight=False)
        table.add_section()
    Console().print(table)
    raise typer.Exit(1 if failed else 0)


def _cells(line: Line) -> tuple[str, str, str, str]:
    return line.what, line.figure, line.goal, "" if line.met is None else "yes" if line.met else "no"


if __name__ == "__main__":
    app()
