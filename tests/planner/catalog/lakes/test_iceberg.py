"""Tables of Iceberg's catalogs, without declaring their columns."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import ProgramError, UnsupportedError
from tests.support.lake_files import hadoop_table, iceberg_metadata

ID = {"id": 1, "name": "id", "type": "long", "required": True}
PRINT = "CREATE TABLE p (id BIGINT) WITH ('connector' = 'print');"


@pytest.fixture
def lake(tmp_path: Path) -> str:
    """The statement that creates a catalog."""
    return (
        f"CREATE CATALOG lake WITH ('type' = 'iceberg', 'catalog-type' = 'hadoop', 'warehouse' = '{tmp_path / 'w'}');"
    )


def table(tmp_path: Path, name: str = "shop/orders", version: int = 1, **parts: Any) -> None:
    fields = parts.pop("fields", [ID, {"id": 2, "name": "country", "type": "string"}])
    hadoop_table(tmp_path / "w" / name, iceberg_metadata(fields, **parts), version)


def shown(*statements: str) -> list[tuple[Any, ...]]:
    """The rows of the last statement."""
    return [tuple(row) for row in TableEnvironment().execute_sql("".join(statements)).collect()]


def options_of(plan: Any, at: int = 0) -> dict[str, str]:
    (table,) = (table for _, table in plan.nodes[at].tables())
    return dict(table.resolved_table.options)


def test_a_table_is_read_into_the_plan(tmp_path: Path, lake: str) -> None:
    table(tmp_path)
    plan = TableEnvironment().compile_script(f"{lake}{PRINT}INSERT INTO p SELECT id FROM lake.shop.orders")
    options = {
        "connector": "iceberg",
        "catalog-name": "lake",
        "catalog-type": "hadoop",
        "warehouse": str(tmp_path / "w"),
        "catalog-database": "shop",
        "catalog-table": "orders",
    }
    assert options_of(plan) == options
    assert '"name" : "country"' in plan.to_json() or '"name": "country"' in plan.to_json()


def test_every_type_has_that_of_spark(tmp_path: Path, lake: str) -> None:
    """The types that `check_columns` compares with: those of Iceberg's connector for Spark."""
    types = {
        "boolean": "BOOLEAN",
        "int": "INT",
        "long": "BIGINT",
        "float": "FLOAT",
        "double": "DOUBLE",
        "decimal(10, 2)": "DECIMAL(10, 2)",
        "date": "DATE",
        "timestamp": "TIMESTAMP(6)",
        "timestamptz": "TIMESTAMP_LTZ(6)",
        "string": "STRING",
        "uuid": "STRING",
        "binary": "BYTES",
        "fixed[16]": "BYTES",
    }
    fields: list[dict[str, Any]] = [
        {"id": at, "name": f"c{at}", "type": type_, "required": at == 0} for at, type_ in enumerate(types)
    ]
    nested = {
        "type": "struct",
        "fields": [
            {
                "id": 91,
                "name": "tags",
                "required": True,
                "type": {"type": "list", "element-id": 92, "element": "string", "element-required": True},
            },
            {
                "id": 93,
                "name": "counts",
                "required": False,
                "type": {
                    "type": "map",
                    "key-id": 94,
                    "key": "string",
                    "value-id": 95,
                    "value": "int",
                    "value-required": False,
                },
            },
        ],
    }
    table(tmp_path, fields=[*fields, {"id": 90, "name": "nested", "type": nested}])
    expected = [*types.values(), "ROW<`tags` ARRAY<STRING NOT NULL> NOT NULL, `counts` MAP<STRING NOT NULL, INT>>"]
    rows = shown(lake, "DESCRIBE lake.shop.orders")
    assert [row[1].replace("VARCHAR(2147483647)", "STRING") for row in rows] == [
        text.replace("TIMESTAMP_LTZ(6)", "TIMESTAMP_LTZ(6)") for text in expected
    ]
    assert [row[2] for row in rows] == [False, *[True] * len(types)]


@pytest.mark.parametrize("type_", ["time", "timestamp_ns", "unknown", "geometry(srid:4326)"])
def test_a_type_without_equivalent_is_refused(tmp_path: Path, lake: str, type_: str) -> None:
    table(tmp_path, fields=[ID, {"id": 2, "name": "odd", "type": type_}])
    with pytest.raises(UnsupportedError, match=r"lake.*shop.*orders.*column 'odd' has Iceberg's type") as caught:
        TableEnvironment().compile_script(f"{lake}{PRINT}INSERT INTO p SELECT id FROM lake.shop.orders")
    assert "line 1" in caught.value.where
    assert "'connector' = 'iceberg'" in caught.value.remedy


def test_identifier_fields_are_the_primary_key(tmp_path: Path, lake: str) -> None:
    table(tmp_path, identifiers=[1], partitions=[(2, "identity")])
    (text,) = shown(lake, "SHOW CREATE TABLE lake.shop.orders")[0]
    assert "PRIMARY KEY (`id`) NOT ENFORCED" in text
    assert "PARTITIONED BY (`country`)" in text


