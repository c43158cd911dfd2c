"""A run into Kafka, a database and a folder; it or its servers are killed: each sink has every row once."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.plan import CompiledPlan
from tests.plans.execution.kills import Before, Killed, Moment
from tests.support.file_events import FileEvent
from tests.support.topics import Message, Topics
from tools.maven import POSTGRES_DRIVER, fetched
from tools.services.kafka import connector_jars
from tools.services.postgres import psql
from tools.services.server import Server

DRIVER, EXECUTOR, BROKER, DATABASE = "driver", "executor", "broker", "database"
FOLDER = "copied"
#: Files that brokers write, by the prefix of the folder's name.
_OF_BROKER = {
    "__transaction_state": "transactions",
    "__consumer_offsets": "marks",
    "joined": "messages",
    "totals": "messages",
}
#: Phases of a process while rows are in flight; most kills are in these.
_WRITING = frozenset(("transactions", "marks", "messages", "database", "sinks", "offsets", "state", "commit"))
#: Time limit of a run that is not killed, whatever was unavailable, in seconds.
_LONGEST = 240.0


@dataclass(frozen=True, slots=True)
class Servers:
    """Servers of the sinks; their folders are below that of the runs, so that writes are observed."""

    topics: Topics
    broker: Server
    database: Server


class KilledTransactions(Killed):
    """Each completed run is followed by one on another checkpoint, into other topics and another table."""

    ASKED_FIRST = False

    def __init__(
        self, servers: Servers, victims: tuple[str, ...], master: str, folder: Path, chance: random.Random
    ) -> None:
        self.servers, self.victims, self.MASTER = servers, victims, master
        self.ends, self.ended = 0, False
        self._make()
        servers.topics.make("items")
        rows = [json.loads(line) for file in (folder / "items").iterdir() for line in file.read_text().splitlines()]
        servers.topics.send("items", [Message(json.dumps(row)) for row in rows])
        self.root = folder
        super().__init__(folder, chance)

    def _make(self) -> None:
        """Create the sinks of the next run."""
        for name in ("joined", "totals"):
            self.servers.topics.make(f"{name}-{self.ends}", 2)
        psql(self.servers.database.port, f"CREATE TABLE stored_{self.ends} (id INT, price INT)")

    def compiled(self) -> CompiledPlan:
        topics, end = self.servers.topics, self.ends
        once = (
            f"'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = 'killed', {topics.options}"
        )
        files = "'connector' = 'filesystem', 'format' = 'json', 'path' = "
        return TableEnvironment().compile_script(
            f"""
            CREATE TABLE orders (id INT, item INT) WITH ({files}'{self.root / "orders"}');
            CREATE TABLE items (item INT, price INT) WITH ('connector' = 'kafka', 'topic' = 'items', 'format' = 'json',
              'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', {topics.options});
            CREATE TABLE joined (id INT, price INT) WITH ('connector' = 'kafka', 'topic' = 'joined-{end}',
              'format' = 'json', {once});
            CREATE TABLE totals (price INT, n BIGINT, PRIMARY KEY (price) NOT ENFORCED) WITH (
              'connector' = 'upsert-kafka', 'topic' = 'totals-{end}', 'key.format' = 'json', 'value.format' = 'json',
              'sink.parallelism' = '2', {once});
            CREATE TABLE copied (id INT, item INT) WITH ({files}'{self.root / FOLDER}');
            CREATE TABLE stored (id INT, price INT) WITH ('connector' = 'jdbc', 'table-name' = 'stored_{end}',
              'url' = '{self.servers.database.address}', 'sink.max-retries' = '60');
            CREATE VIEW matched AS SELECT id, price FROM orders JOIN items ON orders.item = items.item;
            EXECUTE STATEMENT SET BEGIN
            INSERT INTO joined SELECT id, price FROM matched;
            INSERT INTO totals SELECT price, COUNT(*) FROM matched GROUP BY price;
            INSERT INTO copied SELECT id, item FROM orders;
            INSERT INTO stored SELECT id, price FROM matched;
            END;
            """
        )

    def process(self, checkpoint: Path, kind: str = "") -> subprocess.Popen[str]:
        jars = ",".join(path.as_uri() for path in (*connector_jars(), fetched(POSTGRES_DRIVER)))
        options = ["--max-files-per-batch", "1", "--conf", f"spark.jars={jars}"]
        options += ["--conf", "spark.sql.shuffle.partitions=2", "--conf", "spark.executor.memory=512m"]
        return self._execute(str(self.plan), *options, checkpoint=checkpoint)

    def phase(self, kind: str, event: FileEvent) -> str:
        inside = event.path.relative_to(self.folder).parts
        if inside[:2] == ("kafka", "data") and len(inside) > 3:
            return next((what for start, what in _OF_BROKER.items() if inside[2].startswith(start)), "")
        if inside[:3] == ("postgres", "data", "pg_wal"):
            return "database"
        return "sinks" if inside[0] == FOLDER else super().phase(kind, event)

    def _moment(self, kind: str) -> Moment:
        writing = self.chance.random() < 9 / 10 and bool(self.events[kind].keys() & _WRITING)
        while True:
            moment = super()._moment(kind)
            if not writing or moment.phase in _WRITING:
                self.moments[f"after {moment.phase}"] += 1
                return moment

    def _kill(self, process: subprocess.Popen[str]) -> None:
        victim = self.chance.choice(self.victims)
        executors = _executors(process.pid) if victim == EXECUTOR else []
        if victim == DRIVER or (victim == EXECUTOR and not executors):
            self.moments[f"kills of the {DRIVER}"] += 1
            super()._kill(process)
            return
        self.moments[f"kills of the {victim}"] += 1
        if victim == EXECUTOR:
            with suppress(ProcessLookupError):
                os.kill(self.chance.choice(executors), signal.SIGKILL)
        else:
            server = self.servers.broker if victim == BROKER else self.servers.database
            server.kill()
            time.sleep(3 * self.chance.random())
            server.start()
        # The run continues by itself.
        said = process.communicate(timeout=_LONGEST)[1]
        assert process.returncode == 0, said
        self.ended = True

    def check(self, kind: str, before: Before) -> None:
        super().check(kind, before)
        if self.ended:
            self.ended = False
            self.finished(kind)

    def compare(self) -> None:
        moments = ", ".join(f"{count} {moment}" for moment, count in sorted(self.moments.items()) if ": " not in moment)
        print(f"{time.strftime('%T')}: {self.kills} kills, end {self.ends + 1}: {moments}", flush=True)
        outputs = self.results()
        self.expected = self.expected or outputs
        assert all(outputs.values())
        for name, rows in outputs.items():
            assert rows == self.expected[name], f"{name} after {self.kills} kills"

    def results(self) -> dict[str, Counter[str]]:
        """Committed results by sink; for upserts the final rows."""
        topics, end = self.servers.topics, self.ends
        left: dict[str, str | None] = {}
        for message in topics.read(f"totals-{end}", committed=True):
            assert message.key is not None
            left[message.key] = message.value
        lines = (line for file in (self.folder / FOLDER).glob("part-*") for line in file.read_text().splitlines())
        rows = psql(self.servers.database.port, f"SELECT id, price FROM stored_{end}")
        return {
            "joined": Counter(message.value or "" for message in topics.read(f"joined-{end}", committed=True)),
            "totals": Counter(value for value in left.values() if value is not None),
            FOLDER: Counter(lines),
            "stored": Counter(map(str, rows)),
        }

    def finished(self, kind: str) -> None:
        self.compare()
        self.ends += 1
        shutil.rmtree(self.folder / FOLDER)
        self._make()
        self.plan.write_text(self.compiled().to_json())


def _executors(session: int) -> list[int]:
    """The processes of Spark's executors in a multi-process session."""
    pids = []
    for place in Path("/proc").iterdir():
        with suppress(OSError, ValueError, IndexError):
            pid = int(place.name)
            if os.getsid(pid) == session and b"CoarseGrainedExecutorBackend" in (place / "cmdline").read_bytes():
                pids.append(pid)
    return sorted(pids)
