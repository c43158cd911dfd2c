"""Event time in real-time mode, on a real broker: results equal those of micro-batches."""

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

from compiled_plan.environment import TableEnvironment
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
#: Rows are up to two seconds late.
TABLES = ("a", "b", "r")
_COLUMNS = "k INT, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND"
#: After all rows, in ms: the last windows close.
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
        statements = [self._table(table) for table in TABLES]
        for query in QUERIES:
            options = f"'connector' = 'print', 'print-identifier' = '{query}'"
            statements.append(f"CREATE TABLE to_{query} ({QUERIES[query][0]}) WITH ({options});")
        inserts = [f"INSERT INTO to_{query} {QUERIES[query][1]};" for query in QUERIES]
        self.sql = "\n".join([*statements, "EXECUTE STATEMENT SET BEGIN", *inserts, "END;"])

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
        """Send rows later than all others to each partition."""
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
    """Results of micro-batches for all rows."""
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


#: A window's result does not depend on the arrival times of its rows, as long as none is late.
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
    """Return True if a run has emitted a window that begins at some time."""
    seconds = millis // 1000
    return any(f"00:{seconds // 60:02}:{seconds % 60:02}" in line for line in of_windows(run.printed()))


class Silent:
    """Two tables with idle partitions, counted in windows of windows; step by step, as rows are seen."""

    def __init__(self, topics: Topics, name: str, folder: Path) -> None:
        self.topics, self.name, self.folder = topics, name, folder
        folder.mkdir()
        for table, partitions in (("a", 3), ("b", 1)):
            topics.make(f"{name}-{table}", partitions)
        statements = [self._table("a", ""), self._table("b", ", 'scan.watermark.idle-timeout' = '2 s'")]
        inserts = []
        statements.append("CREATE TABLE seen (k INT, v INT) WITH ('connector' = 'print', 'print-identifier' = 'seen');")
        for table in ("a", "b"):
            inserts.append(f"INSERT INTO seen SELECT k, v FROM {table};")
            statements.append(
                f"CREATE TABLE to_{table} (w TIMESTAMP(3), n BIGINT, s BIGINT) WITH ('connector' = 'print',"
                f" 'print-identifier' = '{table}');"
            )
            query = QUERIES["twice"][1].replace("TABLE a,", f"TABLE {table},")
            inserts.append(f"INSERT INTO to_{table} {query};")
        text = "\n".join([*statements, "EXECUTE STATEMENT SET BEGIN", *inserts, "END;"])
        plan = TableEnvironment({"table.exec.source.idle-timeout": "1 s"}).compile_script(text)
        (folder / "plan.json").write_text(plan.to_json())
        self.run: Command | None = None
        self.before: list[str] = []
        self.given = 0

    def _table(self, table: str, more: str) -> str:
        columns = "k INT, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts"
        options = f"'connector' = 'kafka', 'topic' = '{self.name}-{table}', 'format' = 'json', {self.topics.options}"
        return f"CREATE TABLE {table} ({columns}) WITH ({options}, 'scan.startup.mode' = 'earliest-offset'{more});"

    def start(self, *options: str) -> None:
        self.run = Command(self.folder / "plan.json", self.folder / "checkpoint", *options)

    def stop(self) -> None:
        """Stop the run when it has committed its output."""
        assert self.run is not None
        wait_until(lambda: ">" not in self.said.rpartition("batch ")[2], "the end of a batch")
        self.run.ended(signal.SIGINT, 0)
        self.before = self.lines()
        self.run = None

    @property
    def said(self) -> str:
        return "" if self.run is None else self.run.out.read_text()

    def lines(self) -> list[str]:
        return self.before + [line for line in self.said.splitlines() if line[:2] in ("a>", "b>")]

    def gives(self, table: str, *events: tuple[int, int]) -> None:
        """Send rows of a table and wait until they are read: the partition and the second of each."""
        rows = []
        for partition, second in events:
            self.given += 1
            time = f"2024-01-01 00:{second // 60:02}:{second % 60:02}"
            rows.append(Message(json.dumps({"k": 0, "v": self.given, "ts": time}), partition=partition))
        self.topics.send(f"{self.name}-{table}", rows)
        wait_until(lambda: f"seen> +I[0, {self.given}]" in self.said, f"row {self.given}")

    def shows(self, *windows: str) -> None:
        wait_until(lambda: len(self.lines()) >= len(windows), f"{windows} of {self.lines()}")
        assert sorted(self.lines()) == sorted(windows), self.said


def _window(table: str, second: int, panes: int, rows: int) -> str:
    minutes, rest = divmod(second, 60)
    return f"{table}> +I[2024-01-01T00:{minutes:02}{f':{rest:02}' if rest else ''}, {panes}, {rows}]"


