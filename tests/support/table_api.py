"""An environment with the tables that the Table API tests read and write, and the comparison with SQL."""

from __future__ import annotations

import json
from typing import Any

from compiled_plan.environment import TableEnvironment
from compiled_plan.running.inserts import StatementSet, TablePipeline
from compiled_plan.table import Table

_FILES = "WITH ('connector' = 'filesystem', 'path' = '/{0}', 'format' = '{1}')"


def source(name: str, columns: str, format_: str = "json") -> str:
    """CREATE TABLE of a filesystem source."""
    return f"CREATE TABLE {name} ({columns}) {_FILES.format(name, format_)};"


DECLARATIONS = "\n".join(
    [
        source("T", "a INT, b INT, c STRING"),
        source("events", "a INT, b STRING, c DOUBLE, d BIGINT, e STRING, proctime AS PROCTIME()"),
        source(
            "orders",
            "order_id STRING, price DECIMAL(32, 2), currency STRING, order_time TIMESTAMP(3), proctime AS PROCTIME(), "
            "WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND",
        ),
        source(
            "currency_rates",
            "currency STRING, conversion_rate DECIMAL(32, 2), update_time TIMESTAMP(3), "
            "WATERMARK FOR update_time AS update_time, PRIMARY KEY (currency) NOT ENFORCED",
            "debezium-json",
        ),
        source("dim_rates", "currency STRING, conversion_rate DECIMAL(32, 2)"),
        source(
            "Bid",
            "bidtime TIMESTAMP(3), price DECIMAL(10, 2), item STRING, bidder STRING, WATERMARK FOR bidtime AS bidtime",
        ),
        *(
            source(name, "rowtime TIMESTAMP(3), num INT, id STRING, WATERMARK FOR rowtime AS rowtime")
            for name in ("left_table", "right_table")
        ),
        source("ranked", "rowtime TIMESTAMP(3), col1 INT, col2 BIGINT, col3 STRING, WATERMARK FOR rowtime AS rowtime"),
        source("people", "id BIGINT, name STRING, age INT"),
    ]
)


def environment(more: str = "") -> TableEnvironment:
    """A new environment with the declared tables."""
    env = TableEnvironment()
    env.execute_sql(DECLARATIONS + more)
    return env


def sink_for(env: TableEnvironment, table: Table, name: str = "sink") -> str:
    """Declare a sink with the columns of a table that accepts any changelog; returns its name."""
    columns = []
    for at, column in enumerate(table.get_schema().columns):
        type_ = column.data_type.with_nullability(True).text()
        columns.append(f"f{at} {type_}")
    env.execute_sql(source(name, ", ".join(columns), "debezium-json"))
    return name


def shape(plan: str) -> tuple[list[Any], list[tuple[int, int]]]:
    """A plan without ids, uids and descriptions."""
    data = json.loads(plan)
    place = {node["id"]: at for at, node in enumerate(data["nodes"])}

    def stripped(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: stripped(item) for key, item in value.items() if key not in ("id", "uid", "description")}
        return [stripped(item) for item in value] if isinstance(value, list) else value

    return stripped(data["nodes"]), [(place[edge["source"]], place[edge["target"]]) for edge in data["edges"]]


def assert_same(env: TableEnvironment, table: Table, query: str, views: str = "") -> None:
    """Assert that writing the table has the plan of INSERT INTO sink with the query.

    Args:
        env: the environment of the table; the query is compiled in a new environment with the same tables.
        table: the result of the Table API.
        query: the equivalent SQL.
        views: statements before the query.
    """
    sink = sink_for(env, table)
    second_env = environment(views)
    sink_for(second_env, table)
    mine = table.insert_into(sink).compile_plan()
    same(mine.to_json(), second_env.compile_plan_sql(f"INSERT INTO {sink} {query}").to_json())


def same(mine: str, theirs: str) -> None:
    """Assert that two plans are equal but for ids, uids and descriptions."""
    (nodes, edges), (expected, expected_edges) = shape(mine), shape(theirs)
    for node, want in zip(nodes, expected, strict=False):
        assert node == want
    assert (len(nodes), edges) == (len(expected), expected_edges)


def compiled(pipeline: TablePipeline | StatementSet) -> str:
    """The text of a pipeline's plan."""
    return pipeline.compile_plan().to_json()
