"""`kafka` and `upsert-kafka` with schemas in a registry, on a real broker: one run writes, another reads."""

from __future__ import annotations

import json
import urllib.request
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from tests.support.topics import Topics
from tools.services.registry import serving

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tools.services.server import Server


def run(spark: SparkSession, program: str) -> list[str]:
    lines: list[str] = []
    Run(spark, TableEnvironment().compile_script(program), RunOptions(), lines.append).execute()
    return sorted(lines)


@pytest.mark.wide
def test_keys_and_values_have_schemas_under_subjects_of_the_topic(spark: SparkSession, kafka: Server) -> None:
    with serving() as registry:
        written_and_read(spark, Topics(spark, kafka), registry.url, "avro")
        assert sorted(registry.subjects) == ["avro-events-value", "avro-upserts-key", "avro-upserts-value"]


@pytest.mark.deep
def test_a_registry_that_is_a_process(spark: SparkSession, kafka: Server, registry: Server) -> None:
    written_and_read(spark, Topics(spark, kafka), registry.address, "made")
    with urllib.request.urlopen(f"{registry.address}/subjects", timeout=30) as answer:
        assert json.loads(answer.read()) == ["made-events-value", "made-upserts-key", "made-upserts-value"]


def written_and_read(spark: SparkSession, topics: Topics, url: str, prefix: str) -> None:
    """Rows of tables of three kinds with schemas in a registry, written and read back."""
    for name in ("upserts", "events", "plain"):
        topics.make(f"{prefix}-{name}")
    value = f"'value.format' = 'avro-confluent', 'value.avro-confluent.url' = '{url}'"
    key = value.replace("value", "key")
    begin = "'scan.startup.mode' = 'earliest-offset'"
    end = f"'scan.bounded.mode' = 'latest-offset', {topics.options}"
    events = f"'format' = 'debezium-avro-confluent', 'debezium-avro-confluent.url' = '{url}'"
    tables = f"""
        CREATE TABLE up (id INT, n STRING, PRIMARY KEY (id) NOT ENFORCED) WITH (
          'connector' = 'upsert-kafka', 'topic' = '{prefix}-upserts', {key}, {value}, {end});
        CREATE TABLE ev (id INT, n STRING) WITH ('connector' = 'kafka', 'topic' = '{prefix}-events', {events},
          {begin}, {end});
        CREATE TABLE pl (id INT, n STRING) WITH ('connector' = 'kafka', 'topic' = '{prefix}-plain',
          'format' = 'avro', 'key.format' = 'avro', 'key.fields' = 'id', {begin}, {end});
    """
    rows = "(VALUES (300, 'a'), (-1, CAST(NULL AS STRING))) AS t(id, n)"
    names = ("up", "ev", "pl")
    writing = "".join(
        f"INSERT INTO {name} SELECT id, n FROM {rows} {'ON CONFLICT DO DEDUPLICATE' if name == 'up' else ''};"
        for name in names
    )
    run(spark, f"{tables} EXECUTE STATEMENT SET BEGIN {writing} END;")
    printed = "".join(
        f"CREATE TABLE o_{name} (id INT, n STRING) WITH ('connector' = 'print', 'print-identifier' = '{name}');"
        for name in names
    )
    reading = "".join(f"INSERT INTO o_{name} SELECT * FROM {name};" for name in ("ev", "pl"))
    reading += "INSERT INTO o_up SELECT id, n FROM up;"
    result = run(spark, f"{tables} {printed} EXECUTE STATEMENT SET BEGIN {reading} END;")
    assert result == sorted(f"{name}> +I[{row}]" for name in names for row in ("300, a", "-1, null"))
