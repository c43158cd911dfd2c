"""Digests of Spark's logs in object stores and in real-time mode: recorded as they are written, verified at a start."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.spark.storage import Folder, LocalFolder, folder_of
from compiled_plan.plans.execution.state.checkpoint.digests import FileReader, read_digests
from tests.plans.execution.state.checkpoint.places import Place, table
from tests.support.commands import process

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tools.services.server import Server

TABLES = table("sales", "shop INT, price INT") + table("totals", "shop INT, total INT", "debezium-json")
TOTALS = "INSERT INTO totals SELECT shop, SUM(price) FROM sales GROUP BY shop"
REAL_TIME = ("--trigger", "real-time=1s", "--conf", "spark.sql.streaming.realTimeMode.minBatchDuration=1000")


def verified(generation: Folder) -> set[str]:
    """The recorded files of a generation, all of which are as recorded."""
    digests = read_digests(generation)
    assert digests is not None
    FileReader(generation, digests).check()
    return {name.rpartition("/")[0] for name in digests}


@pytest.mark.wide
def test_an_object_store(spark: SparkSession, s3: Server, bucket: str, tmp_path: Path) -> None:
    keys = {"aws_access_key_id": "any", "aws_secret_access_key": "any", "region_name": "us-east-1"}
    client = boto3.client("s3", endpoint_url=s3.address, **keys)

    def put(uri: str, text: str) -> None:
        """Write an object by another client: what this process writes by Hadoop's client is recorded."""
        name, _, key = uri.removeprefix("s3a://").partition("/")
        client.put_object(Bucket=name, Key=key, Body=text.encode())

    place = Place(spark, tmp_path)
    options: dict[str, Any] = {"checkpoint": f"{bucket}/checkpoint"}
    plan = place.compiled(TABLES, TOTALS)
    for batch in range(3):
        place.add({"sales": [{"shop": 1, "price": batch}]})
        place.run(plan, **options)
    generation = folder_of(spark, f"{bucket}/checkpoint/generations/1")
    assert {"offsets", "commits", "sources/sales", "state/0/_metadata/v2"} < verified(generation)
    for name in ("sources/sales/1", "offsets/2", "commits/2", "metadata"):
        text = generation.read_text(name) or ""
        put(f"{generation.uri}/{name}", text.replace("1", "2", 1) if "1" in text else text.upper())
        with pytest.raises(CheckpointError, match=f"{name} of the checkpoint is damaged"):
            place.started(plan, **options)
        put(f"{generation.uri}/{name}", text)
    place.run(plan, **options)


@pytest.mark.wide
@pytest.mark.spark
def test_real_time_mode(tmp_path: Path) -> None:
    checkpoint, plan = tmp_path / "checkpoint", tmp_path / "plan.json"
    program = """
    CREATE TABLE orders (id BIGINT, customer INT) WITH ('connector' = 'datagen', 'rows-per-second' = '40',
      'fields.id.kind' = 'sequence', 'fields.id.start' = '1', 'fields.id.end' = '100', 'fields.customer.min' = '0',
      'fields.customer.max' = '4');
    CREATE TABLE counts (customer INT, n BIGINT) WITH ('connector' = 'blackhole');
    INSERT INTO counts SELECT customer, COUNT(*) FROM orders GROUP BY customer;
    """
    plan.write_text(TableEnvironment().compile_script(program).to_json())
    command = ("--checkpoint", checkpoint, *REAL_TIME, "--conf", "spark.sql.shuffle.partitions=1")
    assert process("execute_plan", plan, *command).returncode == 0
    generation = LocalFolder(checkpoint / "generations/1")
    assert {"offsets", "commits", "state/0/_metadata/v2"} < verified(generation)
    assert process("execute_plan", plan, *command).returncode == 0
    entry = max((generation.path / "offsets").glob("[0-9]*"), key=lambda path: int(path.name))
    entry.write_text(entry.read_text().replace("0", "1", 1))
    (entry.parent / f".{entry.name}.crc").unlink(missing_ok=True)
    said = process("execute_plan", plan, *command)
    assert (said.returncode, f"offsets/{entry.name} of the checkpoint is damaged" in said.stderr) == (1, True)