def test_other_transforms_are_no_partition_keys(tmp_path: Path, lake: str) -> None:
    table(tmp_path, partitions=[(2, "identity"), (1, "bucket[4]")])
    assert "PARTITIONED" not in shown(lake, "SHOW CREATE TABLE lake.shop.orders")[0][0]


def test_the_newest_metadata_counts(tmp_path: Path, lake: str) -> None:
    table(tmp_path, version=9)
    table(tmp_path, version=10, fields=[ID])
    assert [row[0] for row in shown(lake, "DESCRIBE lake.shop.orders")] == ["id"]
    packed = gzip.compress(json.dumps(iceberg_metadata([{**ID, "name": "k"}])).encode())
    (tmp_path / "w/shop/orders/metadata/v11.gz.metadata.json").write_bytes(packed)
    assert [row[0] for row in shown(lake, "DESCRIBE lake.shop.orders")] == ["k"]


def test_metadata_of_the_first_version(tmp_path: Path, lake: str) -> None:
    metadata = {"format-version": 1, "schema": {"type": "struct", "fields": [ID]}, "partition-spec": []}
    hadoop_table(tmp_path / "w/shop/orders", metadata)
    assert [row[0] for row in shown(lake, "DESCRIBE lake.shop.orders")] == ["id"]


def test_damaged_metadata_is_an_error(tmp_path: Path, lake: str) -> None:
    hadoop_table(tmp_path / "w/shop/orders", {"format-version": 2})
    with pytest.raises(ProgramError, match=r"catalog 'lake' at .*v1.metadata.json cannot be read"):
        shown(lake, "DESCRIBE lake.shop.orders")


def test_names_are_listed(tmp_path: Path, lake: str) -> None:
    table(tmp_path)
    table(tmp_path, "shop/returns")
    table(tmp_path, "other/t")
    (tmp_path / "w/shop/no_table").mkdir()
    assert shown(lake, "SHOW DATABASES FROM lake") == [("other",), ("shop",)]
    assert shown(lake, "USE lake.shop; SHOW TABLES") == [("orders",), ("returns",)]
    assert shown(lake, "USE CATALOG lake; SHOW TABLES FROM other") == [("t",)]
    assert shown(lake, "USE lake.shop; DESCRIBE orders")[0][0] == "id"
    with pytest.raises(ProgramError, match="there is no database 'shp' in catalog 'lake'") as caught:
        shown(lake, "USE lake.shp")
    assert caught.value.remedy == "there are: other, shop"
    with pytest.raises(ProgramError, match=r"'lake.shop.ordrs' not found") as caught:
        shown(lake, "DESCRIBE lake.shop.ordrs")
    assert "did you mean 'orders'?" in caught.value.remedy


@pytest.mark.parametrize("name", ["`..`.orders", "shop.`../shop/orders`", "`shop/x`.orders", "`.`.orders", "``.``"])
def test_a_name_cannot_leave_the_folder(tmp_path: Path, lake: str, name: str) -> None:
    table(tmp_path)
    table(tmp_path, "../orders")
    with pytest.raises(ProgramError, match=r"not found|parse failed"):
        shown(lake, f"DESCRIBE lake.{name}")


def test_only_named_tables_are_read(tmp_path: Path, lake: str) -> None:
    hadoop_table(tmp_path / "w/shop/broken", {})
    table(tmp_path)
    TableEnvironment().compile_script(f"{lake}{PRINT}INSERT INTO p SELECT id FROM lake.shop.orders")


def test_hints_and_like(tmp_path: Path, lake: str) -> None:
    table(tmp_path)
    plan = TableEnvironment().compile_script(
        f"{lake}{PRINT}INSERT INTO p SELECT id FROM lake.shop.orders /*+ OPTIONS('streaming' = 'true') */"
    )
    assert options_of(plan)["streaming"] == "true"
    text = f"{lake}CREATE TABLE keyed (PRIMARY KEY (id) NOT ENFORCED) LIKE lake.shop.orders;"
    assert "PRIMARY KEY (`id`)" in shown(text, "SHOW CREATE TABLE keyed")[0][0]
    plan = TableEnvironment().compile_script(
        f"{text}INSERT INTO keyed SELECT id, MAX(country) FROM lake.shop.orders GROUP BY id"
    )
    assert options_of(plan, -1)["catalog-table"] == "orders"
    altered = (
        f"{lake}CREATE TABLE keyed LIKE lake.shop.orders; ALTER TABLE keyed ADD PRIMARY KEY (country) NOT ENFORCED;"
    )
    assert "PRIMARY KEY (`country`)" in shown(altered, "SHOW CREATE TABLE keyed")[0][0]


def test_create_table_declares_a_table_that_the_run_creates(tmp_path: Path, lake: str) -> None:
    text = (
        f"{lake}CREATE TABLE IF NOT EXISTS lake.shop.totals (id BIGINT PRIMARY KEY NOT ENFORCED, n BIGINT) "
        "WITH ('write.merge.mode' = 'merge-on-read'); CREATE TABLE g (id BIGINT) WITH ('connector' = 'datagen');"
        "INSERT INTO lake.shop.totals SELECT id, COUNT(*) FROM g GROUP BY id"
    )
    plan = TableEnvironment().compile_script(text)
    options = options_of(plan, -1)
    assert options["sink.create-table"] == "true"
    assert options["catalog-table"] == "totals"
    assert options["write.merge.mode"] == "merge-on-read"
    assert not (tmp_path / "w").exists()
    table(tmp_path, "shop/totals")
    assert TableEnvironment().compile_script(text).to_json() == plan.to_json()


