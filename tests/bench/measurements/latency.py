"""From a message that Kafka has to the message that comes of it: micro-batches and real-time mode.

A plan in a process of its own writes messages at a steady rate. The plan that is measured carries the time of the
newest message, which its producer gave it, through its operators into what it writes; the difference to the time of
the message written is the latency. All is on one machine, and so by one clock. What comes in the first part of a run,
while Java compiles, does not count.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.base import Line, Setting, measurement
from tests.bench.harness import BenchError, compile_plan
from tools.services import kafka as broker
from tools.services.server import running

_KEYS = 1000
_PAUSE_MS = 250
#: What a command says when it runs, and how long it may take until then.
_STARTED, _START_SECONDS = "running until it is stopped", 180
_LINE = re.compile(r"\+I\[([^,]+), ([^\]]+)]")
_MODES = {
    "micro-batches": (),
    "real-time": ("--trigger", "real-time=10s", "--conf", "spark.sql.shuffle.partitions=1"),
}
_ROWS = "SELECT r.k, r.ts FROM r JOIN names n ON r.k = n.k"
_COUNTS = "SELECT k, COUNT(*) AS n, MAX(ts) AS ts FROM {rows} GROUP BY k"
#: By the number of operators.
_QUERIES = {
    1: _COUNTS.format(rows="r"),
    2: _COUNTS.format(rows=f"({_ROWS})"),
    3: "SELECT k, SUM(n), MAX(ts) FROM "
    f"(SELECT k / 10 AS k, n, ts FROM ({_COUNTS.format(rows=f'({_ROWS})')})) GROUP BY k",
}


@dataclass(frozen=True, slots=True)
class Place:
    """The broker, and where programs are; a run lasts `warm` and then `seconds`."""

    address: str
    folder: Path
    warm: float
    seconds: float
    numbers: Iterator[int]

    def topic(self, name: str) -> str:
        """The options of a table over a topic."""
        return f"'properties.bootstrap.servers' = '{self.address}', 'topic' = '{name}'"

    def measured(self, mode: str, operators: int, rate: int) -> tuple[list[float], list[float]]:
        """Latencies in ms, and the pauses of more than 250 ms between two messages written."""
        number = next(self.numbers)
        given, made = f"in_{number}", f"out_{number}"
        broker.make_topics(self.address, given, made)
        plan = compile_plan(self.program(given, made, operators), self.folder, f"plan_{number}")
        feed = compile_plan(self.feed(given, rate), self.folder, f"feed_{number}")
        log_file = self.folder / f"log_{number}"
        with log_file.open("w") as log:
            runs = [
                subprocess.Popen([*_command(plan), *_MODES[mode]], stdout=log, stderr=log),
                subprocess.Popen([*_command(feed), "--trigger", "real-time=10min"], stdout=log, stderr=log),
            ]
            until = time.time() + _START_SECONDS
            started = False
            while time.time() < until and all(run.poll() is None for run in runs):
                time.sleep(0.1)
                if not started and log_file.read_text().count(_STARTED) == len(runs):
                    started, until = True, time.time() + self.warm + self.seconds
            failed = any(run.poll() is not None for run in runs)
            for run in reversed(runs):
                run.send_signal(signal.SIGINT)
                run.wait(60)
        if failed:
            raise BenchError(f"a run ended by itself: {log_file.read_text()[-500:]}")
        return figures(self.read(made, number), until - self.seconds, until - 1)

    def program(self, given: str, made: str, operators: int) -> str:
        """What is measured."""
        return (
            "CREATE TABLE r (k INT, ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL) WITH ("
            f"'connector' = 'kafka', {self.topic(given)}, 'format' = 'json', "
            "'scan.startup.mode' = 'earliest-offset');\n"
            "CREATE TABLE names (k INT) WITH ('connector' = 'datagen', 'rows-per-second' = '1000', 'fields.k.kind' = "
            f"'sequence', 'fields.k.start' = '0', 'fields.k.end' = '{_KEYS - 1}');\n"
            "CREATE TABLE counts (k INT, n BIGINT, ts TIMESTAMP_LTZ(3), PRIMARY KEY (k) NOT ENFORCED) WITH ("
            f"'connector' = 'upsert-kafka', {self.topic(made)}, 'key.format' = 'json', 'value.format' = 'json');\n"
            f"INSERT INTO counts {_QUERIES[operators]};"
        )

    def feed(self, given: str, rate: int) -> str:
        """What writes the messages."""
        return (
            f"CREATE TABLE g (k INT) WITH ('connector' = 'datagen', 'rows-per-second' = '{rate}', "
            f"'fields.k.min' = '0', 'fields.k.max' = '{_KEYS - 1}');\n"
            f"CREATE TABLE r (k INT) WITH ('connector' = 'kafka', {self.topic(given)}, 'format' = 'json');\n"
            "INSERT INTO r SELECT k FROM g;"
        )

    def read(self, made: str, number: int) -> str:
        """What was written, as lines of both times."""
        program = (
            "CREATE TABLE counts (ts TIMESTAMP_LTZ(3), seen TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL) WITH ("
            f"'connector' = 'kafka', {self.topic(made)}, 'format' = 'json', 'scan.startup.mode' = 'earliest-offset', "
            "'scan.bounded.mode' = 'latest-offset');\n"
            "CREATE TABLE shown (ts TIMESTAMP_LTZ(3), seen TIMESTAMP_LTZ(3)) WITH ('connector' = 'print');\n"
            "INSERT INTO shown SELECT ts, seen FROM counts WHERE ts IS NOT NULL;"
        )
        plan = compile_plan(program, self.folder, f"read_{number}")
        done = subprocess.run(_command(plan), capture_output=True, text=True, check=False)
        if done.returncode:
            raise BenchError(done.stderr[-500:])
        return done.stdout


def _command(plan: Path) -> list[str]:
    return [sys.executable, "-m", "compiled_plan.cli.execute_plan", str(plan)]


def _seconds(text: str) -> float:
    return dt.datetime.fromisoformat(text.strip().removesuffix("Z")).replace(tzinfo=dt.UTC).timestamp()


def figures(lines: str, start: float, end: float) -> tuple[list[float], list[float]]:
    """Latencies of the messages that were given between two times, ascending, and pauses in what was written, in ms."""
    times = [(_seconds(given), _seconds(seen)) for given, seen in _LINE.findall(lines)]
    times = [(given, seen) for given, seen in times if start <= given <= end]
    seen = sorted(seen for _, seen in times)
    pauses = [(after - before) * 1000 for before, after in itertools.pairwise(seen)]
    found = sorted((seen - given) * 1000 for given, seen in times)
    return found, [pause for pause in pauses if pause > _PAUSE_MS]


def _part(found: Sequence[float], part: float) -> float:
    return found[min(len(found) - 1, int(len(found) * part))]


@measurement("latency")
def latency(setting: Setting) -> Iterator[Line]:
    """Milliseconds from message to message through one, two and three operators at 1,000 and 10,000 rows a second."""
    rates, counts = ((1000,), (1, 2)) if setting.quick else ((1000, 10_000), (1, 2, 3))
    warm, seconds = (30, 15) if setting.quick else (45, 60)
    with running(broker.SERVICE, setting.folder / "kafka") as server:
        place = Place(server.address, setting.folder, warm, seconds, itertools.count())
        for operators, rate, mode in itertools.product(counts, rates, _MODES):
            found, pauses = place.measured(mode, operators, rate)
            if not found:
                raise BenchError(f"{mode}, {operators} operators, {rate} rows a second: nothing was written in time")
            middle, most, last = (_part(found, part) for part in (0.5, 0.99, 1.0))
            figure = f"p50 {middle:,.0f} ms, p99 {most:,.0f} ms, most {last:,.0f} ms, {len(found):,} messages"
            figure += f"; {len(pauses)} pauses, the longest {max(pauses):,.0f} ms" if pauses else "; no pauses"
            yield Line(f"{operators} operators, {rate:,} rows a second, {mode}", figure)
