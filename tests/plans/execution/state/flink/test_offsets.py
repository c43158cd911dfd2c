"""Positions in a new generation: files that Flink has read, in the log of Spark's file source."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.stages.prepared import prepare
from compiled_plan.plans.execution.state.checkpoint.sources import Names
from compiled_plan.plans.execution.state.flink.first_generation import ImportedState, ImportStart
from compiled_plan.plans.execution.state.flink.offsets import ImportedPositions
from compiled_plan.plans.execution.state.flink.positions.files import FilesRead
from compiled_plan.plans.execution.state.flink.positions.reading import Position
from compiled_plan.plans.execution.state.upgrade.history import files_read

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PROGRAM = """
CREATE TABLE orders (k STRING) WITH ('connector' = 'filesystem', 'path' = '{folder}/orders', 'format' = 'json');
CREATE TABLE seen (k STRING) WITH ('connector' = 'print');
INSERT INTO seen SELECT k FROM orders;
"""
_NAMES = ("a.json", "b ü.json", "c.json")


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    folder = tmp_path / "orders"
    folder.mkdir()
    for name in _NAMES:
        (folder / name).write_text(f'{{"k": "{name}"}}\n')
    return folder


def logged(spark: SparkSession, orders: Path, files: FilesRead) -> tuple[str | None, list[str]]:
    """The offset of the source, and the names of the files in its log."""
    plan = TableEnvironment().compile_script(_PROGRAM.replace("{folder}", str(orders.parent)))
    prepared = prepare(plan)
    (scan,) = prepared.tables
    generation = LocalFolder(orders.parent / "generation")
    imported = ImportedPositions(spark, generation, prepared, {scan: Position("", files=files)})
    offset = imported.offsets(Names({scan: "orders"}, (), ()))["orders"]
    log = files_read(generation, "orders", 0)
    return offset, [file.path.rpartition("/")[2] for file in log]


def paths(orders: Path, *names: str) -> frozenset[str]:
    """Paths as Flink writes them: not encoded."""
    return frozenset(f"file:{orders}/{name}" for name in names)


def test_the_files_that_were_found_and_read_are_in_the_log(spark: SparkSession, orders: Path) -> None:
    read = FilesRead(paths(orders, "a.json", "b ü.json", "gone.json"))
    offset, names = logged(spark, orders, read)
    assert offset == '{"logOffset": 0}'
    assert sorted(names) == ["a.json", "b%20ü.json", "gone.json"]


def test_all_files_but_those_left_are_in_the_log(spark: SparkSession, orders: Path) -> None:
    assert logged(spark, orders, FilesRead(None, paths(orders, "b ü.json")))[1] == ["a.json", "c.json"]


def test_a_source_that_has_read_no_file_begins(spark: SparkSession, orders: Path) -> None:
    assert logged(spark, orders, FilesRead(frozenset())) == (None, [])


def test_files_of_another_folder_are_refused(spark: SparkSession, orders: Path) -> None:
    """The path of the table must be that of the job: all files would be read again."""
    with pytest.raises(CheckpointError, match="which is not below"):
        logged(spark, orders, FilesRead(frozenset({f"file:{orders}2/a.json"})))


def test_scans_of_a_table_at_different_positions_are_refused(spark: SparkSession, orders: Path) -> None:
    """Flink reads a table of two scans twice."""
    prepared = prepare(TableEnvironment().compile_script(_PROGRAM.replace("{folder}", str(orders.parent))))
    ((scan, table),) = prepared.tables.items()
    second = table.scans[0].model_copy(update={"id": 99})
    twice = replace(prepared, tables={scan: replace(table, scans=(*table.scans, second))})
    positions = {scan: Position("2 files read", files=FilesRead(None)), 99: Position("1 file read")}
    imported = ImportedPositions(spark, LocalFolder(orders.parent / "generation"), twice, positions)
    with pytest.raises(CheckpointError, match=r"have read it to different positions.*: 2 files read; 1 file read"):
        imported.offsets(Names({scan: "orders"}, (), ()))


@pytest.mark.wide
def test_the_logged_files_are_not_read_again(spark: SparkSession, orders: Path) -> None:
    """The names in the log are those of Spark."""
    files = FilesRead(paths(orders, "a.json", "b ü.json"))
    plan = TableEnvironment().compile_script(_PROGRAM.replace("{folder}", str(orders.parent)))
    (scan,) = prepare(plan).tables
    checkpoint, lines = orders.parent / "checkpoint", list[str]()
    options = RunOptions(checkpoint=str(checkpoint))
    imported = ImportedState({}, {scan: Position("", files=files)})
    Run(spark, plan, options, begin=partial(ImportStart, spark=spark, imported=imported)).prepare()
    Run(spark, plan, options, lines.append).execute()
    assert lines == ["+I[c.json]"]
