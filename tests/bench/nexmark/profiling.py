"""`python -m tests.bench.nexmark.profiling`: processor time of a run by its parts.

Samples of all threads, also Java's own and those of RocksDB, by async-profiler, which is fetched from Maven
Central. A sample belongs to the innermost part that its stack names.
"""

from __future__ import annotations

import os
import platform
import re
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import psutil
import typer
from rich.console import Console

from tests.bench.harness import ROOT, BenchError, compile_plan
from tests.bench.nexmark.compare import EVENTS, FILES, Data, generate
from tests.bench.nexmark.here import run_plans
from tests.bench.nexmark.programs import chosen, program
from tools.maven import Artifact, fetched

_PROFILER = Artifact(
    "tools.profiler", "async-profiler", "4.6", "a5d3d9f4582c2033fa9db518046e73ef97219801f3e7542b82e3e09261ebe493"
)
_LIBRARY = {
    "Linux x86_64": "linux-x64/libasyncProfiler.so",
    "Linux aarch64": "linux-arm64/libasyncProfiler.so",
    "Darwin arm64": "macos/libasyncProfiler.so",
    "Darwin x86_64": "macos/libasyncProfiler.so",
}
_MILLIS, _END_SECONDS = 5, 60.0
COMPILING, GARBAGE, DRIVER, OTHER = "compiling", "garbage", "driver", "tasks else"
#: Threads by the beginning of their names; all others are the driver's.
_THREADS = {
    "C1 Compiler": COMPILING,
    "C2 Compiler": COMPILING,
    "Sweeper": COMPILING,
    "GC Thread": GARBAGE,
    "VM Thread": GARBAGE,
    "rocksdb": "state",
    "Executor task": OTHER,
}
#: Parts by the frames of task stacks, innermost first.
_PARTS = {
    "state": r"rocksdb|execution/streaming/state/|kernel/state/",
    "reading": r"execution/datasources/|catalyst/(csv|json)/|apache/hadoop/|fasterxml|kernel/(files|formats|sources)/",
    "shuffle": r"spark/(shuffle|storage|serializer)/|net/jpountz|util/collection/unsafe",
    "gathering": r"kernel/host/(shuffle/|stage/StagePlanRule|runtime/BypassedRows)",
    "operators": r"compiledplan/kernel/",
    "columns": r"GeneratedClass",
}
PARTS = (*list(_PARTS), OTHER, DRIVER, COMPILING, GARBAGE)


def part(stack: str) -> str:
    """The part of a run that a stack, from its thread to the innermost frame, belongs to."""
    thread, *frames = stack.split(";")
    name = thread.removeprefix("[")
    part = next((kind for start, kind in _THREADS.items() if name.startswith(start)), DRIVER)
    if part != OTHER:
        return part
    kinds = (kind for frame in reversed(frames) for kind, named in _PARTS.items() if re.search(named, frame))
    return next(kinds, OTHER)


def parts(collapsed: Iterable[str]) -> Counter[str]:
    """Samples of each part, from lines of a stack and a count."""
    counts: Counter[str] = Counter()
    for line in collapsed:
        stack, _, count = line.rstrip().rpartition(" ")
        counts[part(stack)] += int(count)
    return counts


@dataclass(frozen=True, slots=True)
class Profiler:
    """async-profiler with a folder in which the profiled JVM leaves a file at its end."""

    folder: Path

    def options(self) -> tuple[str, str]:
        """Options of `execute-plan`.

        Raises:
            FetchError: it cannot be fetched.
        """
        library = _LIBRARY[f"{platform.system()} {platform.machine()}"]
        with zipfile.ZipFile(fetched(_PROFILER)) as jar:
            path = jar.extract(library, self.folder)
        agent_options = (
            f"start,event=cpu,interval={_MILLIS}ms,threads,loglevel=none,collapsed,file={self.folder}/%p.collapsed"
        )
        return "--conf", f"spark.driver.extraJavaOptions=-agentpath:{path}={agent_options}"

    def samples(self) -> Counter[str]:
        """Samples that the JVM has left, which ends after the process that started it.

        Raises:
            BenchError: there are none.
        """
        until = time.monotonic() + _END_SECONDS
        while time.monotonic() < until:
            for file in self.folder.glob("*.collapsed"):
                if not psutil.pid_exists(int(file.stem)):
                    with file.open() as lines:
                        return parts(lines)
            time.sleep(0.1)
        raise BenchError(f"the profiler left nothing in {self.folder}")


def profile(query: str, data: Data, folder: Path, runs: int, checkout: Path) -> Counter[str]:
    """Samples by part of a process that runs a query over a tenth of the events, and then some times over all of them.

    Raises:
        BenchError: the program does not compile, its plan does not run, or the profiler left nothing.
        FetchError: the profiler cannot be fetched.
    """
    code = {"PYTHONPATH": str(checkout)}
    few = compile_plan(program(query, data.few_here), folder, f"{query}-few", code)
    many = [compile_plan(program(query, data.many_here), folder, f"{query}-{number}", code) for number in range(runs)]
    profiler = Profiler(Path(tempfile.mkdtemp(dir=folder)))
    options = ("--max-files-per-batch", str(FILES), *profiler.options())
    run_plans([few, *many], *options, environment=code)
    return profiler.samples()


def markdown(profiles: Mapping[str, Counter[str]]) -> str:
    """A table with a line per query."""
    lines = [f"| query | seconds | {' | '.join(PARTS)} |", f"| --- |{' ---: |' * (len(PARTS) + 1)}"]
    for query, counts in profiles.items():
        whole = counts.total()
        shares = " | ".join(f"{100 * counts[name] / whole:.0f} %" for name in PARTS)
        lines.append(f"| {query} | {whole * _MILLIS / 1000:.0f} | {shares} |")
    return "\n".join(lines)


def main(
    queries: Annotated[
        list[str] | None, typer.Argument(metavar="[QUERY]...", help="q0 to q22; all if left out.", callback=chosen)
    ] = None,
    events: Annotated[int, typer.Option(metavar="N", help="How many events.")] = EVENTS,
    runs: Annotated[int, typer.Option(metavar="N", help="Runs after the first, which is over a tenth.")] = 3,
    checkout: Annotated[Path, typer.Option(help="Where the code that is looked at is.")] = ROOT,
) -> None:
    """Print the share of each part in the processor time of a process, its start included, as a Markdown table."""
    with tempfile.TemporaryDirectory(prefix="bench-profiling-") as name:
        data = generate(Path(name), events, flink=False)
        profiles = {query: profile(query, data, Path(name), runs, checkout.resolve()) for query in queries or ()}
    Console().print(markdown(profiles), soft_wrap=True, markup=False, highlight=False)


if __name__ == "__main__":
    os.environ["COMPILED_PLAN_CLASSES"] = "use"
    typer.run(main)
