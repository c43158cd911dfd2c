"""Tables of lakes that return to an earlier micro-batch, and further rows behind it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.state.checkpoint.retained import RetainedState
from compiled_plan.plans.execution.state.checkpoint.store import Store
from compiled_plan.plans.execution.state.upgrade.rewinding import rewind
from compiled_plan.plans.execution.state.upgrade.rollback import roll_back
from tests.support.change_events import events
from tests.support.lakes import IcebergCatalog, delta, needs_delta, needs_iceberg, rows_of, run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.wide, pytest.mark.usefixtures("lakes")]
KEYED = "id INT PRIMARY KEY NOT ENFORCED, n INT"
#: The events of each micro-batch, and the rows of the table after it.
BATCHES = (["+1=10", "+2=20"], ["1=10>11", "-2=20"], ["+3=30"], ["1=11>12", "-3=30", "+4=40"])
ROWS = ([(1, 10), (2, 20)], [(1, 11)], [(1, 11), (3, 30)], [(1, 12), (4, 40)])

Rows = Callable[[], list[tuple[Any, ...]]]


def goes_back_and_forth(
    spark: SparkSession, folder: Path, table: str, rows: Rows, insert: Callable[[], object]
) -> None:
    """Rewinds, runs behind them, and a rollback; another writer's row at the end prevents a rewind."""
    text = f"{events(folder / 'events', *BATCHES)}{table}INSERT INTO t SELECT * FROM events;"
    checkpoint = folder / "c"

    def runs() -> None:
        run(spark, text, checkpoint, max_files_per_batch=1)
        assert rows() == ROWS[-1]

    def goes_back(batch: int, **options: bool) -> str:
        (sink,) = rewind(spark, str(checkpoint), str(batch), **options).sinks
        return sink.how

    runs()
    retained = RetainedState(Store(LocalFolder(checkpoint)).generation(1).folder)
    assert list(retained.batches) == [0, 1, 2, 3]
    assert goes_back(1, dry_run=True) == "returned"
    assert rows() == ROWS[-1]
    assert goes_back(1) == "returned"
    assert rows() == ROWS[1]
    assert goes_back(1) == "unchanged", "a repetition changes nothing"
    roll_back(spark, str(checkpoint))
    assert rows() == ROWS[-1]
    assert goes_back(2) == "returned"
    assert rows() == ROWS[2]
    runs()
    assert goes_back(0) == "returned"
    assert rows() == ROWS[0]
    insert()
    with pytest.raises(CheckpointError, match="by another writer"):
        roll_back(spark, str(checkpoint))
    assert len(rows()) == len(ROWS[0]) + 1
    (output,) = roll_back(spark, str(checkpoint), keep_output=True).outputs
    assert output.how == "kept"
    assert len(rows()) == len(ROWS[0]) + 1


@needs_delta
def test_a_delta_table_goes_back_and_forth(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    table = delta("t", KEYED, path, sink__create_table="true")
    insert = f"INSERT INTO delta.`{path}` VALUES (99, 0)"
    goes_back_and_forth(spark, tmp_path, table, lambda: rows_of(spark, path), lambda: spark.sql(insert).collect())


@needs_iceberg
def test_an_iceberg_table_goes_back_and_forth(spark: SparkSession, tmp_path: Path) -> None:
    catalog = IcebergCatalog(spark, tmp_path)
    table = catalog.declared(KEYED, sink__create_table="true")
    goes_back_and_forth(spark, tmp_path, table, catalog.rows, lambda: catalog.sql("INSERT INTO $ VALUES (99, 0)"))
