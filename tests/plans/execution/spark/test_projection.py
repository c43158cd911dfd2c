"""Work for each micro-batch is prepared once."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from py4j.clientserver import ClientServerConnection
from pyspark.sql import functions as F

from compiled_plan import TableEnvironment
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.spark.projection import Selection
from compiled_plan.plans.execution.tables.sinks import Sinks
from tests.support.files import put

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from compiled_plan.plans.execution.stages.build import StageBuilder


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Number of calls to the JVM per written micro-batch."""
    counted: list[int] = []
    writers: set[int] = set()
    send, write = ClientServerConnection.send_command, Sinks._write_all

    def sent(connection: ClientServerConnection, command: str) -> str:
        # Garbage collection and Spark's status polling come at any time.
        if threading.get_ident() in writers and not command.startswith("m\n") and "isCompleted" not in command:
            counted[-1] += 1
        return str(send(connection, command))

    def written(sinks: Sinks, frame: DataFrame, batch: int, builder: StageBuilder) -> tuple[dict[str, int], int]:
        counted.append(0)
        writers.add(threading.get_ident())
        try:
            return write(sinks, frame, batch, builder)
        finally:
            writers.clear()

    monkeypatch.setattr(ClientServerConnection, "send_command", sent)
    monkeypatch.setattr(Sinks, "_write_all", written)
    return counted


def test_rows_and_columns_of_any_frame(spark: SparkSession) -> None:
    selected = Selection([F.col("b"), (F.col("a") + 1).alias("c")], F.col("a") > 1, None, F.col("b") != "z")
    rows = [(1, "x"), (2, "y"), (3, "z")]
    frames: list[DataFrame] = [spark.createDataFrame(rows, "a INT, b STRING") for _ in range(2)]
    assert [[tuple(row) for row in selected.among(frame).collect()] for frame in frames] == [[("y", 3)]] * 2


SINKS = ("blackhole", "print", "json", "csv", "parquet", "orc", "avro")


def _run(spark: SparkSession, folder: Path, columns: int) -> None:
    """A program that writes to a sink of every kind."""
    (folder / "in").mkdir(parents=True)
    for at in range(2):
        put(folder / "in", f"{at}.json", {"c0": at})
    names = [f"c{at}" for at in range(columns)]
    types = ", ".join(f"{name} INT NOT NULL" for name in names)
    options = {
        sink: f"'connector' = 'filesystem', 'path' = '{folder}/{sink}', 'format' = '{sink}'" for sink in SINKS[2:]
    } | {sink: f"'connector' = '{sink}'" for sink in SINKS[:2]}
    program = f"""
    CREATE TABLE t ({", ".join(f"{name} INT" for name in names)})
    WITH ('connector' = 'filesystem', 'path' = '{folder}/in', 'format' = 'json');
    {"".join(f"CREATE TABLE to_{sink} ({types}) WITH ({options[sink]});" for sink in SINKS)}
    EXECUTE STATEMENT SET BEGIN
    {"".join(f"INSERT INTO to_{sink} SELECT {', '.join(f'COALESCE({n}, 0)' for n in names)} FROM t;" for sink in SINKS)}
    END;
    """
    plan = TableEnvironment().compile_script(program)
    Run(spark, plan, RunOptions(max_files_per_batch=1), lambda line: None).execute()


@pytest.mark.wide
def test_a_micro_batch_costs_as_many_calls_whatever_the_columns(
    spark: SparkSession, tmp_path: Path, calls: list[int]
) -> None:
    last = []
    for columns in (2, 20):
        calls.clear()
        _run(spark, tmp_path / str(columns), columns)
        assert len(calls) == 2
        last.append(calls[-1])
    assert last[0] == last[1] > len(SINKS)
