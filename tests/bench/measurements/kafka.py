"""From a topic of Kafka into another one, and into PostgreSQL."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from tests.bench.base import Line, Setting, measurement
from tests.bench.harness import Execution, Pair, alternate, compile_plan, execute_plan, native
from tests.bench.latency.engines import FLINK_KAFKA
from tests.bench.nexmark.flink import TUNED, run_jobs
from tools.maven import POSTGRES_DRIVER, Artifact, fetched
from tools.services import kafka as broker
from tools.services import postgres as database
from tools.services.server import Server, running

_GOAL = 1.0
_TOPIC = "numbers"
_COLUMNS = "k BIGINT, c BIGINT, s BIGINT"
#: Flink's own connectors, the newest on Maven Central.
_FLINK = (
    FLINK_KAFKA,
    Artifact(
        "org.apache.flink",
        "flink-connector-jdbc-core",
        "4.0.0-2.0",
        "ccb9691bf1d0f97574ae768e1bef05a39c06d7f7b13996e9d485fbdd69dcbfec",
    ),
    Artifact(
        "org.apache.flink",
        "flink-connector-jdbc-postgres",
        "4.0.0-2.0",
        "b59c29dc65cafe8ae398e69072b9f6022f4a978a09002fd06a05a1a8dd3348d6",
    ),
    POSTGRES_DRIVER,
)


@dataclass(frozen=True, slots=True)
class Place:
    """The servers, and the folder of programs.

    Args:
        kafka: has the topic with numbers.
        postgres: receives the sums.
        folder: of programs and checkpoints.
        numbers: a new one for each topic and table.
    """

    kafka: Server
    postgres: Server
    folder: Path
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def source(self) -> str:
        """The declaration of the source topic, up to its current end."""
        return (
            f"CREATE TABLE numbers (k BIGINT, v BIGINT) WITH ('connector' = 'kafka', 'topic' = '{_TOPIC}', "
            f"'properties.bootstrap.servers' = '{self.kafka.address}', 'scan.startup.mode' = 'earliest-offset', "
            "'scan.bounded.mode' = 'latest-offset', 'format' = 'json');\n"
        )

    def sink(self, kind: str) -> str:
        """The declaration of a new topic, or of a new table of the database."""
        name = f"sums_{next(self.numbers)}"
        if kind == "Kafka":
            broker.make_topics(self.kafka.address, name)
            options = (
                f"'connector' = 'upsert-kafka', 'topic' = '{name}', 'key.format' = 'json', 'value.format' = 'json', "
                f"'properties.bootstrap.servers' = '{self.kafka.address}'"
            )
        else:
            database.psql(self.postgres.port, f"CREATE TABLE {name} (k BIGINT PRIMARY KEY, c BIGINT, s BIGINT)")
            options = f"'connector' = 'jdbc', 'url' = '{self.postgres.address}', 'table-name' = '{name}'"
        return f"CREATE TABLE sums ({_COLUMNS}, PRIMARY KEY (k) NOT ENFORCED) WITH ({options});\n"

    def statements(self, kind: str) -> list[str]:
        """The whole program."""
        return [self.source(), self.sink(kind), "INSERT INTO sums SELECT k, COUNT(*), SUM(v) FROM numbers GROUP BY k"]

    def ours(self, kind: str) -> Execution:
        """A run of `execute-plan`."""
        name = f"plan_{next(self.numbers)}"
        plan = compile_plan("".join(self.statements(kind)) + ";", self.folder, name)
        return execute_plan(plan, "--checkpoint", str(self.folder / f"checkpoint_{name}"))

    def by_hand(self, kind: str) -> Execution:
        """A run of the script."""
        name = f"by_hand_{next(self.numbers)}"
        if kind == "Kafka":
            broker.make_topics(self.kafka.address, name)
            return native("kafka", self.folder, self.kafka.address, _TOPIC, name)
        for table, key in (("by_hand", " PRIMARY KEY"), ("by_hand_new", "")):
            database.psql(self.postgres.port, f"DROP TABLE IF EXISTS {table}")
            database.psql(self.postgres.port, f"CREATE TABLE {table} (k BIGINT{key}, c BIGINT, s BIGINT)")
        return native("kafka", self.folder, self.kafka.address, _TOPIC, self.postgres.address)

    def on_flink(self, kind: str, runs: int) -> float:
        """The median seconds of runs on Flink, after one that warms it up."""
        jars = {"pipeline.jars": ";".join(fetched(jar).as_uri() for jar in _FLINK)}
        times = run_jobs([self.statements(kind) for _ in range(runs + 1)], {**TUNED, **jars}, self.folder)
        return median(times.measured().seconds)


@measurement("kafka")
def kafka(setting: Setting) -> Iterator[Line]:
    """Count and sum over 2,000,000 messages and 100,000 keys, into Kafka and into PostgreSQL, by hand and on Flink."""
    rows, keys = (200_000, 20_000) if setting.quick else (2_000_000, 100_000)
    with (
        running(broker.SERVICE, setting.folder / "kafka") as first,
        running(database.SERVICE, setting.folder / "postgres") as second,
    ):
        place = Place(first, second, setting.folder)
        broker.make_topics(first.address, _TOPIC)
        native("kafka", setting.folder, "fill", first.address, _TOPIC, str(rows), str(keys))
        for kind in ("Kafka", "PostgreSQL"):
            pair = alternate(setting.runs, lambda kind=kind: place.ours(kind), lambda kind=kind: place.by_hand(kind))  # type: ignore[misc]
            yield from _lines(f"Kafka to {kind}", rows, pair, place.on_flink(kind, setting.runs))


def _lines(what: str, rows: int, pair: Pair, flink: float) -> Iterator[Line]:
    yield from pair.lines(what, _GOAL)
    seconds = median(run.batch_seconds for run in pair.ours)
    yield Line(f"{what}, rows a second", f"{rows / seconds:,.0f}")
    yield Line(f"{what}, micro-batches, Flink's job / execute-plan", f"{flink / seconds:.2f} (Flink {flink:.2f} s)")
