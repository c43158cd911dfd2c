"""What sinks outside are left with in real-time mode: a database."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.api.environment import TableEnvironment
from tests.plans.execution.realtime.test_query import REAL_TIME, SHORT, table
from tests.support.commands import process
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


def printed(folder: Path) -> list[str]:
    """The counts that micro-batches print, one row a key."""
    program = f"{NUMBERS}CREATE TABLE shown ({COLUMNS}) WITH ('connector' = 'print');\nINSERT INTO shown "
    said = process("execute_plan", planned(folder, program + COUNTS.format(source="numbers")), "-q", *SHORT)
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
    plan = planned(tmp_path, f"{NUMBERS}{sink}INSERT INTO counts {COUNTS.format(source='numbers')}")
    said = process("execute_plan", plan, *REAL_TIME)
    assert said.returncode == 0, said.stderr
    found = psql(postgres.port, "SELECT k, n, total FROM rt_counts")
    assert sorted(", ".join(row) for row in found) == printed(tmp_path)
