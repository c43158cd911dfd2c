"""Unavailable brokers and databases at the start or during a run: waited for, or named with exit code 1."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from tests.support.topics import Message, Topics
from tests.support.waiting import wait_until
from tools.maven import POSTGRES_DRIVER, fetched
from tools.services import kafka as broker
from tools.services import postgres as database
from tools.services.kafka import connector_jars
from tools.services.postgres import psql
from tools.services.server import Server, running

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.deep
#: Shorter than a user's timeout.
SHORT = (
    "'properties.default.api.timeout.ms' = '8000', 'properties.request.timeout.ms' = '4000', "
    "'properties.delivery.timeout.ms' = '8000', 'properties.max.block.ms' = '4000'"
)
LONG = "'properties.default.api.timeout.ms' = '120000'"


@pytest.fixture(scope="module")
def topics(spark: SparkSession, kafka_jars: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Topics]:
    with running(broker.SERVICE, tmp_path_factory.mktemp("away") / "kafka") as server:
        yield Topics(spark, server)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(database.SERVICE, tmp_path_factory.mktemp("away") / "postgres") as server:
        yield server


@dataclass
class Command:
    """A plan that a command runs."""

    folder: Path
    text: str
    #: Pass the jars of connectors; else the command fetches them.
    jars: bool = True
    said: list[str] = field(default_factory=list)

    def start(self, *options: str) -> subprocess.Popen[str]:
        plan = self.folder / "plan.json"
        plan.write_text(TableEnvironment().compile_script(self.text).to_json())
        command = [sys.executable, "-m", "compiled_plan.cli.execute_plan", str(plan), "--quiet", *options]
        command += ["--master", "local[2]", "--conf", "spark.driver.memory=1g"]
        if self.jars:
            jars = ",".join(path.as_uri() for path in (*connector_jars(), fetched(POSTGRES_DRIVER)))
            command += ["--conf", f"spark.jars={jars}"]
        command += ["--checkpoint", str(self.folder / "checkpoint")]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.said = []
        threading.Thread(target=self._listen, args=(process,), daemon=True).start()
        return process

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        self.said.extend(process.stderr)

    def listen(self, process: subprocess.Popen[str], text: str) -> None:
        """Wait until it has printed something."""
        assert process.stderr is not None
        wait_until(lambda: text in "".join(self.said) or process.poll() is not None, text)
        assert text in "".join(self.said)

    def ended(self, process: subprocess.Popen[str], code: int) -> str:
        process.wait(200)
        time.sleep(0.2)
        text = "".join(self.said)
        assert process.returncode == code, text
        assert "Traceback" not in text
        assert "\tat " not in text
        return text


EXACTLY_ONCE = "exactly-once"


def program(
    topics: Topics,
    name: str,
    more: str,
    bounded: str = "'scan.bounded.mode' = 'latest-offset', ",
    guarantee: str = EXACTLY_ONCE,
) -> str:
    topics.make(f"{name}-in")
    topics.make(f"{name}-out")
    return f"""
        CREATE TABLE origin (a INT) WITH ('connector' = 'kafka', 'topic' = '{name}-in', 'format' = 'json',
          'scan.startup.mode' = 'earliest-offset', {bounded}{topics.options}, {more});
        CREATE TABLE o (a INT) WITH ('connector' = 'kafka', 'topic' = '{name}-out', 'format' = 'json', {topics.options},
          {more}, 'sink.delivery-guarantee' = '{guarantee}', 'sink.transactional-id-prefix' = '{name}');
        INSERT INTO o SELECT a FROM origin;
    """


def out(topics: Topics, name: str) -> list[int]:
    return sorted(json.loads(message.value or "")["a"] for message in topics.read(f"{name}-out", committed=True))


def test_a_run_waits_for_a_broker_that_returns(topics: Topics, tmp_path: Path) -> None:
    command = Command(tmp_path, program(topics, "back", LONG), jars=False)
    topics.send("back-in", [Message('{"a": 1}')])
    topics.server.kill()
    process = command.start()
    try:
        command.listen(process, f"waiting for Kafka's brokers {topics.server.address} of table default_catalog")
    finally:
        topics.server.start()
    command.ended(process, 0)
    assert out(topics, "back") == [1]


def test_an_unavailable_broker_ends_a_start(topics: Topics, tmp_path: Path) -> None:
    command = Command(tmp_path, program(topics, "gone", SHORT))
    topics.server.kill()
    try:
        said = command.ended(command.start(), 1)
    finally:
        topics.server.start()
    assert f"Kafka's brokers {topics.server.address} of table default_catalog.default_database.o" in said
    assert "do not answer" in said
    assert "start them, or correct the table's option" in said


@pytest.mark.parametrize(
    ("name", "guarantee"),
    [("lost", EXACTLY_ONCE), pytest.param("gone-on", "at-least-once", marks=pytest.mark.deep)],
)
def test_a_broker_that_stops_ends_a_continuous_run(topics: Topics, tmp_path: Path, name: str, guarantee: str) -> None:
    command = Command(tmp_path, program(topics, name, SHORT, bounded="", guarantee=guarantee))
    topics.send(f"{name}-in", [Message('{"a": 1}')])
    process = command.start()
    wait_until(lambda: process.poll() is not None or out(topics, name) == [1])
    assert process.poll() is None, command.said
    topics.server.kill()
    try:
        said = command.ended(process, 1)
    finally:
        topics.server.start()
    assert f"Kafka's brokers {topics.server.address}" in said
    topics.send(f"{name}-in", [Message('{"a": 2}')])
    command.ended(command.start("--available-now"), 0)
    values = out(topics, name)
    assert values == [1, 2] if guarantee == EXACTLY_ONCE else set(values) == {1, 2}


def test_a_database_that_returns_or_not(server: Server, tmp_path: Path) -> None:
    psql(server.port, "CREATE TABLE away (a INT)")
    base = f"'connector' = 'jdbc', 'url' = '{server.address}', 'table-name' = 'away'"

    def program(seconds: int) -> str:
        return f"""
            CREATE TABLE o (a INT) WITH ({base}, 'connection.max-retry-timeout' = '{seconds} s');
            INSERT INTO o VALUES (1);
        """

    server.kill()
    try:
        said = Command(tmp_path, program(3))
        text = said.ended(said.start(), 1)
        assert "the database does not answer: jdbc:postgresql://127.0.0.1" in text
        assert "'connection.max-retry-timeout' says how long it is waited for" in text
        command = Command(tmp_path, program(120))
        process = command.start()
        command.listen(process, "waiting for jdbc:postgresql://127.0.0.1")
    finally:
        server.start()
    command.ended(process, 0)
    assert psql(server.port, "SELECT a FROM away") == [["1"]]
