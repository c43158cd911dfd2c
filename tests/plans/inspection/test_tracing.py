"""Columns of a sink, traced back through joins, unions and aggregates."""

from __future__ import annotations

import pytest

from compiled_plan import TableEnvironment
from compiled_plan.plans.inspection.tracing import traced
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.plan import CompiledPlan

TABLES = """
CREATE TABLE orders (id BIGINT, customer STRING, amount INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
  WITH ('connector' = 'filesystem', 'path' = '/orders', 'format' = 'json');
CREATE TABLE refunds (id BIGINT, customer STRING, amount INT)
  WITH ('connector' = 'filesystem', 'path' = '/refunds', 'format' = 'json');
CREATE TABLE customers (name STRING, region STRING)
  WITH ('connector' = 'filesystem', 'path' = '/customers', 'format' = 'json');
CREATE TABLE sink (a STRING, b STRING) WITH ('connector' = 'blackhole');
"""


def reached(query: str, column: str = "a") -> dict[str, list[str]]:
    """Columns of the scanned tables that have the values of a column of the sink."""
    plan = CompiledPlan.from_json(TableEnvironment().compile_script(f"{TABLES}INSERT INTO sink {query};").to_json())
    (sink,) = (node for node in plan.sinks if isinstance(node, Sink))
    columns: dict[str, list[str]] = {}
    for node, inputs in traced(plan, sink, [column]).items():
        for source, by_sink in zip(plan.inputs(plan.node(node)), inputs, strict=True):
            table = getattr(source, "scan_table_source", None)
            if table is not None:
                columns.setdefault(table.table.path[-1], []).extend(
                    source.output_type.names[at] for at in by_sink.values()
                )
    return columns


@pytest.mark.parametrize(
    ("query", "columns"),
    [
        ("SELECT customer, 'x' FROM orders WHERE amount > 3", {"orders": ["customer"]}),
        ("SELECT customer || '!', 'x' FROM orders", {"orders": []}),
        ("SELECT customer, CAST(SUM(amount) AS STRING) FROM orders GROUP BY customer", {"orders": ["customer"]}),
        ("SELECT MAX(customer), 'x' FROM orders GROUP BY id", {"orders": []}),
        (
            "SELECT customer, region FROM orders JOIN customers ON customer = name",
            {"orders": ["customer"], "customers": ["name"]},
        ),
        (
            "SELECT region, customer FROM orders JOIN customers ON customer = name",
            {"orders": [], "customers": ["region"]},
        ),
        (
            "SELECT name, 'x' FROM customers WHERE name IN (SELECT customer FROM orders)",
            {"customers": ["name"], "orders": ["customer"]},
        ),
        (
            "SELECT customer, 'x' FROM (SELECT customer FROM orders UNION ALL SELECT customer FROM refunds) "
            "GROUP BY customer",
            {"orders": ["customer"], "refunds": ["customer"]},
        ),
        (
            "SELECT customer, CAST(COUNT(*) AS STRING) FROM TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE) "
            "GROUP BY customer, window_start, window_end",
            {"orders": ["customer"]},
        ),
        (
            "SELECT customer, CAST(r AS STRING) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY customer "
            "ORDER BY amount) AS r FROM orders) WHERE r <= 2",
            {"orders": ["customer"]},
        ),
    ],
)
def test_a_column_is_traced_where_its_values_pass(query: str, columns: dict[str, list[str]]) -> None:
    assert reached(query) == columns


def test_the_columns_of_a_side_of_a_join() -> None:
    query = "SELECT region, customer FROM orders JOIN customers ON customer = name"
    assert reached(query, "b") == {"orders": ["customer"], "customers": ["name"]}
