"""Plan changes that a checkpoint accepts, and names of the others."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CheckpointError, UnsupportedError
from compiled_plan.plans.execution.expressions import ExpressionContext
from compiled_plan.plans.execution.operators.base import Lowering, is_keyed, lower_keyed
from compiled_plan.plans.execution.operators.changelog import sink_materializer
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.inspection.diff.concerns import concerns
from compiled_plan.plans.inspection.identity import with_uids
from compiled_plan.plans.inspection.lineage.plans import lineage_of
from compiled_plan.plans.inspection.ttl import parse_edit, set_ttls
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.session_options import with_zone
from tests.support.plan_files import ALL

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
#: The same operator; rows in the sink would not be retracted.
FILTERED = "INSERT INTO sink SELECT customer, COUNT(*) AS n FROM orders GROUP BY customer HAVING COUNT(*) > 1;"


def compiled(query: str, folder: str = "/data") -> CompiledPlan:
    return TableEnvironment().compile_script(TABLES.replace("{folder}", folder) + query)


def mismatch(old: CompiledPlan, new: CompiledPlan) -> str:
    return "\n".join(line for concern in concerns(diff_plans(old, new)) for line in concern.lines)


def test_the_same_plan_is_accepted() -> None:
    assert mismatch(compiled(COUNT), compiled(COUNT)) == ""


def test_another_ttl_is_accepted() -> None:
    plan = compiled(COUNT)
    node = next(node for node in plan.nodes if node.state_entries)
    text, _ = set_ttls(plan.to_json(), [parse_edit(f"{node.id}.groupAggregateState=1 h")])
    assert mismatch(plan, CompiledPlan.from_json(text)) == ""


def test_a_filter_in_front_of_a_retracting_sink_is_named() -> None:
    text = mismatch(compiled(COUNT), compiled(FILTERED))
    assert "sink sink, filter: checkpoint has none, plan has (COUNT(*) BY orders.customer > 1): partially" in text


def test_another_filter_in_front_of_a_sink_that_only_appends_is_named_too() -> None:
    queries = (f"INSERT INTO sink SELECT customer, amount FROM orders WHERE amount > {least};" for least in (1, 2))
    text = mismatch(*map(compiled, queries))
    assert "sink sink, filter: checkpoint has (orders.amount > 1), plan has (orders.amount > 2): partially" in text


def test_another_aggregate_is_named() -> None:
    text = mismatch(compiled(COUNT), compiled(MAX))
    assert "group-aggregate-orders" in text
    assert "aggregates: checkpoint has COUNT(*), plan has MAX(orders.amount)" in text


def test_another_source_path_is_named_with_both_values() -> None:
    text = mismatch(compiled(COUNT), compiled(COUNT, "/elsewhere"))
    assert "/data/orders" in text
    assert "/elsewhere/orders" in text


ZONED = (
    "SELECT a, SUM(v) FROM TUMBLE(TABLE points, DESCRIPTOR(l), INTERVAL '1' DAY) GROUP BY a, window_start, window_end",
    "SELECT a, SUM(v) FROM TUMBLE(TABLE points, DESCRIPTOR(p), INTERVAL '1' DAY) GROUP BY a, window_start, window_end",
    "SELECT DATE_FORMAT(l, 'yyyy'), COUNT(*) FROM points GROUP BY DATE_FORMAT(l, 'yyyy')",
    "SELECT a, COUNT(*) FROM points WHERE CAST(l AS STRING) LIKE '2024%' GROUP BY a",
    "SELECT a, MAX(n) FROM (SELECT a, CAST(l AS DATE) AS d, COUNT(*) AS n FROM points GROUP BY a, CAST(l AS DATE)) "
    "GROUP BY a",
    "SELECT x.a, y.v FROM points AS x JOIN points AS y ON x.v = y.v AND EXTRACT(HOUR FROM x.l) = y.v",
)
UNZONED = (
    "SELECT a, COUNT(*) FROM points GROUP BY a",
    "SELECT a, COUNT(*) FROM points WHERE l > TO_TIMESTAMP_LTZ(5, 3) GROUP BY a",
    "SELECT a, SUM(v) FROM TUMBLE(TABLE times, DESCRIPTOR(t), INTERVAL '1' DAY) GROUP BY a, window_start, window_end",
)
POINTS = """
CREATE TABLE points (a STRING, v INT, l TIMESTAMP_LTZ(3), p AS PROCTIME(), WATERMARK FOR l AS l) WITH (
  'connector' = 'filesystem', 'path' = '/data/points', 'format' = 'json');
CREATE TABLE times (a STRING, v INT, t TIMESTAMP(3), WATERMARK FOR t AS t) WITH (
  'connector' = 'filesystem', 'path' = '/data/times', 'format' = 'json');
"""


@pytest.mark.parametrize("query", [*ZONED, *UNZONED])
def test_the_time_zone_is_compared_if_it_affects_state(query: str) -> None:
    plan = TableEnvironment().compile_script(f"{TABLES}{POINTS}INSERT INTO sink {query};")
    said = mismatch(*(with_zone(plan, zone) for zone in ("UTC", "Europe/Berlin")))
    named = "time zone: checkpoint has UTC, plan has Europe/Berlin"
    assert said == "" if query in UNZONED else named in said


@pytest.mark.wide
def test_operators_of_the_comparison_equal_the_kernels() -> None:
    """The comparison names the kernel's operator without Spark; here it is the one that runs."""
    seen = set()
    for path in ALL:
        plan = with_uids(CompiledPlan.read_file(path))
        lowering, lineage = Lowering(plan, ExpressionContext()), lineage_of(plan)
        for node in plan.nodes:
            with suppress(UnsupportedError):
                if isinstance(node, Sink) and node.require_upsert_materialize:
                    lowered = sink_materializer(node, lowering)
                elif is_keyed(node):
                    lowered = lower_keyed(node, lowering)
                else:
                    continue
                operator = lineage.of(node.id)
                assert operator is not None
                named = {property_.name: property_.text for property_ in operator.properties}
                assert named.get("operator", operator.kind) == lowered.parameters.TYPE
                seen.add(lowered.parameters.TYPE)
    assert len(seen) > 15


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