@pytest.mark.deep
@pytest.mark.parametrize("modes", [("batches", "rows", "batches"), ("rows", "rows", "batches", "rows")])
def test_idle_partitions_do_not_hold_back_windows(
    spark: SparkSession, topics: Topics, tmp_path: Path, modes: Sequence[str]
) -> None:
    silent = Silent(topics, f"silent-{'-'.join(modes)}", tmp_path / "run")
    options = {"batches": (*SHORT, "--trigger", "200ms"), "rows": REAL_TIME}
    silent.start(*options[modes[0]])
    # Partitions 1 and 2 of a, and b, are idle from the start; when all are idle the largest watermark counts.
    silent.gives("a", (0, 0), (0, 1), (0, 2), (0, 8))
    seen = [_window("a", 0, 2, 3)]
    silent.shows(*seen)
    # An active one counts again; its row behind the watermark is late.
    silent.gives("a", (1, 1), (1, 9))
    silent.gives("a", (0, 13))
    seen.append(_window("a", 8, 1, 2))
    silent.shows(*seen)
    silent.gives("b", (0, 20))
    seen.append(_window("a", 12, 1, 1))
    silent.shows(*seen)
    waiting = 20
    for number, mode in enumerate(modes[1:], 2):
        silent.stop()
        silent.start(*options[mode])
        since = 20 * number
        silent.gives("a", (2, since), (2, since + 9))
        seen += [_window("b", waiting, 1, 1), _window("a", since, 1, 1)]
        silent.shows(*seen)
        waiting = since + 12
        silent.gives("b", (0, waiting))
        seen.append(_window("a", since + 8, 1, 1))
        silent.shows(*seen)
    silent.stop()


_LATE = """
CREATE TABLE seen (k INT, v INT) WITH ('connector' = 'print', 'print-identifier' = 'seen');
CREATE TABLE told (k INT, v INT) WITH ('connector' = 'print', 'print-identifier' = 'told');
CREATE TABLE near (k INT, v INT, x INT) WITH ('connector' = 'print', 'print-identifier' = 'near');
CREATE TABLE held (k INT, v INT, x INT) WITH ('connector' = 'print', 'print-identifier' = 'held');
EXECUTE STATEMENT SET BEGIN
INSERT INTO seen SELECT k, v FROM b;
INSERT INTO told SELECT k, v FROM r;
INSERT INTO near SELECT a.k, a.v, b.v FROM a LEFT JOIN b ON a.k = b.k
  AND a.ts BETWEEN b.ts - INTERVAL '10' SECOND AND b.ts + INTERVAL '10' SECOND;
INSERT INTO held SELECT a.k, a.v, r.v FROM a LEFT JOIN r FOR SYSTEM_TIME AS OF a.ts ON a.k = r.k;
END;
"""


@pytest.mark.deep
def test_late_rows_meet_joins_at_the_watermark_of_then_as_in_flink(
    spark: SparkSession, topics: Topics, tmp_path: Path
) -> None:
    """An interval join matches them with stored rows; a temporal one stores them until the next watermark."""
    streams = Streams(topics, "late", 1)
    plan = TableEnvironment().compile_script(
        "".join(map(streams._table, TABLES)).replace(" - INTERVAL '2' SECOND", "") + _LATE
    )
    (tmp_path / "plan.json").write_text(plan.to_json())
    run = Reading(tmp_path / "plan.json", tmp_path / "checkpoint", *REAL_TIME)

    def sends(table: str, k: int, v: int, second: int) -> None:
        row = {"k": k, "v": v, "ts": f"2024-01-01 00:00:{second:02}"}
        key = json.dumps({"k": k}) if table == "r" else None
        topics.send(f"late-{table}", [Message(json.dumps(row), key=key)])

    def shows(line: str) -> None:
        wait_until(lambda: line in run.out.read_text().splitlines(), line)

    sends("r", 1, 55, 2)
    for table in TABLES:
        sends(table, 9, 0, 30)
    for line in ("told> +I[9, 0]", "near> +I[9, 0, 0]", "seen> +I[9, 0]"):
        shows(line)
    sends("a", 1, 5, 15)
    shows("near> +I[1, 5, null]")
    sends("b", 1, 6, 16)
    shows("seen> +I[1, 6]")
    sends("r", 1, 77, 12)
    shows("told> +U[1, 77]")
    for table in TABLES:
        sends(table, 9, 1, 40)
    shows("held> +I[1, 5, 77]")
    run.ended(signal.SIGINT, 0)
    assert [line for line in run.out.read_text().splitlines() if "+I[1, 5," in line] == [
        "near> +I[1, 5, null]",
        "held> +I[1, 5, 77]",
    ]
