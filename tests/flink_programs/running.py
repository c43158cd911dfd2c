"""Plans on the product: compiled, checked, run, and the rows of their sinks."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.running.plans import PlanReference
from tests.flink_programs.conversion import DATA, OUT, Case
from tests.support.commands import ROOT, Said, called

#: Number of plans per Spark session.
BATCH = 60


@dataclass
class Attempt:
    """A plan in a folder of its own, and the report of each command on it.

    Args:
        name: `own/`, `flink/` or `restore/`, and the program's name.
        folder: holds the plan, and in `out` the rows of its sinks.
        case: the program; None for a plan without one.
        data: the folder of the program's data.
        refusals: messages of refusals, by command.
        failure: the message of a failed run.
        settings: session options that the plan leaves open, as `KEY=VALUE`.
        functions: the classes of its Java functions, by name.
        jars: the jars of these classes.
        file: the name of the plan's file.
    """

    name: str
    folder: Path
    case: Case | None
    data: Path
    refusals: dict[str, str] = field(default_factory=dict)
    failure: str = ""
    rows: Mapping[str, Sequence[str]] = field(default_factory=dict)
    settings: tuple[str, ...] = ()
    functions: Mapping[str, str] = field(default_factory=dict)
    jars: Sequence[Path] = ()
    file: str = "plan.json"

    @property
    def plan(self) -> Path:
        """The plan's file."""
        return self.folder / self.file

    @property
    def out(self) -> Path:
        """The folder of the sinks' rows."""
        return self.folder / "out"

    def located(self, text: str) -> str:
        """A text with the folders filled in."""
        return text.replace(DATA, str(self.data)).replace(OUT, str(self.out))

    def clear(self) -> None:
        """Recreate the folder, with empty database tables."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.out.mkdir(parents=True)
        for name, database in self.case.sink_databases.items() if self.case else ():
            write_database(self.out / f"{name}.db", database.statements())

    def compile(self, text: str) -> None:
        """Compile the program."""
        program = self.folder / "program.sql"
        program.write_text(self.located(text))
        self._note("compile-plan", called("compile_plan", program, "-o", self.plan, "--quiet"))

    def check(self) -> None:
        """Check the plan, and plan its run."""
        self._note("edit-plan --check", called("edit_plan", self.plan, "--check"))
        self.plan_run()

    def plan_run(self) -> None:
        """Plan its run."""
        self._note("execute-plan --dry-run", called("execute_plan", "--dry-run", *_options([self]), self.plan))

    def import_state(self, savepoint: Path, checkpoint: Path, *, sources_begin: bool = True) -> None:
        """Import a savepoint of Flink into a checkpoint; all sources begin, or have their positions."""
        jars = [str(jar) for jar in self.jars] if self.functions else []
        functions = [f"{name}={class_}" for name, class_ in self.functions.items()]
        start = dict.fromkeys(sources(self.plan), "earliest") if sources_begin else {}
        try:
            plan = TableEnvironment().load_plan(PlanReference.from_file(self.plan))
            plan.import_state(
                savepoint, checkpoint, start=start, jars=jars, functions_from=jars, java_function=functions
            )
        except CompiledPlanError as fault:
            self.refusals["import-state"] = fault.render()
        except Exception:
            self.refusals["import-state"] = traceback.format_exc()

    def _note(self, command: str, said: Said) -> None:
        if said.returncode:
            self.refusals[command] = (said.stderr + said.stdout).strip() or f"ended with {said.returncode}"

    @property
    def runs(self) -> bool:
        """Return True if nothing has refused it before a run."""
        return self.plan.exists() and not {"execute-plan --dry-run", "import-state"} & self.refusals.keys()

    def sinks(self) -> dict[str, dict[str, Any]]:
        """Folders of the sinks' rows, for `Rows`."""
        if self.case is None:
            return {}
        for name in self.case.sink_databases:
            export(self.out / f"{name}.db", name, self.out / name / "rows.json")
        return {
            f"{self.name} {sink.name}": {"folder": str(self.out / sink.name), "schema": sink.schema}
            for sink in self.case.sinks
        }


