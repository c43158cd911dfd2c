"""Reading state from a program."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import compiled_plan as cp
from tests.plans.execution.checkpoint.places import Place, table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_figures_keys_and_all_entries(spark: SparkSession, tmp_path: Path) -> None:
    place = Place(spark, tmp_path)
    place.add({"orders": [{"id": 1, "item": "nut"}, {"id": 2, "item": "nut"}]})
    program = table("orders", "id INT, item STRING") + (
        "CREATE TABLE sink (item STRING, n BIGINT) WITH ('connector' = 'blackhole');\n"
    )
    place.run(place.compiled(program, "INSERT INTO sink SELECT item, COUNT(*) FROM orders GROUP BY item"))
    checkpoint = str(place.checkpoint)
    (operator,) = cp.inspect_state(checkpoint).operators
    assert (operator.keys, operator.parts[0].name, operator.parts[0].ttl) == (1, "groupAggregateState", 0)
    (again,) = cp.inspect_state(checkpoint, operator.uid, what_if="3d").operators
    assert again.parts[0].what_if is not None
    assert again.parts[0].what_if.kept == 1
    (key,) = cp.inspect_key(checkpoint, operator.uid, {"item": "nut"}).keys
    assert {field.name: field.value for field in key.fields}["rows"] == 2
    assert cp.export_state(checkpoint, operator.uid, str(tmp_path / "entries")) == 1
