"""Tests recorded from runs: they hold the first rows as they are read, and pass in both engines."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from compiled_plan.cli.test_plan import app
from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.session.partitions import PARTITIONS
from compiled_plan.plans.execution.spark.java import settings
from compiled_plan.plans.execution.testing.engine import ENGINES
from compiled_plan.plans.execution.testing.sessions import engines_of
from compiled_plan.testing.cases import cases_in
from compiled_plan.testing.reporting import failure_text
from compiled_plan.testing.running import run_case
from tests.support.topics import Message, Topics

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tools.services.server import Server

PROGRAM = """
CREATE TABLE customers (id INT, name STRING) WITH (
  'connector' = 'filesystem', 'path' = '{folder}/customers', 'format' = 'debezium-json');
CREATE TABLE orders (
  id INT, customer INT, price DECIMAL(10, 2), weight DOUBLE, ts TIMESTAMP(3), seen TIMESTAMP_LTZ(3), code BYTES,
  tags ARRAY<STRING>, attributes MAP<STRING, INT>, place ROW<street STRING, house INT>, unread DATE,
  file STRING METADATA FROM 'file.name', size BIGINT METADATA FROM 'file.size', WATERMARK FOR ts AS ts
) WITH ('connector' = 'filesystem', 'path' = '{folder}/orders', 'format' = 'json');
CREATE TABLE ticks (n INT) WITH ('connector' = 'datagen', 'fields.n.kind' = 'sequence',
  'fields.n.start' = '1', 'fields.n.end' = '9', 'rows-per-second' = '1000');
CREATE TABLE names (name STRING, customers BIGINT) WITH ('connector' = 'blackhole');
CREATE TABLE hours (start_ TIMESTAMP(3), orders BIGINT) WITH ('connector' = 'blackhole');
CREATE TABLE copies (id INT, price DECIMAL(10, 2), weight DOUBLE, seen TIMESTAMP_LTZ(3), code BYTES, tags ARRAY<STRING>,
  attributes MAP<STRING, INT>, street STRING, file STRING) WITH ('connector' = 'blackhole');
CREATE TABLE counted (n INT) WITH ('connector' = 'blackhole');
BEGIN STATEMENT SET;
INSERT INTO names SELECT name, COUNT(*) FROM customers GROUP BY name;
INSERT INTO hours SELECT window_start, COUNT(*)
  FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;
INSERT INTO copies SELECT id, price, weight, seen, code, tags, attributes, o.place.street, file
  FROM orders o WHERE id <> 2;
