"""Catalogs that only Spark reads: tables are declared with their columns, and located by the catalog."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import ProgramError

PRINT = "CREATE TABLE p (id BIGINT) WITH ('connector' = 'print');INSERT INTO p SELECT id FROM c.shop.orders"


@pytest.mark.parametrize(
    ("options", "located"),
    [
        (
            "'provider' = 'iceberg'",
            {"connector": "iceberg", "catalog-name": "c", "catalog-database": "shop", "catalog-table": "orders"},
        ),
        ("'provider' = 'delta'", {"connector": "delta", "table-name": "c.shop.orders"}),
        (
            "'provider' = 'delta', 'catalog-name' = 'spark_catalog'",
            {"connector": "delta", "table-name": "spark_catalog.shop.orders"},
        ),
    ],
)
def test_tables_are_declared_without_options(options: str, located: dict[str, str]) -> None:
    text = f"CREATE CATALOG c WITH ('type' = 'spark', {options});"
    plan = TableEnvironment().compile_script(f"{text}CREATE TABLE c.shop.orders (id BIGINT);{PRINT}")
    (table,) = (table for _, table in plan.nodes[0].tables())
    assert table.resolved_table.options == located


def test_a_table_without_columns_is_refused() -> None:
    text = "CREATE CATALOG c WITH ('type' = 'spark', 'provider' = 'delta');"
    with pytest.raises(ProgramError, match=r"the columns of table `c`.`shop`.`orders` are unknown") as caught:
        TableEnvironment().compile_script(text + PRINT)
    assert "CREATE TABLE `c`.`shop`.`orders` (...)" in caught.value.remedy


@pytest.mark.parametrize("options", ["", ", 'provider' = 'parquet'"])
def test_a_provider_is_required(options: str) -> None:
    with pytest.raises(ProgramError, match="'provider'"):
        TableEnvironment().execute_sql(f"CREATE CATALOG c WITH ('type' = 'spark'{options})")
