"""Event time in real-time mode, on a real broker: it gives what micro-batches give."""

from __future__ import annotations

import json
import signal
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from compiled_plan.api.environment import TableEnvironment
from tests.plans.execution.realtime.test_query import REAL_TIME, SHORT, Command
from tests.support.commands import process
from tests.support.topics import Message, Topics
from tests.support.waiting import wait_until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tools.services.server import Server

#: A table's columns, and its query.
QUERIES = {
    "tumble": (
        "w TIMESTAMP(3), k INT, n BIGINT",
        "SELECT window_start, k, COUNT(*) FROM TUMBLE(TABLE a, DESCRIPTOR(ts), INTERVAL '10' SECOND)"
        " GROUP BY window_start, window_end, k",
    ),
    "twice": (
        "w TIMESTAMP(3), n BIGINT, s BIGINT",
        "SELECT window_start, COUNT(*), SUM(n) FROM TUMBLE(TABLE (SELECT k, window_time AS wt, COUNT(*) AS n"
        " FROM TUMBLE(TABLE a, DESCRIPTOR(ts), INTERVAL '2' SECOND) GROUP BY window_start, window_end, window_time, k),"
        " DESCRIPTOR(wt), INTERVAL '4' SECOND) GROUP BY window_start, window_end",
    ),
    "hop": (
        "w TIMESTAMP(3), k INT, n BIGINT",
        "SELECT window_start, k, SUM(v) FROM HOP(TABLE a, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)"
        " GROUP BY window_start, window_end, k",
    ),
    "cumulate": (
        "w TIMESTAMP(3), e TIMESTAMP(3), n BIGINT",
        "SELECT window_start, window_end, SUM(v) FROM CUMULATE(TABLE a, DESCRIPTOR(ts), INTERVAL '5' SECOND,"
        " INTERVAL '20' SECOND) GROUP BY window_start, window_end",
    ),
    "sessions": (
        "w TIMESTAMP(3), e TIMESTAMP(3), k INT, n BIGINT",
        "SELECT window_start, window_end, k, COUNT(*) FROM SESSION(TABLE a PARTITION BY k, DESCRIPTOR(ts),"
        " INTERVAL '3' SECOND) GROUP BY window_start, window_end, k",
    ),
    "near": (
        "k INT, v INT, x INT",
        "SELECT a.k, a.v, b.v FROM a JOIN b ON a.k = b.k"
        " AND a.ts BETWEEN b.ts - INTERVAL '2' SECOND AND b.ts + INTERVAL '2' SECOND",
    ),
    "alone": (
        "k INT, v INT, x INT",
        "SELECT a.k, a.v, b.v FROM a LEFT JOIN b ON a.k = b.k"
        " AND a.ts BETWEEN b.ts - INTERVAL '1' SECOND AND b.ts + INTERVAL '1' SECOND",
    ),
    "sums": (
        "k INT, v INT, s BIGINT",
        "SELECT k, v, SUM(v) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '5' SECOND PRECEDING"
        " AND CURRENT ROW) FROM a",
    ),
    "newest": (
        "k INT, w TIMESTAMP(3), v INT",
        "SELECT k, window_start, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, k"
        " ORDER BY ts DESC) AS r FROM TUMBLE(TABLE a, DESCRIPTOR(ts), INTERVAL '5' SECOND)) WHERE r = 1",
    ),
    "ranks": (
        "w TIMESTAMP(3), k INT, v INT, r BIGINT",
        "SELECT window_start, k, v, r FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end"
        " ORDER BY v DESC, k) AS r FROM TUMBLE(TABLE a, DESCRIPTOR(ts), INTERVAL '10' SECOND)) WHERE r <= 2",
    ),
    "risen": (
        "k INT, x INT, y INT",
        "SELECT k, x, y FROM a MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS x, B.v AS y"
        " ONE ROW PER MATCH AFTER MATCH SKIP PAST LAST ROW PATTERN (A B) DEFINE B AS B.v > A.v)",
    ),
    "then": (
        "k INT, v INT, x INT",
        "SELECT a.k, a.v, r.v FROM a LEFT JOIN r FOR SYSTEM_TIME AS OF a.ts ON a.k = r.k",
    ),
}
#: Rows are up to two seconds behind.
TABLES = ("a", "b", "r")
_COLUMNS = "k INT, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND"
#: Behind all rows, in ms: the last windows close.
_END = 300_000


@pytest.fixture(scope="module")
def topics(spark: SparkSession, kafka: Server) -> Topics:
    return Topics(spark, kafka)