INSERT INTO counted SELECT n FROM ticks;
END;
"""
CUSTOMERS: list[dict[str, object]] = [
    {"before": None, "after": {"id": 1, "name": "ann"}, "op": "c"},
    {"before": {"id": 1, "name": "ann"}, "after": {"id": 1, "name": "Ann: \u2028?"}, "op": "u"},
    {"before": None, "after": {"id": 2, "name": "bob"}, "op": "c"},
]
ORDERS: list[dict[str, object]] = [
    {"id": 1, "customer": 1, "price": 9.5, "weight": 1e-7, "ts": "2024-01-01 00:10:00", "seen": "2024-01-01 00:10:00Z",
     "code": "Cv8=", "tags": ["a, b", None, "null"], "attributes": {"x": 1}, "place": {"street": "?"},
     "unread": "2024-01-31"},
    {"id": 2, "customer": 1, "price": 0.1, "ts": "2024-01-01 02:00:00"},
    {"id": 3, "customer": 2, "price": 4, "ts": "2024-01-01 01:00:00.5"},
    {"id": 4, "customer": 2, "price": 5, "ts": "2024-01-01 05:00:00"},
]  # fmt: skip


def write_lines(folder: Path, *files: list[dict[str, object]]) -> None:
    folder.mkdir()
    for number, rows in enumerate(files):
        (folder / f"{number}.json").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def recorded(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.output
    return result.stdout


def passes_in_both_engines(spark: SparkSession, file: Path) -> None:
    (case,) = cases_in(file)
    for engine in ENGINES:
        result = run_case(case, engines_of(spark), engine)
        assert result.failure is None, failure_text(result.failure)


@pytest.mark.wide
def test_a_sample_of_files(shared_session: None, spark: SparkSession, tmp_path: Path) -> None:
    write_lines(tmp_path / "customers", CUSTOMERS)
    write_lines(tmp_path / "orders", ORDERS[:2], ORDERS[2:])
    checkpoint, file = tmp_path / "checkpoint", tmp_path / "sample.test.yaml"
    program = PROGRAM.format(folder=tmp_path)
    plan = TableEnvironment().compile_script(program)
    with settings(spark, {PARTITIONS: "1"}):
        Run(spark, plan, RunOptions(checkpoint=str(checkpoint))).execute()
    before = content(checkpoint)

    said = recorded("--from-run", str(checkpoint), "--rows", "3", "-o", str(file))
    assert "default_catalog.default_database.orders: 3 rows\n" in said
    assert content(checkpoint) == before
    text = file.read_text(encoding="utf-8")
    assert "program: sample.test.json\n" in text
    orders = text.partition("      orders:\n")[2].splitlines()
    assert orders[0] == (
        "        - {id: 1, customer: 1, price: 9.50, weight: 1e-07, ts: 2024-01-01 00:10:00, "
        'seen: 2024-01-01 00:10:00Z, code: 0x0aff, tags: ["a, b", null, "null"], attributes: {x: 1}, '
        'place: {street: "?", house: null}, unread: 2024-01-31, file: 0.json}'
    )
    assert [line.partition(",")[0] for line in orders[:3]] == [f"        - {{id: {number}" for number in (1, 2, 3)]
    changes = text.partition("      customers:\n")[2].splitlines()[:3]
    assert [change.strip()[2:5] for change in changes] == ["{id", "-U:", "+U:"]
    assert '+I: {name: "Ann: \\u2028?", customers: 1}' in text
    # In the order of the files, the order of 1 o'clock is late.
    assert "1 of 9 rows came late" in said
    assert "hours: [+I: {start_: 2024-01-01 02:00:00, orders: 1}]" in text.partition("  - end:")[2]
    assert "        - {n: 3}\n" in text
    shutil.rmtree(tmp_path / "orders")
    passes_in_both_engines(spark, file)

    refused = CliRunner().invoke(app, ["--from-run", str(checkpoint), "-o", str(file)])
    assert (refused.exit_code, "give --force" in refused.stderr) == (1, True)
    assert file.read_text(encoding="utf-8") == text
    assert CliRunner().invoke(app, ["--rows", "3", "-o", "x.test.yaml"]).exit_code == 2


def test_a_folder_that_is_no_checkpoint(tmp_path: Path) -> None:
    refused = CliRunner().invoke(app, ["--from-run", str(tmp_path)])
    assert refused.exit_code == 1
    assert "nothing was started" in refused.stderr


@pytest.mark.wide
def test_a_sample_of_messages(shared_session: None, spark: SparkSession, kafka: Server, tmp_path: Path) -> None:
    topics = Topics(spark, kafka)
    topic = topics.make("recorded")
    topics.send(topic, [Message(f'{{"id": {number}}}') for number in range(50)])
    program = tmp_path / "ids.sql"
    program.write_text(
        "CREATE TABLE ids (id INT, place BIGINT METADATA FROM 'offset') WITH ('connector' = 'kafka', "
        f"'topic' = '{topic}', 'scan.startup.mode' = 'latest-offset', 'scan.bounded.mode' = 'latest-offset', "
        f"'format' = 'json', {topics.options});\n"
        "CREATE TABLE copies (id INT, place BIGINT) WITH ('connector' = 'blackhole');\n"
        "INSERT INTO copies SELECT id, place FROM ids;\n",
        encoding="utf-8",
    )
    checkpoint, file = tmp_path / "checkpoint", tmp_path / "ids.test.yaml"
    plan = TableEnvironment().compile_script(program.read_text(encoding="utf-8"))
    Run(spark, plan, RunOptions(checkpoint=str(checkpoint))).execute()
    recorded(str(program), "--from-run", str(checkpoint), "--rows", "3", "-o", str(file))
    assert not (tmp_path / "ids.test.json").exists()
    text = file.read_text(encoding="utf-8")
    assert "program: ids.sql\n" in text
    assert [line for line in text.splitlines() if "- {id" in line] == [
        f"        - {{id: {number}, place: {number}}}" for number in range(3)
    ]
    passes_in_both_engines(spark, file)
