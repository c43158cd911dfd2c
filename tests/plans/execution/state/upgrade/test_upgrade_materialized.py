"""Tables created from queries and materialized tables: their runs, and another query over their state."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from tests.plans.execution.state.checkpoint.places import Place

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SALES = (
    "CREATE TABLE sales (shop STRING NOT NULL, price INT) DISTRIBUTED BY HASH(shop) INTO 4 BUCKETS WITH ("
    "'connector' = 'filesystem', 'path' = '{folder}/sales', 'format' = 'json', 'source.monitor-interval' = '1s');\n"
)
SINK = (
    "(total BIGINT, PRIMARY KEY (shop) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '{folder}/sink', "
    "'format' = 'debezium-json')"
)
CREATE = (
    f"CREATE MATERIALIZED TABLE m {SINK} FRESHNESS = INTERVAL '2' SECOND "
    "AS SELECT shop, SUM(price) AS total FROM sales GROUP BY shop"
)
WIDER = "ALTER MATERIALIZED TABLE m AS SELECT shop, SUM(CAST(price AS BIGINT)) AS total FROM sales GROUP BY shop"
MORE = WIDER.replace(" FROM", ", NULLIF(COUNT(*), -1) AS sales, MIN(price) AS least FROM")


def sale(shop: str, price: int, note: str = "") -> dict[str, object]:
    return {"shop": shop, "price": price, "note": note}


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Place:
    place = Place(spark, tmp_path)
    place.add({"sales": [sale("x", 3, "a"), sale("y", 5, "b"), sale("x", 4, "c")]})
    return place


def last_rows(place: Place) -> list[tuple[object, ...]]:
    """The rows of the sink without those of fewer columns, which an earlier query has written."""
    rows = place.rows()
    return [row for row in rows if len(row) == max(map(len, rows))]


def test_a_created_table_has_the_rows_of_its_query(place: Place) -> None:
    query = "SELECT shop, SUM(price) AS total FROM sales GROUP BY shop"
    place.run(place.compiled(SALES, f"CREATE TABLE totals {SINK} AS {query}"))
    assert place.rows() == [("x", 7), ("y", 5)]


@pytest.mark.wide
def test_statements_read_the_table_as_it_was_when_they_were_added(place: Place) -> None:
    tables = SALES + "".join(
        f"CREATE TABLE {name} (shop STRING, v STRING, PRIMARY KEY (shop) NOT ENFORCED) "
        f"WITH ('connector' = 'filesystem', 'path' = '{{folder}}/{name}', 'format' = 'debezium-json');\n"
        for name in ("before", "after")
    )
    env = TableEnvironment()
    for statement in filter(str.strip, tables.replace("{folder}", str(place.folder)).split(";\n")):
        env.execute_sql(statement)
    statements = env.create_statement_set()
    statements.add_insert_sql("INSERT INTO before SELECT shop, CAST(MAX(price) AS STRING) FROM sales GROUP BY shop")
    env.execute_sql("ALTER TABLE sales ADD (note STRING, twice AS price * 2)")
    added = "MAX(note || CAST(twice AS STRING))"
    statements.add_insert_sql(f"INSERT INTO after SELECT shop, {added} FROM sales GROUP BY shop")
    place.run(statements.compile_plan())
    assert place.rows("before") == [("x", "4"), ("y", "5")]
    assert place.rows("after") == [("x", "c8"), ("y", "b10")]


@pytest.mark.wide
def test_another_query_of_a_materialized_table_keeps_its_state(place: Place) -> None:
    first, wider, more = (place.compiled(SALES, CREATE, *changes) for changes in ((), (WIDER,), (MORE,)))
    triggers: list[str] = []

    def report(_: object) -> None:
        (query,) = place.spark.streams.active
        triggers.append(query._jsq.streamingQuery().trigger().toString())  # type: ignore[attr-defined]
        run.stop()

    run = Run(place.spark, first, RunOptions(checkpoint=str(place.checkpoint)), report=report)
    assert not run.bounded
    run.execute()
    assert triggers == ["ProcessingTimeTrigger(2000)"]
    assert place.rows() == [("x", 7), ("y", 5)]

    place.add({"sales": [sale("x", 100)]})
    assert diff_plans(first, wider).verdict is Verdict.FULL
    place.moved(wider, upgrade="migrate")
    place.add({"sales": [sale("y", 1000), sale("z", 1)]})
    place.run(wider)
    assert place.rows() == [("x", 107), ("y", 1005), ("z", 1)], "the rows of a full recomputation"

    place.add({"sales": [sale("x", 1), sale("y", 1), sale("z", 2)]})
    assert diff_plans(wider, more).verdict is Verdict.PARTIAL
    aggregate = next(uid for node in more.nodes if (uid := node.uid) and uid.startswith("group-aggregate"))
    place.moved(more, upgrade="migrate-partial", reset=(aggregate,), warm_up=(aggregate,))
    assert last_rows(place) == [("x", 108, 4, 1), ("y", 1006, 3, 1), ("z", 3, 2, 1)]
