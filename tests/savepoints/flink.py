"""Savepoints of programs in a real Flink."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.session_options import UTC, ZONE, with_zone
from tests.bench.latency.engines import FLINK_KAFKA
from tests.bench.nexmark.flink import flink_python
from tests.upgrades.programs import in_files, write
from tools.maven import fetched

#: Rows of tables by name: of the format json, or events of debezium-json.
Tables = Mapping[str, Sequence[Mapping[str, Any]]]
#: Folders below that of a job: the output of Flink until the savepoint, and tables and output of a run without a stop.
FIRST, WHOLE = "first", "whole"
_SETTING = re.compile("SET '([^']+)' = '([^']*)';")


@dataclass(frozen=True)
class Job:
    """A program that is stopped after the first part of its input.

    Args:
        name: of its folder.
        program: statements over tables of files in `{folder}`, each in the folder of its name.
        parts: rows before and after the savepoint.
        options: Flink's, beside those that the program sets.
        form: CANONICAL, NATIVE, or CHECKPOINT for a retained incremental one.
    """

    name: str
    program: str
    parts: tuple[Tables, Tables]
    options: Mapping[str, str] = field(default_factory=dict)
    form: str = "CANONICAL"

    def plan(self, folder: Path) -> CompiledPlan:
        """The compiled plan, with its time zone."""
        text = self.program.replace("{folder}", str(folder))
        plan = in_files(TableEnvironment().compile_script(text), folder)
        return with_zone(plan, self.options.get(ZONE), otherwise=UTC)


@dataclass(frozen=True)
class Stopped:
    """A stopped job.

    Args:
        folder: has the tables.
        plan: the file of its plan.
        savepoint: the folder of the savepoint.
        fault: the reason why Flink did not run the job; empty if it did.
    """

    folder: Path
    plan: Path
    savepoint: Path
    fault: str = ""


def make_savepoints(jobs: Iterable[Job], root: Path) -> dict[str, Stopped]:
    """Run jobs in Flink, each to its savepoint and once without a stop.

    The folder of a job then has its plan, the first part of its tables, the output until the savepoint in `first`, and
    the output without a stop in `whole`.

    Args:
        jobs: with different names.
        root: the parent of their folders.
    """
    requests, stopped = [], {}
    for job in jobs:
        folder = root / job.name
        stopped[job.name] = Stopped(folder, folder / f"{job.name}.json", Path())
        requests.append(_request(job, stopped[job.name]))
    for name, answer in answered(requests).items():
        one = stopped[name]
        place = Path(answer["savepoint"].removeprefix("file:"))
        stopped[name] = Stopped(one.folder, one.plan, place, answer["fault"])
    return stopped


def answered(requests: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Run requests in Flink, see `jobs.py`; returns its answers by name.

    Raises:
        RuntimeError: Flink did not answer all of them.
    """
    script = Path(__file__).with_name("jobs.py")
    command = [str(flink_python()), str(script)]
    done = subprocess.run(command, input=json.dumps(requests), capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"name"')]
    if done.returncode or len(answers) != len(requests):
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}\n{done.stderr[-3000:]}")
    return {answer["name"]: answer for answer in answers}


def stop_plan(
    plan: CompiledPlan,
    rows: int,
    folder: Path,
    *,
    options: Mapping[str, str] | None = None,
    form: str = "CANONICAL",
    quiet: bool = True,
    sinks: Path | None = None,
) -> Path:
    """Run a plan in Flink until its sources have emitted a number of rows, stop it, and return its savepoint.

    Args:
        plan: its sources do not end.
        rows: the number of rows that the sources emit.
        folder: the parent of the savepoint's folder.
        options: Flink's, beside those of the plan.
        form: see `Job`.
        quiet: True to stop when no more rows come.
        sinks: the folder of the sinks' files; `folder` if left out.

    Raises:
        RuntimeError: Flink did not run the plan.
    """
    request = {
        "name": "plan",
        "options": {"pipeline.jars": fetched(FLINK_KAFKA).as_uri(), **(options or {})},
        "stopped": plan.to_json(),
        "rows": rows,
        "folder": str(folder),
        "quiet": quiet,
        "sinks": str(sinks or folder),
        "form": form,
        "whole": "",
    }
    (answer,) = answered([request]).values()
    if answer["fault"]:
        raise RuntimeError(f"in Flink: {answer['fault']}")
    return Path(answer["savepoint"].removeprefix("file:"))


def make_savepoint(program: str, first: Tables, folder: Path, **more: Any) -> Stopped:
    """Run a program in Flink, and stop it with a savepoint when it has read its input; `more` as for `Job`."""
    (stopped,) = make_savepoints([Job(folder.name, program, (first, {}), **more)], folder.parent).values()
    if stopped.fault:
        raise RuntimeError(stopped.fault)
    return stopped


def _request(job: Job, stopped: Stopped) -> dict[str, Any]:
    folder, whole = stopped.folder, stopped.folder / WHOLE
    plan = job.plan(folder)
    first, second = ({name: part.get(name, ()) for name in tables_read(plan)} for part in job.parts)
    write(folder, 0, first)
    # One file a table: Flink reads files in no certain order.
    write(whole, 0, {name: [*rows, *second[name]] for name, rows in first.items()})
    stopped.plan.write_text(plan.to_json())
    return {
        "name": job.name,
        "options": {**dict(_SETTING.findall(job.program)), **job.options},
        "stopped": open_ended(plan, folder),
        "rows": sum(map(_rows, first.values())),
        "folder": str(folder / "savepoints"),
        "quiet": True,
        "sinks": str(folder / FIRST),
        "form": job.form,
        "whole": job.plan(whole).to_json(),
    }


def tables_read(plan: CompiledPlan) -> set[str]:
    """The names of the tables that a plan reads."""
    return {node.scan_table_source.table.name for node in plan.nodes if isinstance(node, TableSourceScan)}


def open_ended(plan: CompiledPlan, folder: Path) -> str:
    """The plan with sources that look for more files, and sinks that commit all rows at a savepoint, in `first`."""
    document = plan.to_dict()
    for node in document["nodes"]:
        for kind, options in (
            ("scanTableSource", {"source.monitor-interval": "100 ms"}),
            ("dynamicTableSink", {"sink.rolling-policy.file-size": "1 b"}),
        ):
            if kind in node:
                table = node[kind]["table"]["resolvedTable"]["options"]
                if table["connector"] == "filesystem":
                    table |= options
                if kind == "dynamicTableSink":
                    table["path"] = table["path"].replace(str(folder), str(folder / FIRST), 1)
    return json.dumps(document)


def _rows(events: Iterable[Mapping[str, Any]]) -> int:
    """The number of rows of events: two for an update."""
    return sum(sum(event[side] is not None for side in ("before", "after")) if "op" in event else 1 for event in events)