def run_all(
    attempts: Sequence[Attempt], folder: Path, progress: Callable[[str], None], options: Sequence[str] = ()
) -> None:
    """Run plans, some in each session; an attempt records its failure.

    Args:
        options: more options of `execute-plan`.
    """
    parts = list(batches([attempt for attempt in attempts if attempt.runs]))
    done = 0
    for part in parts:
        messages = folder / "progress.jsonl"
        messages.unlink(missing_ok=True)
        line = [
            sys.executable,
            "-m",
            "compiled_plan.cli.execute_plan",
            "--keep-going",
            "--quiet",
            *_options(part),
            *options,
        ]
        command = [*line, "--progress-file", str(messages), *(str(attempt.plan) for attempt in part)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        ended = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, check=False)
        failed = {message["plan"]: message for message in _messages(messages) if message["event"] == "failed"}
        started = {message["plan"] for message in _messages(messages) if message["event"] == "start"}
        for attempt in part:
            message = failed.get(str(attempt.plan))
            if message is not None and message["refused"]:
                attempt.refusals["execute-plan"] = message["message"]
            elif message is not None:
                attempt.failure = message["message"]
            elif str(attempt.plan) not in started:
                attempt.failure = f"not run\n{ended.stderr[-2000:]}"
        done += len(part)
        progress(f"ran {done} of {sum(map(len, parts))} plans")


def batches(attempts: Iterable[Attempt]) -> Iterator[list[Attempt]]:
    """Attempts with the same settings, and with one class for each function name."""
    open_ones: list[tuple[list[Attempt], dict[str, str]]] = []
    for attempt in attempts:
        for batch, functions in open_ones:
            fits = all(functions.get(name, class_) == class_ for name, class_ in attempt.functions.items())
            if len(batch) < BATCH and batch[0].settings == attempt.settings and fits:
                batch.append(attempt)
                functions.update(attempt.functions)
                break
        else:
            open_ones.append(([attempt], dict(attempt.functions)))
    yield from (batch for batch, _ in open_ones)


def _options(batch: Sequence[Attempt]) -> Iterator[str]:
    """The options of a run of these attempts."""
    for setting in batch[0].settings:
        yield from ("--set", setting)
    functions = {name: class_ for attempt in batch for name, class_ in attempt.functions.items()}
    for name, class_ in functions.items():
        yield from ("--java-function", f"{name}={class_}")
    for jar in dict.fromkeys(jar for attempt in batch for jar in attempt.jars):
        yield from ("--functions-from", str(jar))


def _messages(file: Path) -> Iterator[dict[str, Any]]:
    if file.exists():
        yield from map(json.loads, file.read_text().splitlines())


def sources(plan: Path) -> list[str]:
    """The tables that a plan reads."""
    nodes = json.loads(plan.read_text())["nodes"]
    tables = [node["scanTableSource"]["table"]["identifier"] for node in nodes if "scanTableSource" in node]
    return [identifier.rpartition(".")[2].strip("`") for identifier in dict.fromkeys(tables)]


def write_database(file: Path, statements: Iterator[tuple[str, tuple[Any, ...]]]) -> None:
    """Recreate a file of SQLite."""
    file.unlink(missing_ok=True)
    with closing(sqlite3.connect(file)) as database, database:
        for statement, parameters in statements:
            database.execute(statement, parameters)


def export(file: Path, table: str, target: Path) -> None:
    """Write a table's rows as lines of JSON."""
    with closing(sqlite3.connect(file)) as database:
        database.row_factory = sqlite3.Row
        rows = [dict(row) for row in database.execute(f'SELECT * FROM "{table}"')]
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("".join(json.dumps(row) + "\n" for row in rows))
