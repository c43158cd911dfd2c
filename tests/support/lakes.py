"""Tables of lakes in tests."""

from __future__ import annotations

from collections.abc import Mapping
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
    named = _option_names(options)
    text = ", ".join(f"'{key}' = '{value}'" for key, value in {"connector": "delta", "path": path, **named}.items())
    return f"CREATE TABLE {name} ({columns}) {partitioned} WITH ({text});\n"


def _option_names(options: Mapping[str, str]) -> dict[str, str]:
    return {key.replace("__", ".").replace("_", "-"): value for key, value in options.items()}


class IcebergCatalog:
    """A catalog of a test's own; its table is `$` in statements of Spark."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark, self.name = spark, f"c_{abs(hash(folder)):x}"
        self.table = f"{self.name}.shop.t"
        settings = {"": "org.apache.iceberg.spark.SparkCatalog", ".type": "hadoop", ".warehouse": str(folder / "w")}
        for setting, value in settings.items():
            spark.conf.set(f"spark.sql.catalog.{self.name}{setting}", value)

    def sql(self, *statements: str) -> None:
        """Run statements of Spark."""
        for statement in statements:
            self.spark.sql(statement.replace("$", self.table)).collect()

    def call(self, procedure: str, options: str) -> None:
        """Call a procedure of Iceberg for the table."""
        self.sql(f"CALL {self.name}.system.{procedure}(table => 'shop.t', {options})")

    def declared(self, columns: str, name: str = "t", **options: str) -> str:
        """The statement that declares a table, with names of options as in `delta`."""
        named = _option_names(options)
        place = {"catalog-name": self.name, "catalog-database": "shop", "catalog-table": name}
        text = ", ".join(f"'{key}' = '{value}'" for key, value in {"connector": "iceberg", **place, **named}.items())
        return f"CREATE TABLE {name} ({columns}) WITH ({text});\n"

    def rows(self, name: str = "t") -> list[tuple[Any, ...]]:
        """The rows of a table, sorted by their text."""
        table = f"{self.name}.shop.{name}"
        self.spark.catalog.refreshTable(table)
        return sorted((tuple(row) for row in self.spark.table(table).collect()), key=repr)

    def snapshots(self) -> list[tuple[int, int]]:
        """The snapshots of the table: id, and ms since 1970."""
        self.spark.catalog.refreshTable(self.table)
        snapshots = self.spark.table(f"{self.table}.snapshots").sort("committed_at")
        rows = snapshots.selectExpr("snapshot_id", "unix_millis(committed_at)").collect()
        return [(int(snapshot), int(time)) for snapshot, time in rows]


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
