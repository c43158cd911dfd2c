"""The Nexmark queries give what Flink gives, over the small data set, all in one Spark session."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.bench.nexmark.programs import QUERIES, program
from tests.samples.nexmark_results import SMALL, difference, expected, result

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Its windows are of the clock, and what it gives depends on when a row is read.
CLOCK = "q12"


@pytest.fixture(scope="session")
def events(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small data set in four files, so that a run has several micro-batches."""
    from dataclasses import replace

    folder = tmp_path_factory.mktemp("nexmark")
    replace(SMALL, files=4).write(folder)
    return folder


def run(spark: SparkSession, query: str, events: Path, out: Path) -> None:
    from planner.environment import TableEnvironment
    from plans.execution.options import RunOptions
    from plans.execution.run import Run

    plan = TableEnvironment().compile_script(program(query, events, out))
    Run(spark, plan, RunOptions(max_files_per_batch=2)).execute()


@pytest.mark.parametrize("query", [query for query in QUERIES if query != CLOCK])
def test_query(query: str, spark: SparkSession, rocksdb: None, events: Path, tmp_path: Path) -> None:
    run(spark, query, events, tmp_path)
    assert difference(expected(query), result(tmp_path / query)) == ""