class Streams:
    """The tables of a test with their topics, and a plan over them."""

    def __init__(self, topics: Topics, name: str, partitions: int) -> None:
        self.topics, self.name, self.partitions = topics, name, {"a": partitions, "b": 1, "r": 1}
        for table, number in self.partitions.items():
            topics.make(f"{name}-{table}", number)
        made = [self._table(table) for table in TABLES]
        for query in QUERIES:
            options = f"'connector' = 'print', 'print-identifier' = '{query}'"
            made.append(f"CREATE TABLE to_{query} ({QUERIES[query][0]}) WITH ({options});")
        inserts = [f"INSERT INTO to_{query} {QUERIES[query][1]};" for query in QUERIES]
        self.sql = "\n".join([*made, "EXECUTE STATEMENT SET BEGIN", *inserts, "END;"])

    def _table(self, table: str) -> str:
        where = f"'topic' = '{self.name}-{table}', {self.topics.options}"
        if table == "r":
            formats = "'key.format' = 'json', 'value.format' = 'json'"
            key = ", PRIMARY KEY (k) NOT ENFORCED"
            return f"CREATE TABLE r ({_COLUMNS}{key}) WITH ('connector' = 'upsert-kafka', {formats}, {where});"
        more = "'format' = 'json', 'scan.startup.mode' = 'earliest-offset'"
        return f"CREATE TABLE {table} ({_COLUMNS}) WITH ('connector' = 'kafka', {more}, {where});"

    def plan(self, folder: Path) -> Path:
        place = folder / "plan.json"
        place.write_text(TableEnvironment().compile_script(self.sql).to_json())
        return place

    def send(self, random: Random, since: int, until: int) -> None:
        """Rows of each table over some ms, out of order."""
        for table, partitions in self.partitions.items():
            rows = []
            for at in range(since, until, 600 if table == "r" else 200):
                rows.append(_message(random, at + random.randrange(1800), random.randrange(partitions), table))
            self.topics.send(f"{self.name}-{table}", rows)

    def end(self) -> None:
        """Rows behind all others, in each partition."""
        for table, partitions in self.partitions.items():
            last = [_message(Random(0), _END, partition, table, key=99) for partition in range(partitions)]
            self.topics.send(f"{self.name}-{table}", last)


def _message(random: Random, millis: int, partition: int, table: str, key: int | None = None) -> Message:
    seconds, rest = divmod(max(0, millis), 1000)
    k = random.randrange(4) if key is None else key
    row = {"k": k, "v": random.randrange(100), "ts": f"2024-01-01 00:{seconds // 60:02}:{seconds % 60:02}.{rest:03}"}
    return Message(json.dumps(row), key=json.dumps({"k": k}) if table == "r" else None, partition=partition)


def printed(lines: Sequence[str]) -> Counter[str]:
    """The lines of data."""
    return Counter(line for line in lines if line.partition(">")[0] in QUERIES)


def micro_batches(plan: Path) -> Counter[str]:
    """What micro-batches give of all that there is."""
    said = process("execute_plan", plan, "-q", *SHORT, "--available-now")
    assert said.returncode == 0, said.stderr
    return printed(said.stdout.splitlines())


class Reading(Command):
    """A run that is watched."""

    def printed(self) -> Counter[str]:
        return printed(self.out.read_text().splitlines())

    def lines(self) -> list[str]:
        return list(self.printed().elements())


@pytest.mark.deep
def test_operators_give_what_micro_batches_give(spark: SparkSession, topics: Topics, tmp_path: Path) -> None:
    streams, random = Streams(topics, "all", 2), Random(1)
    plan = streams.plan(tmp_path)
    streams.send(random, 0, 10_000)
    run = Reading(plan, tmp_path / "checkpoint", *REAL_TIME)
    wait_until(lambda: bool(run.printed()), "the first rows")
    for since in range(10_000, 60_000, 10_000):
        time.sleep(1)
        streams.send(random, since, since + 10_000)
    streams.end()
    expected = micro_batches(plan)
    assert {line.partition(">")[0] for line in expected} == set(QUERIES)
    try:
        wait_until(lambda: run.printed() == expected, "the rows of micro-batches")
    finally:
        run.ended(signal.SIGINT, 0)
    assert run.printed() == expected


#: What a window gives does not depend on when its rows came, as long as none is late.
WINDOWS = ("tumble", "twice", "hop", "cumulate", "sessions", "newest", "ranks")


def of_windows(lines: Counter[str]) -> set[str]:
    return {line for line in lines if line.partition(">")[0] in WINDOWS}


@pytest.mark.deep
def test_killed_runs_give_every_window(spark: SparkSession, topics: Topics, tmp_path: Path) -> None:
    streams, random = Streams(topics, "killed", 2), Random(5)
    plan, checkpoint = streams.plan(tmp_path), tmp_path / "checkpoint"
    streams.send(random, 0, 20_000)
    seen: set[str] = set()
    for since in (20_000, 40_000, 60_000):
        run = Reading(plan, checkpoint, *REAL_TIME)
        streams.send(random, since, since + 20_000)
        wait_until(lambda run=run, since=since: _tells_of(run, since + 10_000), "windows of the rows")  # type: ignore[misc]
        run.ended(signal.SIGKILL, 0)
        seen |= of_windows(run.printed())
    streams.end()
    expected = of_windows(micro_batches(plan))
    run = Reading(plan, checkpoint, *REAL_TIME)
    try:
        wait_until(lambda: seen | of_windows(run.printed()) >= expected, "every window")
    finally:
        run.ended(signal.SIGINT, 0)
    assert seen | of_windows(run.printed()) == expected


def _tells_of(run: Reading, millis: int) -> bool:
    """Whether a run has given a window that begins at some time."""
    seconds = millis // 1000
    return any(f"00:{seconds // 60:02}:{seconds % 60:02}" in line for line in of_windows(run.printed()))
