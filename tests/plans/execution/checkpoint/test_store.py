"""Which changes of a plan its checkpoint takes, and how the others are named."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from planner.environment import TableEnvironment
from plans.editing import parse_edit, set_ttls
from plans.errors import CheckpointError
from plans.execution.checkpoint import Setting, describe, differences
from plans.execution.options import HOSTS, RunOptions
from plans.execution.program import prepare
from plans.execution.run import Run
from plans.identity import with_uids
from plans.plan import CompiledPlan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLES = """
CREATE TABLE orders (id INT, customer STRING, amount INT) WITH (
  'connector' = 'filesystem', 'path' = '{folder}/orders', 'format' = 'json');
CREATE TABLE sink (customer STRING, figure BIGINT) WITH (
  'connector' = 'filesystem', 'path' = '{folder}/out', 'format' = 'debezium-json');
"""
COUNT = "INSERT INTO sink SELECT customer, COUNT(*) FROM orders GROUP BY customer;"
#: Another aggregate function.
MAX = "INSERT INTO sink SELECT customer, CAST(MAX(amount) AS BIGINT) FROM orders GROUP BY customer;"
#: The same operator; rows that were given to the sink would not be taken back.
FILTERED = "INSERT INTO sink SELECT customer, COUNT(*) AS n FROM orders GROUP BY customer HAVING COUNT(*) > 1;"


def compiled(query: str, folder: str = "/data") -> CompiledPlan:
    return TableEnvironment().compile_script(TABLES.replace("{folder}", folder) + query)


def found(old: CompiledPlan, new: CompiledPlan, old_host: str = HOSTS[0], new_host: str = HOSTS[0]) -> str:
    before, after = (prepare(with_uids(plan)) for plan in (old, new))
    found, _ = differences(describe(before, Setting(old_host)), describe(after, Setting(new_host)), after)
    return "\n".join(map(str, found))


def test_the_same_plan_fits() -> None:
    assert found(compiled(COUNT), compiled(COUNT)) == ""


def test_another_ttl_fits() -> None:
    plan = compiled(COUNT)
    node = next(node for node in plan.nodes if node.state_entries)
    text, _ = set_ttls(plan.to_json(), [parse_edit(f"{node.id}.groupAggregateState=1 h")])
    assert found(plan, CompiledPlan.from_json(text)) == ""


def test_a_filter_in_front_of_a_sink_that_takes_rows_back_is_named() -> None:
    text = found(compiled(COUNT), compiled(FILTERED))
    assert text == "sink sink, filter: checkpoint has none, plan has (COUNT(*) BY orders.customer > 1)"


def test_another_filter_in_front_of_a_sink_that_only_appends_fits() -> None:
    queries = (f"INSERT INTO sink SELECT customer, amount FROM orders WHERE amount > {least};" for least in (1, 2))
    assert found(*map(compiled, queries)) == ""


def test_another_aggregate_is_named() -> None:
    text = found(compiled(COUNT), compiled(MAX))
    assert "group-aggregate-orders" in text
    assert "aggregates: checkpoint has COUNT(*), plan has MAX(orders.amount)" in text


def test_another_source_path_is_named_with_both_values() -> None:
    text = found(compiled(COUNT), compiled(COUNT, "/elsewhere"))
    assert "/data/orders" in text
    assert "/elsewhere/orders" in text


def test_another_host_is_named() -> None:
    assert HOSTS[1] in found(compiled(COUNT), compiled(COUNT), HOSTS[0], HOSTS[1])


def test_a_start_that_is_refused_changes_nothing_on_disk(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "orders").mkdir()
    (tmp_path / "orders" / "1.json").write_text('{"id": 1, "customer": "a", "amount": 7}\n')
    options = RunOptions(checkpoint=str(tmp_path / "checkpoint"))
    Run(spark, compiled(COUNT, str(tmp_path)), options).execute()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(CheckpointError, match="group-aggregate"):
        Run(spark, compiled(MAX, str(tmp_path)), options)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_checkpoint_of_another_tool_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "orders").mkdir()
    (tmp_path / "checkpoint" / "offsets").mkdir(parents=True)
    with pytest.raises(CheckpointError, match="did not start"):
        Run(spark, compiled(COUNT, str(tmp_path)), RunOptions(checkpoint=str(tmp_path / "checkpoint")))