def test_like_between_tables_of_a_lake_locates_the_new_one(tmp_path: Path, lake: str) -> None:
    table(tmp_path)
    text = f"{lake}CREATE TABLE lake.shop.copy LIKE lake.shop.orders;"
    plan = TableEnvironment().compile_script(f"{text}INSERT INTO lake.shop.copy SELECT * FROM lake.shop.orders")
    assert options_of(plan, -1)["catalog-table"] == "copy"


def test_create_table_as(tmp_path: Path, lake: str) -> None:
    table(tmp_path)
    text = f"{lake}CREATE TABLE lake.shop.ids AS SELECT id FROM lake.shop.orders"
    assert options_of(TableEnvironment().compile_script(text), -1)["catalog-table"] == "ids"


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("DROP TABLE lake.shop.orders", "DROP TABLE in catalog 'lake'"),
        ("DROP TABLE IF EXISTS lake.shop.orders", "DROP TABLE in catalog 'lake'"),
        ("ALTER TABLE lake.shop.orders SET ('streaming' = 'true')", "ALTER TABLE in catalog 'lake'"),
        ("ALTER TABLE lake.shop.orders RENAME TO lake.shop.others", "ALTER TABLE in catalog 'lake'"),
        ("CREATE DATABASE lake.more", "CREATE DATABASE in catalog 'lake'"),
        ("DROP DATABASE lake.shop CASCADE", "DROP DATABASE in catalog 'lake'"),
        ("ALTER DATABASE lake.shop SET ('k' = 'v')", "ALTER DATABASE in catalog 'lake'"),
        ("CREATE VIEW lake.shop.v AS SELECT 1 AS a", "has tables alone, and no view"),
        ("CREATE FUNCTION lake.shop.f AS 'a.B' LANGUAGE PYTHON", "has tables alone, and no function"),
        ("CREATE TABLE lake.shop.t (a INT) WITH ('connector' = 'print')", "sets the option 'connector'"),
        ("CREATE OR REPLACE TABLE lake.shop.t AS SELECT 1 AS a", "CREATE OR REPLACE TABLE in catalog 'lake'"),
    ],
)
def test_statements_that_would_change_the_lake_are_refused(
    tmp_path: Path, lake: str, statement: str, message: str
) -> None:
    table(tmp_path)
    with pytest.raises((ProgramError, UnsupportedError), match=message) as caught:
        TableEnvironment().compile_script(f"{lake}{statement}; INSERT INTO nowhere SELECT 1")
    assert caught.value.remedy
    assert "line 1" in caught.value.where


def test_an_existing_database_is_not_created(tmp_path: Path, lake: str) -> None:
    table(tmp_path)
    shown(lake, "CREATE DATABASE IF NOT EXISTS lake.shop; SHOW DATABASES")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("", "catalog c has no 'catalog-type'"),
        ("'catalog-type' = 'hadoop'", "catalog c has a 'hadoop' catalog without 'warehouse'"),
        ("'catalog-type' = 'rest'", "catalog c has a 'rest' catalog without 'uri'"),
        ("'catalog-type' = 'glue'", "invalid value 'glue' for the option 'catalog-type'"),
        ("'catalog-type' = 'hadoop', 'warehouse' = '/w', 'token' = 't'", "'token'"),
        ("'catalog-type' = 'rest', 'uri' = 'http://h', 'streaming' = 'true'", "has no option 'streaming'"),
        ("'catalog-impl' = 'a.B'", "the option 'catalog-impl' of catalog 'c' is not supported"),
    ],
)
def test_options_are_checked_when_it_is_created(options: str, message: str) -> None:
    with pytest.raises((ProgramError, UnsupportedError), match=message) as caught:
        TableEnvironment().execute_sql(f"CREATE CATALOG c WITH ('type' = 'iceberg'{options and ', '}{options})")
    assert caught.value.remedy


def test_tables_of_a_hive_catalog_are_declared(tmp_path: Path) -> None:
    hive = "CREATE CATALOG h WITH ('type' = 'iceberg', 'catalog-type' = 'hive', 'uri' = 'thrift://nowhere:1');"
    with pytest.raises(ProgramError, match="only Spark reads catalog 'h'") as caught:
        TableEnvironment().compile_script(f"{hive}{PRINT}INSERT INTO p SELECT id FROM h.shop.orders")
    assert "CREATE TABLE" in caught.value.remedy
    text = f"{hive}{PRINT}CREATE TABLE h.shop.orders (id BIGINT);INSERT INTO p SELECT id FROM h.shop.orders"
    assert options_of(TableEnvironment().compile_script(text))["uri"] == "thrift://nowhere:1"
