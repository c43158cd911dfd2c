"""State of a real Flink that expires here: to the millisecond, an hour after its last write in Flink."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shutil import rmtree

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.embedded import session
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.state.flink.savepoint.reading import read_savepoint
from compiled_plan.plans.execution.testing.on_spark import SteppedClock
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.running.plans import PlanReference
from tests.flink_programs.verdicts import Outcome, Verdict
from tests.savepoints.flink import FIRST, Job, Stopped, make_savepoints
from tests.upgrades.bench import sums_of
from tests.upgrades.programs import write

#: In ms.
_TTL = 3_600_000


def expiries(jobs: Sequence[Job], root: Path) -> list[Verdict]:
    """Stop jobs in Flink, and continue each with clocks that stand still around the times at which its keys expire.

    Args:
        jobs: each sums `price` by `shop`, and counts.
        root: a folder, which is emptied.
    """
    rmtree(root, ignore_errors=True)
    stopped = make_savepoints(jobs, root)
    verdicts = []
    for job in jobs:
        differences = list(_differences(job, stopped[job.name]))
        outcome = Outcome.DIFFERENT if differences else Outcome.EQUAL
        verdicts.append(Verdict(job.name, outcome, "\n".join(differences)))
    return verdicts


def _differences(job: Job, stopped: Stopped) -> Iterator[str]:
    if stopped.fault:
        yield f"in Flink: {stopped.fault}"
        return
    written = _written(stopped)
    for path in (stopped.folder / "sales").iterdir():
        path.unlink()
    write(stopped.folder, 1, {"sales": job.parts[1]["sales"]})
    moments = sorted({time + _TTL + step for time in written.values() for step in (-1, 0)})
    for moment in moments:
        alive = {shop for shop, time in written.items() if moment < time + _TTL}
        actual, expected = _continued(stopped, moment), _expected(job, alive)
        if actual != expected:
            yield f"{sorted(alive)} of {sorted(written)} live at {moment}: {actual}, not {expected}"


def _written(stopped: Stopped) -> Mapping[str, int]:
    """The times of last write in the savepoint, by key."""
    form = stopped.folder / "form"
    head = read_savepoint(stopped.savepoint, form)
    files = [form / file for operator in head.operators for file in operator.files]
    entries = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return {entry["key"][0]: entry["written"] for entry in entries}


def _continued(stopped: Stopped, moment: int) -> Counter[object]:
    """The rows of the sink after a run with a clock that stands still."""
    checkpoint = stopped.folder / f"checkpoint-{moment}"
    rmtree(stopped.folder / "wide", ignore_errors=True)
    plan = TableEnvironment().load_plan(PlanReference.from_file(stopped.plan))
    plan.import_state(stopped.savepoint, checkpoint, start={"sales": "earliest"})
    spark = session(debug=False)
    options = RunOptions(checkpoint=str(checkpoint), available_now=True)
    Run(spark, CompiledPlan.read_file(stopped.plan), options, clock=SteppedClock(spark, moment)).execute()
    rows: Counter[object] = Counter()
    for folder in (stopped.folder / FIRST / "wide", stopped.folder / "wide"):
        rows.update(dict(sums_of(folder)))
    return Counter({row: count for row, count in rows.items() if count})


def _expected(job: Job, alive: set[str]) -> Counter[object]:
    """The rows of the sink if only some keys have state; a key without state begins anew."""
    rows: Counter[object] = Counter()
    first, second = (part["sales"] for part in job.parts)
    for shop in {row["shop"] for row in (*first, *second)}:
        before, after = ([row["price"] for row in part if row["shop"] == shop] for part in (first, second))
        for prices in ([*before, *after],) if shop in alive else (before, after):
            if prices:
                rows[shop, sum(prices), len(prices)] += 1
    return rows
