"""Programs in the manner of PyFlink's documentation compile: each query of `programs/` becomes a plan."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.pyflink import EnvironmentSettings, StreamTableEnvironment, TableEnvironment
from compiled_plan.pyflink.common import Configuration
from compiled_plan.pyflink.expressions import col, lit
from compiled_plan.pyflink.udf import udf
from compiled_plan.pyflink.window import Tumble
from compiled_plan.table import Table

PROGRAMS = Path(__file__).with_name("programs")
#: Programs whose results are rows of queries alone.
QUERIES = ("columns", "groups", "joins", "ordering", "streams", "values", "windows")


class Planned:
    """A result without rows."""

    @contextmanager
    def collect(self) -> Iterator[list[Any]]:
        yield []


@pytest.mark.parametrize("name", QUERIES)
def test_queries_compile(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plans: list[str] = []
    monkeypatch.setattr(Table, "execute", lambda table: plans.append(table.explain()) or Planned())
    program: dict[str, Any] = {}
    exec(compile(PROGRAMS.joinpath(f"{name}.py").read_text("utf-8"), name, "exec"), program)
    program["main"](str(tmp_path))
    assert plans and all(plans)


def test_batch_mode_is_refused_with_a_way_to_the_final_rows() -> None:
    batch = Configuration().set_string("execution.runtime-mode", "BATCH")
    for create in (
        EnvironmentSettings.in_batch_mode,
        lambda: TableEnvironment.create(batch),
        EnvironmentSettings.new_instance().with_configuration(batch).build,
    ):
        with pytest.raises(UnsupportedError, match=r"batch mode is not supported(.|\n)*to_pandas\(\)"):
            create()


def test_streams_are_refused_by_name() -> None:
    t_env = StreamTableEnvironment.create()
    with pytest.raises(UnsupportedError, match=r"to_data_stream\(\) is not supported: the DataStream API"):
        t_env.to_data_stream(t_env.from_elements([(1,)]))


def test_differences_that_the_documentation_lists() -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql(
        "CREATE TABLE o (id BIGINT, r ROW<a INT>, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) "
        "WITH ('connector' = 'datagen')"
    )
    orders = t_env.from_path("o")
    windows = orders.window(Tumble.over(lit(1).minutes).on(col("ts")).alias("w")).group_by(col("w"))
    bounds = windows.select(col("w").start.alias("s"), col("w").end.alias("e")).get_resolved_schema()
    assert [str(type_) for type_ in bounds.get_column_data_types()] == ["TIMESTAMP(3) NOT NULL"] * 2
    assert orders.select(col("id"), col("id")).get_resolved_schema().get_column_names() == ["id", "id"]
    assert orders.select(col("r").get(0)).get_resolved_schema().get_column_names() == ["_c0"]
    assert str(col("id") + 1) == "col('id') + 1"


def test_map_names_a_column_as_pyflink() -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql("CREATE TABLE o (id BIGINT) WITH ('connector' = 'datagen')")
    orders = t_env.from_path("o")
    next_id = udf(lambda value: value + 1, result_type="BIGINT")
    assert orders.map(next_id(col("id"))).get_resolved_schema().get_column_names() == ["f0"]
    assert orders.map(next_id(col("id"))).alias("n").get_resolved_schema().get_column_names() == ["n"]
    pair = udf(lambda value: (value, value), result_type="ROW<a BIGINT, b BIGINT>")
    assert orders.map(pair(col("id"))).get_resolved_schema().get_column_names() == ["a", "b"]
