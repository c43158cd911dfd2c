"""Tables of lakes in tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.connectors.lakes import DELTA, ICEBERG, Lake
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.lakes import libraries
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.plan import CompiledPlan

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def _needs(lake: Lake) -> pytest.MarkDecorator:
    """Skip tests of a format without libraries for this Spark, in the table or in `PYSPARK_SUBMIT_ARGS`."""
    return pytest.mark.skipif(libraries(lake, {}) is None, reason=f"{lake.title} has no release for this Spark")


needs_delta, needs_iceberg = _needs(DELTA), _needs(ICEBERG)


def delta(name: str, columns: str, path: Path, partitioned: str = "", **options: str) -> str:
    """The statement that declares a Delta table; in names of options `__` is a dot and `_` a dash."""
    named = {key.replace("__", ".").replace("_", "-"): value for key, value in options.items()}
    text = ", ".join(f"'{key}' = '{value}'" for key, value in {"connector": "delta", "path": path, **named}.items())
    return f"CREATE TABLE {name} ({columns}) {partitioned} WITH ({text});\n"


def run(spark: SparkSession, text: str, checkpoint: Path | None = None, **options: Any) -> list[str]:
    """Run a program; return what its tables of connector `print` print."""
    return run_plan(spark, TableEnvironment().compile_script(text), checkpoint, **options)


def run_plan(spark: SparkSession, plan: CompiledPlan, checkpoint: Path | None = None, **options: Any) -> list[str]:
    """The same for a plan."""
    lines: list[str] = []
    Run(spark, plan, RunOptions(checkpoint=str(checkpoint or ""), **options), lines.append).execute()
    return lines


def rows_of(spark: SparkSession, path: Path | str, format_: str = "delta") -> list[tuple[Any, ...]]:
    """The rows of a table in a folder, sorted by their text."""
    return sorted((tuple(row) for row in spark.read.format(format_).load(str(path)).collect()), key=repr)
