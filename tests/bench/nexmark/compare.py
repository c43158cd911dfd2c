"""The two sides of a comparison, on the same events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

from samples.nexmark.generate import Nexmark
from tests.bench.harness import BenchError, compile_plan
from tests.bench.nexmark.flink import TUNED, run_jobs
from tests.bench.nexmark.here import run_plans
from tests.bench.nexmark.programs import FOLDER, program, statements
from tests.bench.nexmark.times import Rate

EVENTS, QUICK_EVENTS = 2_000_000, 50_000
#: Micro-batches of a run here, and files per micro-batch.
BATCHES, FILES = 5, 2


@dataclass(frozen=True, slots=True)
class Data:
    """Folders of events, for a warm-up run and for the measured one.

    The events are the same for both sides, their files are not: Flink reads the files of a folder in any order, and
    two at a time with a watermark each, so it gets two, each with every other 50 events; here they are read in the
    order of their times, and split by time, into some files for each of several micro-batches.
    """

    events: int
    few_here: Path
    many_here: Path
    few_flink: Path
    many_flink: Path


def generate(folder: Path, events: int, flink: bool = True) -> Data:
    """Generate the events."""
    many = Nexmark(events=events, files=BATCHES * FILES)
    few = replace(many, events=events // 10)
    data = Data(events, folder / "few", folder / "many", folder / "few-flink", folder / "many-flink")
    few.write(data.few_here)
    many.write(data.many_here)
    if flink:
        replace(few, files=1, partitions=FILES).write(data.few_flink)
        replace(many, files=1, partitions=FILES).write(data.many_flink)
    return data


def here(query: str, data: Data, folder: Path, runs: int) -> Rate:
    """The rate of a query through `execute-plan`: that of some runs after one over a tenth of the events.

    Raises:
        BenchError: the program does not compile, or its plan does not run.
    """
    few = compile_plan(program(query, data.few_here), folder, f"{query}-few")
    many = compile_plan(program(query, data.many_here), folder, f"{query}-many")
    times = run_plans([few, *[many] * runs], "--max-files-per-batch", str(FILES))
    return Rate.of(data.events, times.measured())


def on_flink(query: str, data: Data, folder: Path, runs: int) -> Rate:
    """Like `here`, on Flink.

    Raises:
        BenchError: Flink cannot be installed, or the job failed.
    """
    few, many = (statements(program(query, files)) for files in (data.few_flink, data.many_flink))
    times = run_jobs([few, *[many] * runs], TUNED, folder)
    return Rate.of(data.events, times.measured())


@dataclass(frozen=True, slots=True)
class Row:
    """The rates of a query on both sides; None if it failed, and why.

    Args:
        query: its name.
        flink: on Flink.
        here: through `execute-plan`.
        fault: the message of the failure.
    """

    query: str
    flink: Rate | None
    here: Rate | None
    fault: str = ""

    @property
    def ratio(self) -> float | None:
        """Speed here relative to Flink."""
        return None if self.flink is None or self.here is None else self.here.rate / self.flink.rate


def rows(queries: Sequence[str], data: Data, folder: Path, runs: int) -> Iterator[Row]:
    """Measure queries, both sides of each in turn, each in a process of its own."""
    for query in queries:
        rates: dict[str, Rate | None] = {}
        faults = []
        for name, side in (("flink", on_flink), ("here", here)):
            try:
                rates[name] = side(query, data, folder, runs)
            except BenchError as fault:
                rates[name] = None
                faults.append(f"{name}: {fault}")
        yield Row(query, rates["flink"], rates["here"], "\n".join(faults))


def title(query: str) -> str:
    """Title of a query: the first words of its program."""
    first = (FOLDER / f"{query}.sql").read_text().partition("\n")[0]
    return first.removeprefix("-- ").partition(":")[0].rstrip(".").partition(", by")[0]


def markdown(measured: Sequence[Row]) -> str:
    """The Markdown table, with the geometric mean of the ratios of queries that ran on both sides."""
    lines = [
        "| query | | Flink, rows/s | here, rows/s | ratio | Flink, MB | here, MB |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in measured:
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        rates, memory = " | ".join(map(_rate, (row.flink, row.here))), " | ".join(map(_memory, (row.flink, row.here)))
        lines.append(f"| {row.query} | {title(row.query)} | {rates} | {ratio} | {memory} |")
    ratios = [row.ratio for row in measured if row.ratio is not None]
    if ratios:
        lines.append(f"| | geometric mean of {len(ratios)} | | | {prod(ratios) ** (1 / len(ratios)):.2f} | | |")
    return "\n".join(lines)


def _rate(side: Rate | None) -> str:
    if side is None:
        return "failed"
    return f"{side.rate:,.0f}" + (f" ± {side.spread:.0%}" if side.spread else "")


def _memory(side: Rate | None) -> str:
    return "" if side is None else f"{side.memory:,.0f}"
