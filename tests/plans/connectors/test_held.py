"""Data of DataFrames is held as long as a table, a plan or a run needs it, and released then, with its files."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from compiled_plan import DataTypes, Schema, Table, TableEnvironment, col
from compiled_plan.plans.connectors import held as holding
from compiled_plan.plans.connectors.held import Held, held_by
from compiled_plan.plans.errors import DataError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def held() -> list[str]:
    gc.collect()
    return sorted(holding._HELD)


@pytest.fixture(scope="module", autouse=True)
def former_objects() -> None:
    """Exclude objects of former tests from the collections here, which would take most of the time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def others() -> list[str]:
    return held()


def table_of(env: TableEnvironment) -> Table:
    return env.from_dataframe(pd.DataFrame({"a": [1, 2, 3], "b": ["x", None, "z"]}))


def declared(env: TableEnvironment) -> Table:
    schema = Schema.new_builder().column("a", "BIGINT").column("b", "STRING").column_by_expression("c", "a + 1").build()
    return env.from_dataframe(pd.DataFrame({"a": [1, 2, 3], "b": ["x", None, "z"]}), schema)


@pytest.mark.parametrize("make", [table_of, declared])
def test_tables_and_derived_tables_hold_the_data(make: Any, others: list[str]) -> None:
    env = TableEnvironment()
    table = make(env)
    (name,) = set(held()) - set(others)
    derived = table.where(col("a") > 1).group_by("b").select(col("b"), col("a").sum)
    del table
    assert name in held()
    derived.explain()
    del derived
    assert held() == others


def test_views_and_plans_hold_the_data(others: list[str]) -> None:
    env = TableEnvironment()
    env.create_temporary_view("v", table_of(env))
    env.execute_sql("CREATE TABLE sink (a BIGINT) WITH ('connector' = 'blackhole')")
    pipeline = env.sql_query("SELECT a FROM v").insert_into("sink")
    assert env.drop_temporary_view("v")
    assert len(held()) == len(others) + 1
    plan = pipeline.compile_plan()
    del pipeline
    assert len(held()) == len(others) + 1
    del plan
    assert held() == others


def test_tables_declared_like_it_hold_the_data(others: list[str]) -> None:
    data = Held("rows")
    env = TableEnvironment()
    options = ", ".join(f"'{key}' = '{value}'" for key, value in data.options.items())
    env.execute_sql(f"CREATE TABLE t1 (a INT) WITH ({options}); CREATE TABLE t2 LIKE t1; DROP TABLE t1")
    del data
    assert len(held()) == len(others) + 1
    env.execute_sql("DROP TABLE t2")
    assert held() == others


@pytest.mark.parametrize(
    ("values", "type_", "expected"),
    [
        ([1.0, None], "INT", [1, None]),
        ([1.0, 2.0], "TINYINT NOT NULL", [1, 2]),
        ([1.0, 1.5], "INT", "1.5 of class float is no value of INT"),
        ([3e10], "INT", "30000000000 is no value of INT"),
        ([1.0, None], "INT NOT NULL", "None is no value of INT NOT NULL"),
    ],
)
def test_whole_numbers_that_pandas_has_as_floats(values: list[Any], type_: str, expected: Any) -> None:
    frame = pd.DataFrame({"a b": values})
    if isinstance(expected, str):
        with pytest.raises(DataError, match=expected) as fault:
            TableEnvironment().from_dataframe(frame, f"ROW<`a b` {type_}>")
        assert fault.value.where == "from_dataframe(), column a b"
        return
    table = TableEnvironment().from_dataframe(frame, f"ROW<`a b` {type_}>")
    assert str(table.get_schema().get_column_data_types()[0]) == type_
    (data,) = (holding._HELD[name] for name in held() if holding._HELD[name].data.rows.num_rows == len(values))
    assert data.data.rows.column(0).to_pylist() == expected


def test_files_are_removed_with_the_data() -> None:
    data = Held("rows")
    folder = data.folder()
    (folder / "rows.parquet").write_text("rows")
    assert held_by(data.options) is data
    options = data.options
    del data
    gc.collect()
    assert not folder.exists() and held_by(options) is None


@pytest.mark.wide
def test_a_run_holds_the_data_until_its_end(spark: SparkSession, others: list[str]) -> None:
    env = TableEnvironment()
    result = table_of(env).select(col("a"), col("b")).execute()
    assert sorted(map(tuple, result.collect()), key=str) == [(1, "x"), (2, None), (3, "z")]
    # The result still exists, its run has ended.
    assert held() == others and result.get_job_client() is not None
    frame = spark.createDataFrame([(1,), (2,)], "a INT")
    table = env.from_dataframe(frame, DataTypes.ROW(DataTypes.FIELD("a", "BIGINT")))
    (name,) = set(held()) - set(others)
    assert table.to_pandas().a.sum() == table.to_pandas().a.sum() == 3
    folders = list(holding._HELD[name].folders)
    del table
    assert held() == others and folders and not any(folder.exists() for folder in folders)
