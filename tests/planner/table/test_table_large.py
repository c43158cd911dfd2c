"""Long chains of operations, as programs build them in loops."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from compiled_plan import Table, col
from tests.support.table_api import environment

pytestmark = pytest.mark.wide


def _added(table: Table, at: int) -> Table:
    return table.add_columns((col("a") + at).alias(f"n{at}"))


def _replaced(table: Table, at: int) -> Table:
    return table.add_or_replace_columns((col("a") + 1).alias("a"))


def _filtered(table: Table, at: int) -> Table:
    return table.where(col("a") != at)


def _counted(table: Table, at: int) -> Table:
    return table.group_by(col("a")).select(col("a").count.alias("a"))


@pytest.mark.parametrize(
    ("step", "count", "operators"),
    [(_added, 200, 2), (_replaced, 300, 2), (_filtered, 1_050, 2), (_counted, 150, 4 * 150 + 1)],
    ids=["add-columns", "replace-columns", "where", "aggregates"],
)
def test_a_chain_of_one_operation(step: Callable[[Table, int], Table], count: int, operators: int) -> None:
    table = environment().from_path("T").select(col("a"))
    for at in range(count):
        table = step(table, at)
    assert len([line for line in table.explain().splitlines() if "state:" not in line]) <= operators


def test_a_union_of_hundreds() -> None:
    table = union = environment().from_path("T")
    for _ in range(1_000):
        union = union.union_all(table)
    assert len(union.explain().splitlines()) == 1_002


def test_a_hundred_sinks() -> None:
    env = environment()
    statements = env.create_statement_set()
    for at in range(100):
        env.execute_sql(f"CREATE TABLE o{at} (a BIGINT) WITH ('connector' = 'print')")
        statements.add_insert(f"o{at}", env.from_path("T").select(col("a").cast("BIGINT")))
    assert len(statements.compile_plan().sinks) == 100
