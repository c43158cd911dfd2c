"""Rollback to the previous generation, and removal of the generations that are not in force."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.state.checkpoint.store import Store
from compiled_plan.plans.execution.state.upgrade.rollback import prune, roll_back
from compiled_plan.plans.plan import CompiledPlan
from tests.plans.execution.state.checkpoint.places import Place
from tests.plans.execution.state.upgrade.test_upgrade_moves import COUNTS, PRICES, TABLES, VALUES, more, place, together

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["place"]


@pytest.mark.wide
def test_a_rollback_says_what_sinks_got_and_the_old_plan_goes_on_where_it_was(place: Place) -> None:
    old, new = place.compiled(TABLES, together(PRICES, COUNTS)), place.compiled(TABLES, COUNTS)
    place.run(old)
    more(place)
    place.moved(new)
    assert place.rows("counts") == [("x", 1010), ("y", 20)]
    spark, folder = place.spark, str(place.checkpoint)
    result = roll_back(spark, folder)
    assert (result.generation, result.before, result.batches) == (1, 2, 1)
    (sink,) = result.sinks
    assert (sink.table, sink.rows, sink.files) == ("default_catalog.default_database.counts", 2, 1)
    assert len(list(Path(sink.pattern).parent.glob(Path(sink.pattern).name))) == sink.files
    for file in Path(sink.pattern).parent.glob(Path(sink.pattern).name):
        file.unlink()
    place.run(old)
    assert place.rows("counts") == [("x", 1010), ("y", 20)]
    assert place.rows("prices") == [("x", 103), ("y", 5)]
    assert place.heads()[:3] == [(1, "start"), (2, "migrate"), (1, "rollback from 2")]
    with pytest.raises(CheckpointError, match="generation 1, which is in force, has no predecessor"):
        roll_back(spark, folder)
    place.add({"sales": [{"shop": "y", "price": 1, "pieces": 1}]})
    place.moved(new)
    assert place.generations() == [1, 2, 3]
    assert prune(spark, folder) == (1, 2)
    assert place.generations() == [3]
    with pytest.raises(CheckpointError, match="generation 1, which generation 3 was made from, was removed by --prune"):
        roll_back(spark, folder)
    place.add({"sales": [{"shop": "x", "price": 1, "pieces": 1}]})
    place.run(new)
    assert place.rows("counts") == [("x", 1011), ("y", 21)]
    assert prune(spark, folder) == ()


@pytest.mark.wide
def test_a_checkpoint_on_another_file_system_moves_and_goes_back(place: Place, mounted: str) -> None:
    old, new = (
        place.compiled(TABLES, together(PRICES, COUNTS, VALUES)),
        place.compiled(TABLES, together(COUNTS, VALUES)),
    )
    checkpoint = f"{mounted}/checkpoint"

    def run(plan: CompiledPlan) -> None:
        Run(place.spark, plan, RunOptions(checkpoint=checkpoint, available_now=True)).execute()

    run(old)
    more(place)
    run(new)
    assert place.heads() == [(1, "start"), (2, "migrate")]
    assert not (place.checkpoint / "generations/2/compiled-plan/seed").exists()
    assert place.rows("counts") == [("x", 1010), ("y", 20)]
    assert place.rows("again") == [("x", 1000), ("z", 7)], "constant rows are read once"
    result = roll_back(place.spark, checkpoint)
    for sink in result.sinks:
        for file in Path(sink.pattern).parent.glob(Path(sink.pattern).name):
            file.unlink()
    run(old)
    assert place.rows("counts") == [("x", 1010), ("y", 20)]
    assert place.rows("prices") == [("x", 103), ("y", 5)]
    assert prune(place.spark, checkpoint) == (2,)


@pytest.mark.wide
def test_no_rollback_during_a_run_or_without_a_former_generation(
    spark: SparkSession, place: Place, tmp_path: Path
) -> None:
    place.run(place.compiled(TABLES, PRICES))
    with Store(LocalFolder(place.checkpoint)).locked(spark):
        for act in (roll_back, prune):
            with pytest.raises(CheckpointError, match="runs a plan on this checkpoint"):
                act(spark, str(place.checkpoint))
    for act in (roll_back, prune):
        with pytest.raises(CheckpointError, match="is not there"):
            act(spark, str(tmp_path / "nothing"))
    assert not (tmp_path / "nothing").exists()
