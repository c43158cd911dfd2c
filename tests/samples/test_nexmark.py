"""The Nexmark queries give Flink's results over the small data set, all in one Spark session."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from samples.nexmark.generate import COLUMNS
from tests.bench.nexmark.programs import QUERIES, program
from tests.samples.nexmark_results import CLOCK, SMALL, difference, expected, result

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.wide


#: Shapes that no conformance case has: aggregates of an aggregate over a join, a windowed aggregate joined with its
#: maximum, a top-1 over a join, a partitioned sink, and a temporal join, all over many rows and several micro-batches.
SHAPES = ("q4", "q5", "q9", "q10", "q13")
#: Queries that take seconds on the small data set: they run in `make test-wide`.
WIDE = ("q4", "q9", "q10")
BIDDER = COLUMNS.index("bidder")


@pytest.fixture(scope="session")
def events(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small data set in four files, so that a run has several micro-batches."""
    folder = tmp_path_factory.mktemp("nexmark")
    replace(SMALL, files=4).write(folder)
    return folder


def run(spark: SparkSession, text: str) -> None:
    from compiled_plan.environment import TableEnvironment
    from compiled_plan.plans.execution.run import Run
    from compiled_plan.plans.execution.session.options import RunOptions

    plan = TableEnvironment().compile_script(text)
    Run(spark, plan, RunOptions(max_files_per_batch=1)).execute()


@pytest.mark.parametrize(
    "query",
    [
        pytest.param(query, marks=pytest.mark.wide if query in WIDE else () if query in SHAPES else pytest.mark.deep)
        for query in QUERIES
        if query != CLOCK
    ],
)
def test_query(query: str, spark: SparkSession, events: Path, tmp_path: Path) -> None:
    run(spark, program(query, events, tmp_path))
    assert difference(expected(query), result(tmp_path / query)) == ""


def test_windows_of_the_clock(spark: SparkSession, events: Path, tmp_path: Path) -> None:
    """A bid is in exactly one window; as in Flink, windows still open at the end of the input are not emitted."""
    text = program(CLOCK, events, tmp_path).replace("INTERVAL '10' SECOND", "INTERVAL '0.05' SECOND")
    run(spark, text)
    totals: Counter[str] = Counter()
    for line in lines(tmp_path / CLOCK):
        row = json.loads(line)
        totals[str(row["bidder"])] += row["bids"]
    cells = (line.split(",") for line in lines(events / "events"))
    assert totals
    assert totals <= Counter(cell[BIDDER] for cell in cells if cell[BIDDER])


def lines(folder: Path) -> Iterator[str]:
    for file in folder.glob("*.*s*") if folder.exists() else ():
        yield from file.read_text().splitlines()
