"""A checkpoint moves between versions of Spark, there and back.

`make test SPARK=4.2` makes the environments of the other versions.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.spark_versions import SPARK_VERSIONS, SparkVersion, spark_version
from tests.historical.cases import results
from tests.older_spark import python_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

INSTALLED = spark_version(metadata.version("pyspark"))
PROGRAM = """
CREATE TABLE orders (shop STRING, price INT, sold TIMESTAMP(3), WATERMARK FOR sold AS sold)
  WITH ('connector' = 'filesystem', 'path' = '{folder}/orders', 'source.monitor-interval' = '1 s', 'format' = 'json');
CREATE TABLE shops (shop STRING, region STRING)
  WITH ('connector' = 'filesystem', 'path' = '{folder}/shops', 'source.monitor-interval' = '1 s', 'format' = 'json');
CREATE TABLE regions (region STRING, paid BIGINT, PRIMARY KEY (region) NOT ENFORCED)
  WITH ('connector' = 'filesystem', 'path' = '{folder}/regions', 'format' = 'debezium-json');
CREATE TABLE hours (hour_ TIMESTAMP(3), orders BIGINT)
  WITH ('connector' = 'filesystem', 'path' = '{folder}/hours', 'format' = 'debezium-json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO regions SELECT region, SUM(price) FROM orders JOIN shops ON orders.shop = shops.shop GROUP BY region;
INSERT INTO hours SELECT window_start, COUNT(*) FROM TUMBLE(TABLE orders, DESCRIPTOR(sold), INTERVAL '1' HOUR)
  GROUP BY window_start, window_end;
END;
"""
#: The rows of both tables, in the parts that the runs read. The join of a part needs rows of earlier ones.
PARTS: tuple[Mapping[str, list[dict[str, object]]], ...] = (
    {
        "orders": [{"shop": "a", "price": 1, "sold": "2024-01-01 00:10:00"}],
        "shops": [{"shop": "a", "region": "north"}],
    },
    {
        "orders": [{"shop": "a", "price": 2, "sold": "2024-01-01 00:20:00"}],
        "shops": [{"shop": "b", "region": "north"}],
    },
    {
        "orders": [
            {"shop": "b", "price": 4, "sold": "2024-01-01 00:30:00"},
            {"shop": "a", "price": 8, "sold": "2024-01-01 02:00:00"},
        ],
        "shops": [{"shop": "c", "region": "south"}],
    },
)


@pytest.mark.wide
@pytest.mark.parametrize("version", [version for version in SPARK_VERSIONS if version != INSTALLED], ids=str)
def test_a_checkpoint_moves_to_another_spark_and_back(
    version: SparkVersion, spark: SparkSession, tmp_path: Path
) -> None:
    python = python_of(version)
    if not python.exists():
        pytest.skip(f"no environment has Spark {version}; try: make test SPARK={version}")
    plan = CompiledPlan.from_json(TableEnvironment().compile_script(PROGRAM.format(folder=tmp_path)).to_json())
    (tmp_path / "plan.json").write_text(plan.to_json())
    for number, part in enumerate(PARTS):
        add(part, number, tmp_path)
        if number == 1:
            there(python, tmp_path)
        else:
            Run(spark, plan, RunOptions(checkpoint=str(tmp_path / "checkpoint"), available_now=True)).execute()
    assert {name: [[*row.values()] for row in rows] for name, rows in results(plan, tmp_path).items()} == {
        "regions": [["north", 15]],
        "hours": [["2024-01-01 00:00:00", 3]],
    }
    offsets = (tmp_path / "checkpoint/generations/1/offsets").glob("[0-9]*")
    assert {path.read_text().splitlines()[0] for path in offsets} == {"v2"}


def add(part: Mapping[str, list[dict[str, object]]], number: int, folder: Path) -> None:
    for name, rows in part.items():
        file = folder / name / f"{number}.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))


def there(python: Path, folder: Path) -> None:
    """Continue in the other environment."""
    command = [python, "-P", "-m", "compiled_plan.cli.execute_plan", folder / "plan.json", "--available-now"]
    command += ["--checkpoint", folder / "checkpoint", "--master", "local[2]"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))}
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, f"{sys.executable}: {done.stdout}{done.stderr}"
