"""Measured processes: duration, reported micro-batches, CPU time."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench.base import Line

ROOT = Path(__file__).resolve().parents[2]
_CLOCK = os.sysconf("SC_CLK_TCK")


class BenchError(Exception):
    """A process failed that should have run."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A micro-batch.

    Args:
        seconds: its time.
        rows: rows read.
        state: state rows by operator.
        rows_in: rows that each operator has received since the start of the run.
        unaccounted: rows and entries of state, of all operators, whose outcome or reason is not known.
        at: the time of its report.
    """

    seconds: float
    rows: int
    state: Mapping[str, int]
    rows_in: Mapping[str, int]
    unaccounted: int
    at: float


@dataclass(frozen=True, slots=True)
class Execution:
    """A finished process, its JVM included.

    Args:
        seconds: of the whole process.
        cpu: processor time in seconds, of the whole process up to its last micro-batch.
        batch_cpu: the part of it since the query was started.
        memory: peak memory in MB.
        batches: its micro-batches.
        after_last: seconds from the report of the last micro-batch to the end of the process.
    """

    seconds: float
    cpu: float
    batch_cpu: float
    memory: float
    batches: tuple[Batch, ...]
    after_last: float

    @property
    def batch_seconds(self) -> float:
        """Time of all micro-batches, without the start and the end of the process."""
        return sum(batch.seconds for batch in self.batches)

    @property
    def later_seconds(self) -> float:
        """The median micro-batch of warm code: without the first two."""
        return median(batch.seconds for batch in self.batches[2:])


@dataclass(slots=True)
class Watch:
    """Reports of a running process; `on_batch` is called for each micro-batch."""

    process: subprocess.Popen[str]
    on_batch: Callable[[Watch], None]
    batches: list[Batch] = field(default_factory=list)

    def stop(self) -> None:
        """Ask the process to end."""
        self.process.send_signal(signal.SIGINT)


def run(
    command: Sequence[str],
    folder: Path,
    on_batch: Callable[[Watch], None] = lambda watch: None,
    accept: Sequence[int] = (0,),
) -> Execution:
    """Run a command that reports each micro-batch as JSON on stderr.

    Raises:
        BenchError: another exit code than the accepted ones; has the end of its output.
    """
    start = time.monotonic()
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    watch, said, started, cpu, memory = Watch(process, on_batch), [], 0.0, 0.0, 0.0
    try:
        assert process.stderr is not None
        for line in process.stderr:
            said.append(line)
            message = _message(line)
            if message is not None and message.get("event") == "start":
                started = _figures(process.pid)[0]
            if message is not None and message.get("event") == "batch":
                watch.batches.append(_batch(message))
                figures = _figures(process.pid)
                cpu, memory = max(cpu, figures[0]), max(memory, figures[1])
                on_batch(watch)
        code = process.wait()
    finally:
        if process.poll() is None:
            process.terminate()
    end = time.monotonic()
    if code not in accept:
        raise BenchError(f"{' '.join(command)}\nended with {code}\n{''.join(said[-15:])}")
    last = watch.batches[-1].at if watch.batches else start
    return Execution(end - start, cpu, max(cpu - started, 0.0), memory, tuple(watch.batches), end - last)


def _message(line: str) -> dict[str, Any] | None:
    with contextlib.suppress(ValueError):
        message = json.loads(line)
        return message if isinstance(message, dict) else None
    return None


def _batch(message: Mapping[str, Any]) -> Batch:
    operators = message["operators"]
    state = {operator["uid"]: operator["stateRows"] for operator in operators}
    # The reference programs report no rows of operators.
    rows_in = {operator["uid"]: operator.get("rowsIn", 0) for operator in operators}
    unaccounted = sum(sum(operator.get("unaccounted", {}).values()) for operator in operators)
    return Batch(message["batchMillis"] / 1000, message["rowsIn"], state, rows_in, unaccounted, time.monotonic())


def _figures(pid: int) -> tuple[float, float]:
    """Processor time in seconds so far and peak memory in MB of a process and its children; 0 without /proc."""
    cpu = memory = 0.0
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        cpu = (int(fields[11]) + int(fields[12])) / _CLOCK
        status = dict(line.partition(":")[::2] for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        memory = int(status.get("VmHWM", "0 kB").split()[0]) / 1024
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                more = _figures(int(child))
                cpu, memory = cpu + more[0], memory + more[1]
    return cpu, memory


class PeakMemory:
    """The peak memory in MB of a process and its children, sampled while it runs; they vanish at its end."""

    _SECONDS = 0.25

    def __init__(self, pid: int) -> None:
        self.megabytes = 0.0
        self._pid, self._over = pid, threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> PeakMemory:
        self._thread.start()
        return self

    def __exit__(self, *fault: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(self._SECONDS):
            self.megabytes = max(self.megabytes, _figures(self._pid)[1])


def execute_plan(plan: Path, *options: str, **more: Any) -> Execution:
    """Run `execute-plan` with 2 cores."""
    command = [
        sys.executable,
        "-m",
        "compiled_plan.cli.execute_plan",
        str(plan),
        "--json",
        "--master",
        "local[2]",
        *options,
    ]
    return run(command, plan.parent, **more)


def native(script: str, folder: Path, *arguments: str) -> Execution:
    """Run a script of `native/`."""
    return run([sys.executable, "-m", f"tests.bench.native.{script}", *arguments], folder)


def compile_plan(program: str, folder: Path, name: str, environment: Mapping[str, str] | None = None) -> Path:
    """The plan of a program.

    Args:
        program: its text.
        folder: of the program and the plan.
        name: of both files, without suffix.
        environment: additional variables of the process.

    Raises:
        BenchError: it does not compile.
    """
    source, plan = folder / f"{name}.sql", folder / f"{name}.json"
    source.write_text(program)
    command = [sys.executable, "-m", "compiled_plan.cli.compile_plan", str(source), "-o", str(plan), "--force"]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})}
    done = subprocess.run(command, capture_output=True, text=True, env=variables, check=False)
    if done.returncode:
        raise BenchError(done.stderr)
    return plan


@dataclass(frozen=True, slots=True)
class Pair:
    """Alternating runs of ours and of the hand-written query."""

    ours: tuple[Execution, ...]
    theirs: tuple[Execution, ...]

    def ratio(self, figure: Callable[[Execution], float]) -> float:
        """The speed-up of ours: the median over the pairs of theirs / ours."""
        return median(figure(their) / figure(our) for our, their in zip(self.ours, self.theirs, strict=True))

    def line(self, what: str, figure: Callable[[Execution], float], unit: str, goal: float | None = None) -> Line:
        """The table line of a ratio, with the medians of both."""
        ratio = self.ratio(figure)
        ours, theirs = (median(map(figure, runs)) for runs in (self.ours, self.theirs))
        digits = 0 if unit == "MB" else 2
        text = f"{ratio:.2f} ({ours:.{digits}f} {unit}, by hand {theirs:.{digits}f} {unit})"
        return Line(what, text) if goal is None else Line(what, text, f">= {goal}", ratio >= goal)

    def lines(self, what: str, goal: float) -> Iterator[Line]:
        """The ratios by hand / execute-plan: the micro-batches, which are judged, then the whole processes."""
        yield self.line(f"{what}, micro-batches, by hand / execute-plan", lambda run: run.batch_seconds, "s", goal)
        if all(len(run.batches) > 2 for run in (*self.ours, *self.theirs)):
            yield self.line(f"{what}, a micro-batch after the first two", lambda run: run.later_seconds, "s")
        yield self.line(f"{what}, processor time of the query", lambda run: run.batch_cpu, "s")
        yield self.line(f"{what}, whole process", lambda run: run.seconds, "s")
        yield self.line(f"{what}, processor time of the process", lambda run: run.cpu, "s")
        yield self.line(f"{what}, peak memory", lambda run: run.memory, "MB")


def alternate(runs: int, ours: Callable[[], Execution], theirs: Callable[[], Execution]) -> Pair:
    """Run both in turn, so that a drift of the machine's speed affects both alike."""
    pairs = [(ours(), theirs()) if at % 2 == 0 else (theirs(), ours())[::-1] for at in range(runs)]
    return Pair(tuple(our for our, _ in pairs), tuple(their for _, their in pairs))
