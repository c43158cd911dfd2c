"""Import of savepoints of a real Flink: what follows must add up to the results of a run without a stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from shutil import rmtree

from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.plan import CompiledPlan
from tests.flink_programs.running import Attempt, run_all
from tests.flink_programs.verdicts import Outcome, Verdict, fault_of
from tests.savepoints.flink import FIRST, WHOLE, Job, Stopped, make_savepoints, tables_read
from tests.savepoints.programs import RANDOM
from tests.upgrades.bench import last_of, sums_of
from tests.upgrades.programs import write


def verdicts(jobs: Sequence[Job], root: Path, progress: Callable[[str], None]) -> list[Verdict]:
    """Stop jobs in Flink, import their savepoints, continue with the second part of the input, compare the results.

    Args:
        jobs: with different names.
        root: a folder, which is emptied.
        progress: takes lines.
    """
    rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    stopped = make_savepoints(jobs, root)
    progress(f"{sum(not one.fault for one in stopped.values())} of {len(stopped)} jobs stopped in Flink")
    attempts = {job.name: _imported(job, stopped[job.name], root / "checkpoints" / job.name) for job in jobs}
    run_all(list(attempts.values()), root, progress, ("--checkpoint", f"{root}/checkpoints/{{plan}}"))
    return [_verdict(stopped[name], attempt) for name, attempt in attempts.items()]


def _imported(job: Job, stopped: Stopped, checkpoint: Path) -> Attempt:
    attempt = Attempt(job.name, stopped.folder, None, stopped.folder, file=stopped.plan.name)
    if stopped.fault:
        attempt.failure = f"in Flink: {stopped.fault}"
        attempt.refusals["import-state"] = "no savepoint"
        return attempt
    tables = tables_read(CompiledPlan.read_file(stopped.plan))
    write(stopped.folder, 1, {name: job.parts[1].get(name, ()) for name in tables})
    attempt.import_state(stopped.savepoint, checkpoint, sources_begin=False)
    return attempt


def _verdict(stopped: Stopped, attempt: Attempt) -> Verdict:
    # A random program may be one that Flink does not run.
    if stopped.fault and attempt.name.startswith(RANDOM):
        return Verdict(attempt.name, Outcome.NOT_COMPARABLE, f"in Flink: {stopped.fault}")
    if (fault := fault_of(attempt)) is not None:
        return Verdict(attempt.name, *fault)
    lines = differences(stopped.plan, lambda name: _outputs(stopped.folder, name))
    return Verdict(attempt.name, Outcome.DIFFERENT if lines else Outcome.EQUAL, "\n".join(lines))


def differences(plan: Path, outputs: Callable[[str], tuple[list[Path], list[Path]]]) -> list[str]:
    """The differences between the contents of a plan's sinks.

    Args:
        outputs: by sink, the folders of both outputs, each in the order of time.
    """
    lines = []
    for name, keyed in _sinks(plan):
        actual, expected = (content_of(folders, keyed) for folders in outputs(name))
        rows = sorted({*actual, *expected}, key=str)
        lines += [
            f"{name} {row}: {actual.get(row)}, not {expected.get(row)}"
            for row in rows
            if actual.get(row) != expected.get(row)
        ]
    return lines


def _outputs(folder: Path, name: str) -> tuple[list[Path], list[Path]]:
    """Folders with the output of a sink: before and after the savepoint; without a stop."""
    return [folder / FIRST / name, folder / name], [folder / WHOLE / name]


def content_of(folders: Sequence[Path], keyed: bool) -> dict[object, object]:
    """The last row of each key, or the count of each row; nothing for those without one."""
    content: dict[object, object] = {}
    for folder in folders:
        if keyed:
            content |= last_of(folder)
            continue
        for row, count in sums_of(folder).items():
            content[row] = int(str(content.get(row, 0))) + count
    return {key: value for key, value in content.items() if value}


def _sinks(plan: Path) -> list[tuple[str, bool]]:
    """The sinks, and whether they have a primary key."""
    nodes = [node for node in CompiledPlan.read_file(plan).nodes if isinstance(node, Sink)]
    tables = [node.dynamic_table_sink.table for node in nodes]
    return [(table.name, bool(table.primary_key)) for table in tables]
