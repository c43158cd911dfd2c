"""External sinks after real-time mode: a database, topics of Kafka."""

from __future__ import annotations

import signal
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from tests.plans.execution.realtime.test_query import REAL_TIME, SHORT, Command, table
from tests.support.commands import process
from tools.services.kafka import make_topics
from tools.services.postgres import psql

if TYPE_CHECKING:
    from tools.services.server import Server

NUMBERS = """CREATE TABLE numbers (id BIGINT, k INT, v INT) WITH ('connector' = 'datagen', 'rows-per-second' = '50',
  'fields.id.kind' = 'sequence', 'fields.id.start' = '1', 'fields.id.end' = '100', 'fields.k.min' = '0',
  'fields.k.max' = '6', 'fields.v.min' = '0', 'fields.v.max' = '9');
"""
COUNTS = "SELECT k, COUNT(*), SUM(v) FROM {source} GROUP BY k;"
COLUMNS = "k INT, n BIGINT, total INT"


def planned(folder: Path, program: str) -> Path:
    place = folder / f"{uuid.uuid4().hex}.json"
    place.write_text(TableEnvironment().compile_script(program).to_json())
    return place


def printed(folder: Path, counts: str = COUNTS) -> list[str]:
    """The counts that micro-batches print, one row per key."""
    program = f"{NUMBERS}CREATE TABLE shown ({COLUMNS}) WITH ('connector' = 'print');\nINSERT INTO shown "
    said = process("execute_plan", planned(folder, program + counts.format(source="numbers")), "-q", *SHORT)
    assert said.returncode == 0, said.stderr
    return sorted(table(said.stdout.splitlines()))


@pytest.mark.deep
@pytest.mark.spark
def test_a_database_has_the_last_row_of_each_key(postgres: Server, tmp_path: Path) -> None:
    psql(postgres.port, "CREATE TABLE rt_counts (k INT PRIMARY KEY, n BIGINT, total INT)")
    sink = (
        f"CREATE TABLE counts ({COLUMNS}, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'jdbc', "
        f"'url' = '{postgres.address}', 'table-name' = 'rt_counts');\n"
    )
    # The condition passes rows before updates without the rows after them.
    counts = COUNTS.replace(";", " HAVING COUNT(*) % 3 <> 0;")
    plan = planned(tmp_path, f"{NUMBERS}{sink}INSERT INTO counts {counts.format(source='numbers')}")
    said = process("execute_plan", plan, *REAL_TIME)
    assert said.returncode == 0, said.stderr
    rows = psql(postgres.port, "SELECT k, n, total FROM rt_counts")
    assert sorted(", ".join(row) for row in rows) == printed(tmp_path, counts)


@pytest.mark.deep
@pytest.mark.spark
def test_messages_come_through_topics(kafka: Server, tmp_path: Path) -> None:
    make_topics(kafka.address, "rt_numbers")
    topic = (
        f"CREATE TABLE topic (id BIGINT, k INT, v INT) WITH ('connector' = 'kafka', 'topic' = 'rt_numbers', "
        f"'properties.bootstrap.servers' = '{kafka.address}', 'format' = 'json', "
        "'scan.startup.mode' = 'earliest-offset');\n"
    )
    fill = planned(tmp_path, f"{NUMBERS}{topic}INSERT INTO topic SELECT id, k, v FROM numbers;")
    said = process("execute_plan", fill, *REAL_TIME)
    assert said.returncode == 0, said.stderr
    shown = f"CREATE TABLE shown ({COLUMNS}) WITH ('connector' = 'print');\n"
    plan = planned(tmp_path, f"{topic}{shown}INSERT INTO shown {COUNTS.format(source='topic')}")
    # 100 rows with 7 keys give 7 first rows and two for each other one.
    lines = Command(plan, tmp_path / "checkpoint", *REAL_TIME).ended(signal.SIGINT, 7 + 2 * 93)
    assert sorted(table(lines)) == printed(tmp_path)
