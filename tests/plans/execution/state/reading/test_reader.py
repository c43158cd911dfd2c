"""Readable and unreadable checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.plans.errors import CheckpointError, UnsupportedError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import NATIVE, RunOptions
from compiled_plan.plans.execution.state.reading.figures import state_report
from compiled_plan.plans.execution.state.reading.reader import StateReader
from tests.plans.execution.state.checkpoint.places import Place, table
from tests.plans.execution.state.reading.programs import Looked, looked_at

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLES = (
    table("orders", "id INT, item STRING, p AS PROCTIME()")
    + table("ships", "oid INT, place STRING")
    + table("bills", "bid INT, amount INT")
    + "CREATE TABLE sink (a STRING, b STRING) WITH ('connector' = 'blackhole');\n"
)
ROWS = {
    "orders": [{"id": 1, "item": "nut"}, {"id": 2, "item": "nut"}],
    "ships": [{"oid": 1, "place": "port"}],
    "bills": [{"bid": 1, "amount": 7}, {"bid": 1, "amount": 8}],
}


def place_with_rows(spark: SparkSession, folder: Path) -> Place:
    place = Place(spark, folder)
    place.add(ROWS)
    return place


@pytest.mark.wide
def test_several_inputs_of_one_join(spark: SparkSession, tmp_path: Path) -> None:
    place = place_with_rows(spark, tmp_path)
    options = "SET 'table.optimizer.multi-join.enabled' = 'true';\n"
    query = "INSERT INTO sink SELECT item, place FROM orders JOIN ships ON id = oid JOIN bills ON id = bid"
    looked = looked_at(place, place.compiled(options + TABLES, query))
    figures = looked.figures("sink")
    assert (figures.kind, figures.keys, [part.entries for part in figures.parts]) == ("multi-join", 2, [2, 1, 2])
    (key,) = looked.states("sink", id="1")
    assert looked.states("sink", bid="1") == (key,)
    assert [field.name for field in key.fields] == ["input0", "input1", "input2"]


@pytest.mark.wide
def test_two_phases_are_one_operator(spark: SparkSession, tmp_path: Path) -> None:
    place = place_with_rows(spark, tmp_path)
    options = (
        "SET 'table.exec.mini-batch.enabled' = 'true';\nSET 'table.exec.mini-batch.allow-latency' = '1 s';\n"
        "SET 'table.exec.mini-batch.size' = '100';\nSET 'table.optimizer.agg-phase-strategy' = 'TWO_PHASE';\n"
    )
    query = "INSERT INTO sink SELECT item, CAST(SUM(id) AS STRING) FROM orders GROUP BY item"
    looked = looked_at(place, place.compiled(options + TABLES, query))
    assert len(looked.reader.operators) == 1
    (key,) = looked.states("sink", item="nut")
    assert {field.name for field in key.fields} == {"lastWrite", "key", "rows", "aggregates"}
    aggregates = next(field.value for field in key.fields if field.name == "aggregates")
    assert isinstance(aggregates, tuple)
    assert [aggregate.name for aggregate in aggregates] == ["SUM(id)"]  # type: ignore[union-attr]


def test_an_operator_is_found_by_uid_and_by_node(looked: Looked) -> None:
    operator = looked.operator("ranked")
    assert looked.reader.operator(operator.uid) == looked.reader.operator(str(operator.node)) == operator
    assert operator.words.startswith("first 2 ordered by price DESC")


def test_an_unknown_operator(looked: Looked) -> None:
    uid = looked.operator("ranked").uid
    with pytest.raises(CheckpointError) as refused:
        looked.reader.operator(uid[:-1])
    assert f"did you mean `{uid}`?" in str(refused.value)


def test_a_program_without_state(spark: SparkSession, tmp_path: Path) -> None:
    place = place_with_rows(spark, tmp_path)
    looked = looked_at(place, place.compiled(TABLES, "INSERT INTO sink SELECT item, item FROM orders"))
    assert looked.report.operators == ()


def test_no_checkpoint(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="the checkpoint is not there"):
        StateReader.open(spark, str(tmp_path / "none"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(CheckpointError, match="holds no plan"):
        StateReader.open(spark, str(tmp_path / "empty"))


def test_foreign_checkpoints(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "sparks" / "offsets").mkdir(parents=True)
    with pytest.raises(CheckpointError, match="a query that execute-plan did not start"):
        StateReader.open(spark, str(tmp_path / "sparks"))
    (tmp_path / "former" / "compiled-plan").mkdir(parents=True)
    (tmp_path / "former" / "compiled-plan" / "layout.json").write_text("{}")
    with pytest.raises(CheckpointError, match="an earlier release"):
        StateReader.open(spark, str(tmp_path / "former"))


@pytest.mark.wide
def test_state_of_sparks_own_operator(spark: SparkSession, tmp_path: Path) -> None:
    place = place_with_rows(spark, tmp_path)
    query = (
        "INSERT INTO sink SELECT item, item FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY item ORDER BY p) AS r "
        "FROM orders) WHERE r = 1"
    )
    plan = place.compiled("SET 'table.exec.state.ttl' = '1 h';\n" + TABLES, query)
    Run(spark, plan, RunOptions(checkpoint=str(place.checkpoint), available_now=True, host=NATIVE)).execute()
    with pytest.raises(UnsupportedError, match="the state of the host native"):
        StateReader.open(spark, str(place.checkpoint))


def test_before_the_first_micro_batch(spark: SparkSession, tmp_path: Path) -> None:
    place = Place(spark, tmp_path)
    place.add({"orders": [], "ships": [], "bills": []})
    plan = place.compiled(TABLES, "INSERT INTO sink SELECT item, CAST(COUNT(*) AS STRING) FROM orders GROUP BY item")
    place.run(plan)
    report = state_report(StateReader.open(spark, str(place.checkpoint)))
    (operator,) = report.operators
    assert (operator.keys, operator.entries, operator.bytes) == (0, 0, 0)
