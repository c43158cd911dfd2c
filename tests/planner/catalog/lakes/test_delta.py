"""Tables of Delta Lake in the folders of a warehouse, without declaring their columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import ProgramError, UnsupportedError
from tests.support.lake_files import delta_commit, delta_metadata

FIELDS = {"id": "long", "country": "string"}
ADD = {"add": {"path": "a.parquet", "size": 1}}


@pytest.fixture
def lake(tmp_path: Path) -> str:
    """The statement that creates a catalog."""
    return f"CREATE CATALOG lake WITH ('type' = 'delta', 'warehouse' = '{tmp_path / 'w'}');"


def shown(*statements: str) -> list[tuple[Any, ...]]:
    """The rows of the last statement."""
    return [tuple(row) for row in TableEnvironment().execute_sql("".join(statements)).collect()]


def columns(lake: str, name: str = "lake.shop.orders") -> list[str]:
    return [row[0] for row in shown(lake, f"DESCRIBE {name}")]


def options_of(text: str, at: int = 0) -> dict[str, str]:
    (table,) = (table for _, table in TableEnvironment().compile_script(text).nodes[at].tables())
    return dict(table.resolved_table.options)


def checkpoint(folder: Path, name: str, *actions: dict[str, Any]) -> None:
    """Write a checkpoint with these actions, each with a metadata or with none."""
    rows = [{"metaData": action.get("metaData"), "add": action.get("add")} for action in actions]
    schema = pa.struct([("schemaString", pa.string()), ("partitionColumns", pa.list_(pa.string()))])
    add = pa.struct([("path", pa.string()), ("size", pa.int64())])
    table = pa.Table.from_pylist(rows, pa.schema([("metaData", schema), ("add", add)]))
    parquet.write_table(table, folder / "_delta_log" / name)


@pytest.mark.parametrize("folder", ["shop/orders", "shop.db/orders"])
def test_a_table_is_read_into_the_plan(tmp_path: Path, lake: str, folder: str) -> None:
    delta_commit(tmp_path / "w" / folder, 0, delta_metadata(FIELDS, ["country"], ["id"]))
    text = f"{lake}CREATE TABLE p (id BIGINT) WITH ('connector' = 'print');"
    hint = "/*+ OPTIONS('scan.mode' = 'batch') */"
    options = options_of(f"{text}INSERT INTO p SELECT id FROM lake.shop.orders {hint}")
    assert options == {"connector": "delta", "path": str(tmp_path / "w" / folder), "scan.mode": "batch"}
    (created,) = shown(lake, "SHOW CREATE TABLE lake.shop.orders")[0]
    assert "PARTITIONED BY (`country`)" in created
    assert "`id` BIGINT NOT NULL" in created


def test_types_are_those_of_spark(tmp_path: Path, lake: str) -> None:
    array = {"type": "array", "elementType": "integer", "containsNull": True}
    fields = {"a": "timestamp", "b": "timestamp_ntz", "c": "decimal(10,2)", "d": array, "e": "byte", "f": "short"}
    delta_commit(tmp_path / "w/shop/orders", 0, delta_metadata(fields))
    types = [row[1] for row in shown(lake, "DESCRIBE lake.shop.orders")]
    assert types == ["TIMESTAMP_LTZ(6)", "TIMESTAMP(6)", "DECIMAL(10, 2)", "ARRAY<INT>", "TINYINT", "SMALLINT"]
    delta_commit(tmp_path / "w/shop/orders", 1, delta_metadata({"a": "variant"}))
    with pytest.raises(UnsupportedError, match="column 'a' has Spark's type variant"):
        shown(lake, "DESCRIBE lake.shop.orders")


def test_the_newest_metadata_of_the_log_counts(tmp_path: Path, lake: str) -> None:
    """The schema changes in a commit, which a checkpoint replaces, in one file, in parts, or with a UUID."""
    folder = tmp_path / "w/shop/orders"
    delta_commit(folder, 0, delta_metadata({"first": "long"}))
    delta_commit(folder, 1, ADD)
    assert columns(lake) == ["first"]
    delta_commit(folder, 2, delta_metadata({"second": "long"}))
    delta_commit(folder, 10, ADD)
    assert columns(lake) == ["second"]
    checkpoint(folder, f"{10:020}.checkpoint.parquet", ADD, delta_metadata({"third": "long"}))
    for commit in folder.glob("_delta_log/*.json"):
        commit.unlink()
    delta_commit(folder, 11, ADD)
    assert columns(lake) == ["third"]
    checkpoint(folder, f"{12:020}.checkpoint.{1:010}.{2:010}.parquet", ADD)
    assert columns(lake) == ["third"], "the other part is missing"
    checkpoint(folder, f"{12:020}.checkpoint.{2:010}.{2:010}.parquet", delta_metadata({"fourth": "long"}))
    assert columns(lake) == ["fourth"]
    uuid = "80a083e8-7026-4e79-81be-64bd76c43a11"
    checkpoint(folder, f"{13:020}.checkpoint.{uuid}.parquet", delta_metadata({"fifth": "long"}))
    assert columns(lake) == ["fifth"]
    delta_commit(folder, 14, delta_metadata({"sixth": "long"}))
    assert columns(lake) == ["sixth"]


def test_a_log_without_metadata_is_an_error(tmp_path: Path, lake: str) -> None:
    delta_commit(tmp_path / "w/shop/orders", 5, ADD)
    with pytest.raises(ProgramError, match=r"catalog 'lake' at .*the log has no metaData"):
        columns(lake)


def test_names_are_listed(tmp_path: Path, lake: str) -> None:
    for name in ("shop/orders", "shop.db/returns", "other.db/t", "top"):
        delta_commit(tmp_path / "w" / name, 0, delta_metadata(FIELDS))
    (tmp_path / "w/shop/folder").mkdir()
    assert shown(lake, "SHOW DATABASES FROM lake") == [("default",), ("other",), ("shop",)]
    assert shown(lake, "USE lake.shop; SHOW TABLES") == [("orders",), ("returns",)]
    assert shown(lake, "USE CATALOG lake; SHOW TABLES") == [("top",)]
    assert columns(lake, "lake.`default`.top") == ["id", "country"]
    with pytest.raises(ProgramError, match="there is no database 'shp'"):
        shown(lake, "USE lake.shp")


def test_one_table_in_two_folders_is_ambiguous(tmp_path: Path, lake: str) -> None:
    for name in ("shop/orders", "shop.db/orders"):
        delta_commit(tmp_path / "w" / name, 0, delta_metadata(FIELDS))
    with pytest.raises(ProgramError, match="is in several folders"):
        columns(lake)


@pytest.mark.parametrize(("existing", "folder"), [("shop/x", "shop/totals"), ("shop.db/x", "shop.db/totals")])
def test_a_table_that_the_run_creates_is_beside_the_others(
    tmp_path: Path, lake: str, existing: str, folder: str
) -> None:
    delta_commit(tmp_path / "w" / existing, 0, delta_metadata(FIELDS))
    text = (
        f"{lake}CREATE TABLE lake.shop.totals (id BIGINT PRIMARY KEY NOT ENFORCED, n BIGINT);"
        "INSERT INTO lake.shop.totals SELECT id, COUNT(*) FROM lake.shop.x GROUP BY id"
    )
    assert options_of(text, -1) == {
        "connector": "delta",
        "path": str(tmp_path / "w" / folder),
        "sink.create-table": "true",
    }


def test_a_key_is_added_to_a_copy_of_the_declaration(tmp_path: Path, lake: str) -> None:
    """Spark's tables seldom have columns that are NOT NULL: LIKE alone cannot make them a key, as in Flink."""
    delta_commit(tmp_path / "w/shop/orders", 0, delta_metadata(FIELDS))
    with pytest.raises(ProgramError, match="nullable in the base table") as caught:
        shown(lake, "CREATE TABLE t (PRIMARY KEY (id) NOT ENFORCED) LIKE lake.shop.orders")
    assert "ALTER TABLE" in caught.value.remedy
    text = f"{lake}CREATE TABLE t LIKE lake.shop.orders; ALTER TABLE t ADD PRIMARY KEY (id) NOT ENFORCED;"
    insert = "INSERT INTO t SELECT id, MAX(country) FROM lake.shop.orders GROUP BY id"
    assert options_of(text + insert, -1)["path"] == str(tmp_path / "w/shop/orders")


def test_a_warehouse_is_required() -> None:
    with pytest.raises(ProgramError, match="catalog 'c' of type 'delta' lacks the option 'warehouse'"):
        TableEnvironment().execute_sql("CREATE CATALOG c WITH ('type' = 'delta')")
    with pytest.raises(UnsupportedError, match="a catalog of type 'delta-catalog'") as caught:
        TableEnvironment().execute_sql("CREATE CATALOG c WITH ('type' = 'delta-catalog')")
    assert "'delta'" in caught.value.remedy


def test_missing_folders_have_no_tables(lake: str) -> None:
    assert shown(lake, "SHOW DATABASES FROM lake") == []
    with pytest.raises(ProgramError, match=r"'lake.shop.orders' not found"):
        columns(lake)
