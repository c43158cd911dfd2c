"""Points at which two programs can be compared. Without Spark."""

from __future__ import annotations

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.shadow.points import points_of, table_of, with_points
from compiled_plan.plans.inspection.diff.build import diff_of
from compiled_plan.plans.inspection.diff.sides import PlanPair
from compiled_plan.plans.inspection.identity import with_uids
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.testing.running import written_columns

PROGRAM = """
CREATE TABLE sales (shop STRING NOT NULL, price INT) WITH ('connector' = 'datagen');
CREATE TABLE totals (shop STRING, n BIGINT, PRIMARY KEY (shop) NOT ENFORCED) WITH ('connector' = 'blackhole');
INSERT INTO totals SELECT shop, COUNT(*) FROM sales WHERE price > {} GROUP BY shop;
"""


def compiled(least: int) -> CompiledPlan:
    return with_uids(TableEnvironment().compile_script(PROGRAM.format(least)))


def test_points_take_rows_that_a_sink_would_refuse() -> None:
    both = PlanPair.of(compiled(0), compiled(1))
    points = points_of(both, diff_of(both), [node.id for node in both.new.plan.sinks])
    assert [point.words.partition(" ")[0] for point in points] == ["the", "the", "COUNT(*)"]
    plan = with_points(both.new.plan, points, 1)
    identifiers = {table_of(number) for number in range(len(points))}
    tables = [node.dynamic_table_sink.table for node in plan.sinks if isinstance(node, Sink)]
    recorded = [table for table in tables if table.identifier.replace("`", "") in identifiers]
    assert len(recorded) == len(points)
    assert all(column.type.nullable for table in recorded for column in written_columns(table).fields)
