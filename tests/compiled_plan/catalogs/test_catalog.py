"""Objects of a catalog: their errors, and what `ALTER TABLE` shares with them.

tests/compiled_plan/pyflink/programs/catalog_objects.py has the results of PyFlink.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from compiled_plan.catalogs.catalog import Catalog
from compiled_plan.catalogs.functions import CatalogFunction
from compiled_plan.catalogs.partitions import CatalogPartition, CatalogPartitionSpec
from compiled_plan.catalogs.tables import CatalogBaseTable
from compiled_plan.environment import TableEnvironment
from compiled_plan.planner.catalog.statistics import CatalogTableStatistics
from compiled_plan.planner.table.declared_schemas import Schema
from compiled_plan.plans.errors import ProgramError, UnsupportedError
from compiled_plan.results.identifiers import ObjectPath

PARTS, NONE = ObjectPath("default_database", "parts"), ObjectPath("default_database", "none")
VIEW = ObjectPath("default_database", "v")
DAY = CatalogPartitionSpec({"day": "1"})
PARTITION = CatalogPartition.create_instance({})
PRINT = CatalogBaseTable.create_table(Schema.new_builder().column("id", "BIGINT").build(), [], {"connector": "print"})


@pytest.fixture(name="env")
def _env() -> TableEnvironment:
    env = TableEnvironment()
    env.execute_sql(
        "CREATE TABLE parts (id BIGINT, `day` STRING) PARTITIONED BY (`day`) "
        "WITH ('connector' = 'filesystem', 'path' = '/x', 'format' = 'csv');"
        "CREATE TABLE plain (id BIGINT) WITH ('connector' = 'datagen'); CREATE VIEW v AS SELECT id FROM plain"
    )
    return env


@pytest.fixture(name="catalog")
def _catalog(env: TableEnvironment) -> Catalog:
    catalog = env.get_catalog("default_catalog")
    assert catalog is not None
    return catalog


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda catalog: catalog.get_table(NONE), r"has no table default_database.none(.|\n)*list_tables"),
        (lambda catalog: catalog.rename_table(NONE, "x", False), r"has no table default_database.none"),
        (lambda catalog: catalog.alter_table(VIEW, PRINT, False), r"v is a view, and the new one is a table"),
        (lambda catalog: catalog.get_function(NONE), r"has no function default_database.none(.|\n)*list_functions"),
        (lambda catalog: catalog.get_partition(PARTS, DAY), r"parts has no partition .*day=1(.|\n)*list_partitions"),
        (lambda catalog: catalog.list_partitions(VIEW), r"has no table, but a view default_database.v"),
        (
            lambda catalog: catalog.list_partitions(ObjectPath("default_database", "plain")),
            r"plain is not partitioned(.|\n)*PARTITIONED BY",
        ),
        (
            lambda catalog: catalog.create_partition(PARTS, CatalogPartitionSpec({"hour": "1"}), PARTITION, False),
            r"does not match the partition keys(.|\n)*for each of: day",
        ),
        (
            lambda catalog: catalog.create_function(NONE, CatalogFunction.create_instance("no_module.f"), False),
            r"no_module",
        ),
    ],
)
def test_errors_say_what_to_do(use: Callable[[Catalog], object], message: str, catalog: Catalog) -> None:
    with pytest.raises(ProgramError, match=message):
        use(catalog)


def test_an_invalid_alteration_keeps_the_table(catalog: Catalog) -> None:
    invalid = CatalogBaseTable.create_table(
        Schema.new_builder().watermark("ts", "ts").build(), [], {"connector": "print"}
    )
    with pytest.raises(ProgramError):
        catalog.alter_table(PARTS, invalid, False)
    assert catalog.get_table(PARTS).get_options()["connector"] == "filesystem"


def test_partitions_and_statistics_follow_their_table(env: TableEnvironment, catalog: Catalog) -> None:
    catalog.create_partition(PARTS, DAY, CatalogPartition.create_instance({"a": "b"}), False)
    catalog.alter_partition_statistics(PARTS, DAY, CatalogTableStatistics(5, 1, 10, 20), False)
    env.execute_sql("ALTER TABLE parts RENAME TO days")
    days = ObjectPath("default_database", "days")
    assert catalog.get_partition(days, DAY).get_properties() == {"a": "b"}
    assert catalog.get_partition_statistics(days, DAY).get_row_count() == 5
    env.execute_sql("ALTER TABLE days DROP PARTITION (`day` = '1')")
    assert not catalog.partition_exists(days, DAY)
    env.execute_sql("ALTER TABLE days ADD PARTITION (`day` = '1')")
    assert catalog.get_partition(days, DAY).get_properties() == {}
    assert catalog.get_partition_statistics(days, DAY).get_row_count() == -1


def test_procedures_are_refused(catalog: Catalog) -> None:
    with pytest.raises(UnsupportedError, match="there are no procedures"):
        catalog.list_procedures("default_database")


def test_nothing_exists_in_a_missing_database(catalog: Catalog) -> None:
    path = ObjectPath("nowhere", "x")
    assert not catalog.function_exists(path)
    assert not catalog.table_exists(path)
    assert not catalog.partition_exists(path, DAY)


def test_materialized_tables_are_those_of_the_session(env: TableEnvironment, catalog: Catalog) -> None:
    env.execute_sql("CREATE DATABASE d")
    env.compile_script("CREATE MATERIALIZED TABLE mt WITH ('connector' = 'print') AS SELECT id FROM plain")
    assert catalog.list_materialized_tables("default_database") == env.list_materialized_tables() == ["mt"]
    assert catalog.list_materialized_tables("d") == []
    with pytest.raises(ProgramError, match="nowhere"):
        catalog.list_materialized_tables("nowhere")
