"""`python -m tests.savepoints`: stop jobs in a real Flink, and continue them here."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tests.flink_programs.verdicts import Outcome
from tests.savepoints.back import back_jobs, verdicts_back
from tests.savepoints.expiry import expiries
from tests.savepoints.million import figures
from tests.savepoints.programs import expiring_jobs, fixed_jobs, random_job
from tests.savepoints.trial import verdicts
from tests.support.commands import ROOT

app = typer.Typer(add_completion=False)
_ERR = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)


@app.command()
def savepoints(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Jobs, patterns too; all if left out.")
    ] = None,
    seeds: Annotated[int, typer.Option(metavar="N", help="Number of random programs.")] = 20,
    first: Annotated[int, typer.Option(metavar="SEED", help="Seed of the first random program.")] = 1,
    million: Annotated[bool, typer.Option("--million", help="Measure the import of 1,000,000 keys instead.")] = False,
    back: Annotated[
        bool, typer.Option("--back", help="Run the first part here, export it, and continue it in Flink.")
    ] = False,
    work: Annotated[Path, typer.Option(metavar="DIR", help="Work folder, which is emptied.")] = ROOT
    / "build"
    / "savepoints",
) -> None:
    """Stop jobs in Flink with savepoints, import these, and compare what follows with Flink's results without a stop.

    Outcomes that are not equal go to stdout, then the numbers of all outcomes. Exit code 1 if a job is not equal.
    """
    if million:
        for measured in figures(work.resolve() / "million"):
            print(measured, flush=True)
        return
    jobs = [*back_jobs()] if back else [*fixed_jobs(), *map(random_job, range(first, first + seeds))]
    chosen, expiring = (
        [job for job in group if any(fnmatchcase(job.name, pattern) for pattern in names or ["*"])]
        for group in (jobs, [] if back else expiring_jobs())
    )
    judged = (verdicts_back if back else verdicts)(chosen, work.resolve(), _ERR.print) if chosen else []
    judged += expiries(expiring, work.resolve() / "expiry") if expiring else []
    for one in judged:
        if one.outcome is not Outcome.EQUAL:
            print(f"{one.name}: {one.outcome.value}\n  {one.facts[:1000]}".replace("\n", "\n  "))
    for outcome in dict.fromkeys(one.outcome for one in judged):
        print(f"{sum(one.outcome is outcome for one in judged):>4}  {outcome.value}")
    raise typer.Exit(1 if any(one.outcome.deviates for one in judged) else 0)


if __name__ == "__main__":
    app()
