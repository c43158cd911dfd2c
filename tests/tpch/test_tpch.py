"""TPC-H as streaming programs gives the results of a batch engine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.plans.execution.spark.java import settings
from tests.tpch.programs import QUERIES, batch, generate, program, streamed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SCALE = 0.001


@pytest.fixture(scope="module")
def tpch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables, some 9,000 rows."""
    folder = tmp_path_factory.mktemp("tpch")
    generate(folder, SCALE)
    return folder


def run(spark: SparkSession, text: str) -> None:
    from compiled_plan.environment import TableEnvironment
    from compiled_plan.plans.execution.run import Run
    from compiled_plan.plans.execution.session.options import RunOptions

    Run(spark, TableEnvironment().compile_script(text), RunOptions()).execute()


@pytest.mark.deep
@pytest.mark.parametrize("query", QUERIES)
def test_a_query(query: str, spark: SparkSession, tpch: Path, tmp_path: Path) -> None:
    with settings(spark, {"spark.sql.shuffle.partitions": "1"}):
        run(spark, program([query], tpch, tmp_path))
    assert streamed(query, tmp_path) == batch(query, tpch)


@pytest.mark.deep
def test_all_queries_in_one_program(spark: SparkSession, tpch: Path, tmp_path: Path) -> None:
    run(spark, program(list(QUERIES), tpch, tmp_path))
    assert {query: streamed(query, tmp_path) for query in QUERIES} == {query: batch(query, tpch) for query in QUERIES}
