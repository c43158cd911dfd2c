"""Reading state from a program."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import compiled_plan as cp
from compiled_plan.plans.errors import CheckpointError
from tests.flink_programs.restoring import filled
from tests.plans.execution.state.checkpoint.places import Place, table
from tests.plans.execution.state.flink.savepoint import restore_tests

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.wide


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


def test_a_savepoint_of_flink_is_shown_with_its_plan(spark: SparkSession, tmp_path: Path) -> None:
    name = "stream-exec-group-aggregate_1/group-aggregate-simple"
    (unpacked,) = restore_tests.unpack(tmp_path / "unpacked", name)
    source = {"connector": "filesystem", "path": str(tmp_path / "rows"), "format": "json"}
    text = filled(restore_tests.plan(name), {"source_t": source, "sink_t": {"connector": "blackhole"}})
    plan = cp.TableEnvironment().load_plan(cp.PlanReference.from_json_string(text))
    savepoint = str(unpacked)
    (operator,) = cp.inspect_state(savepoint, plan=plan).operators
    assert (operator.keys, operator.parts[0].unknown) == (2, 2)
    (key,) = cp.inspect_key(savepoint, operator.uid, {"b": "2"}, plan=plan).keys
    assert "Hello" in str(key)
    assert cp.export_state(savepoint, operator.uid, str(tmp_path / "entries"), plan=plan) == 2
    with pytest.raises(CheckpointError) as caught:
        cp.inspect_state(savepoint)
    assert "savepoint" in caught.value.message
    assert "plan" in caught.value.remedy
