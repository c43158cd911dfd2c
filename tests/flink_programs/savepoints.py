"""Savepoints of Flink's restore tests: import them, and continue with the rows from after the restore."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from shutil import rmtree

from tests.flink_programs.conversion import Case, converted
from tests.flink_programs.flink import Flink, Savepoint
from tests.flink_programs.restoring import filled
from tests.flink_programs.running import Attempt, run_all, write_database
from tests.flink_programs.verdicts import Outcome, Verdict, continuation


def verdicts(
    flink: Flink, patterns: Sequence[str], progress: Callable[[str], None], *, empty: bool = False
) -> list[Verdict]:
    """Continue the plans of the restore tests, each from its savepoint.

    Args:
        flink: with the work folder.
        patterns: of `NODE/PROGRAM`.
        progress: takes lines.
        empty: start from empty checkpoints instead.
    """
    folder = flink.folder / "savepoints"
    rmtree(folder, ignore_errors=True)
    cases = {name: converted(program, restored=True) for name, program in flink.restored_programs().items()}
    attempts = []
    for savepoint in flink.savepoints():
        if any(fnmatchcase(savepoint.name, pattern) for pattern in patterns):
            attempt = _attempt(savepoint, cases.get(savepoint.program), folder)
            attempt.jars = flink.function_jars
            attempts.append(attempt)
    progress(f"{len(attempts)} savepoints")
    checkpoints = folder / "checkpoints"
    for attempt in attempts:
        attempt.plan_run()
        if attempt.runs and not empty:
            attempt.import_state(attempt.folder / "savepoint", checkpoints / attempt.plan.stem)
    run_all(attempts, flink.folder, progress, ("--checkpoint", f"{checkpoints}/{{plan}}"))
    rows = flink.rows({key: where for attempt in attempts for key, where in attempt.sinks().items()})
    for attempt in attempts:
        if attempt.case is not None:
            attempt.rows = {sink.name: rows[f"{attempt.name} {sink.name}"] for sink in attempt.case.sinks}
    return [continuation(attempt) for attempt in attempts]


def _attempt(savepoint: Savepoint, case: Case | None, root: Path) -> Attempt:
    stem = savepoint.name.replace("/", ".")
    folder = root / stem
    attempt = Attempt(savepoint.name, folder, case, folder / "data", file=f"{stem}.json")
    attempt.clear()
    attempt.data.mkdir()
    (folder / "savepoint").mkdir()
    (folder / "savepoint" / "_metadata").write_bytes(savepoint.metadata)
    attempt.plan.write_text(attempt.located(filled(savepoint.plan, case.options if case else {})))
    if case is not None:
        attempt.functions = {function.name: function.class_ for function in case.functions}
        attempt.settings = case.left_open
        for name, content in case.files.items():
            (attempt.data / name).write_text(content)
        for name, database in case.databases.items():
            write_database(attempt.data / name, database.statements())
    return attempt


def table(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Outcomes by node, then the reasons of known deviations with their numbers."""
    columns = [outcome for outcome in Outcome if any(one.outcome is outcome for one in verdicts)]
    yield f"{'node':44}" + "".join(f"{outcome.value:>16}" for outcome in columns) + f"{'all':>6}"
    nodes = dict.fromkeys(one.name.partition("/")[0] for one in verdicts)
    for node in (*nodes, ""):
        counts = Counter(one.outcome for one in verdicts if node in (one.name.partition("/")[0], ""))
        yield f"{node or 'all':44}" + "".join(f"{counts[outcome]:>16}" for outcome in columns) + f"{counts.total():>6}"
    for reason, count in Counter(one.reason for one in verdicts if one.reason).most_common():
        yield f"{count:>4}  {reason}"
