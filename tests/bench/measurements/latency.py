"""From a row that is due in a topic to its result being read: micro-batches, real-time mode, Flink.

One process, `Probe.java`, sends rows at predetermined times and reads results; the latency of a row begins
when it was due, whether it could be sent then or not, and ends when its result is read. All processes share one
machine, one broker and one clock. Rows of the first seconds, while Java compiles, do not count.
"""

from __future__ import annotations

import itertools
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.base import Line, Setting, measurement
from tests.bench.harness import BenchError
from tests.bench.latency.engines import ENGINES, running
from tests.bench.latency.figures import Figures, figures
from tools.services import kafka as broker
from tools.services import server

_GOAL_MS, _JUDGED = 100, ("real-time", 2, 1000)
_KEYS, _TO_A_GROUP = 1000, 10
_PROBE = Path(__file__).parents[1] / "latency" / "Probe.java"
_ROWS = "SELECT r.k, r.`at` FROM r JOIN names AS n ON r.k = n.k"
_COUNTS = "SELECT k, COUNT(*) AS n, MAX(`at`) AS `at` FROM {rows} GROUP BY k"
#: By the number of operators.
_QUERIES = {
    1: _COUNTS.format(rows="r"),
    2: _COUNTS.format(rows=f"({_ROWS})"),
    3: "SELECT k, SUM(n), MAX(`at`) FROM "
    f"(SELECT k / {_TO_A_GROUP} AS k, n, `at` FROM ({_COUNTS.format(rows=f'({_ROWS})')})) GROUP BY k",
}


@dataclass(frozen=True, slots=True)
class Place:
    """The broker, and the folder of programs; each rate is sent for `warm` seconds, then `seconds` that count."""

    address: str
    folder: Path
    warm: int
    seconds: int
    numbers: Iterator[int]

    def measured(self, engine: str, operators: int, rates: Sequence[int]) -> dict[int, Figures]:
        """The figures of each rate, one after another in one run.

        Raises:
            BenchError: the run ended, or has no results.
        """
        name = f"p{next(self.numbers)}"
        topics = [f"{name}_{topic}" for topic in ("rows", "names", "results")]
        broker.make_topics(self.address, *topics)
        log, figures_file = self.folder / f"{name}.log", self.folder / f"{name}.txt"
        with running(engine, self.statements(operators, *topics), self.folder, name, log) as process:
            keys = [str(_KEYS), str(_TO_A_GROUP if operators == 3 else 1)]
            phases = [f"{rate}:{self.warm}:{self.seconds}" for rate in rates]
            command = [*broker.java(busy=True), str(_PROBE), self.address, *topics, *keys, str(figures_file), *phases]
            probe = subprocess.run(command, capture_output=True, text=True, check=False)
            if process.poll() is not None or probe.returncode:
                raise BenchError(f"{engine}: {log.read_text()[-800:]}\n{probe.stderr[-800:]}")
        return _figures(figures_file, rates)

    def statements(self, operators: int, rows: str, names: str, results: str) -> list[str]:
        """The measured program."""
        return [
            f"CREATE TABLE r (k INT, `at` BIGINT) WITH ({self.read(rows)})",
            f"CREATE TABLE names (k INT) WITH ({self.read(names)})",
            "CREATE TABLE counts (k INT, n BIGINT, `at` BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ("
            f"'connector' = 'upsert-kafka', 'key.format' = 'json', 'value.format' = 'json', {self.topic(results)})",
            f"INSERT INTO counts {_QUERIES[operators]}",
        ]

    def topic(self, name: str) -> str:
        """The options of a table over a topic."""
        return f"'properties.bootstrap.servers' = '{self.address}', 'topic' = '{name}'"

    def read(self, name: str) -> str:
        """The options of a table that is read."""
        return f"'connector' = 'kafka', {self.topic(name)}, 'format' = 'json', 'scan.startup.mode' = 'earliest-offset'"


def _figures(file: Path, rates: Sequence[int]) -> dict[int, Figures]:
    rows: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for line in file.read_text().splitlines():
        phase, due, done = map(int, line.split())
        rows[rates[phase]].append((due / 1000, done / 1000))
    return {rate: figures(rows[rate]) for rate in rates}


@measurement("latency")
def latency(setting: Setting) -> Iterator[Line]:
    """Milliseconds from row to result through one, two and three operators at 1,000 and 10,000 rows a second."""
    rates, counts = ((1000,), (2,)) if setting.quick else ((1000, 10_000), (1, 2, 3))
    seconds = setting.seconds or (10 if setting.quick else 30)
    with server.running(broker.BUSY, setting.folder / "kafka") as kafka:
        place = Place(kafka.address, setting.folder, max(5, min(seconds // 2, 20)), seconds, itertools.count())
        for operators, engine in itertools.product(counts, ENGINES):
            for rate, latency in place.measured(engine, operators, rates).items():
                what = f"{operators} operators, {rate:,} rows a second, {engine}"
                if (engine, operators, rate) == _JUDGED:
                    goal = f"p99 < {_GOAL_MS} ms beside pauses"
                    yield Line(what, latency.text(), goal, latency.p99_beside < _GOAL_MS)
                else:
                    yield Line(what, latency.text())
