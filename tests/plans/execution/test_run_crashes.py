"""Runs that are killed at random points: all sinks together hold the rows of an uninterrupted run, once."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.files.hadoop import Files
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.state.checkpoint.store import Store
from compiled_plan.plans.plan import CompiledPlan
from tests.plans.execution.crashing import output, program, write_input
from tests.plans.execution.disk_steps import CHANGES, DiskSteps
from tests.plans.execution.kills import Killed, killed
from tests.support.waiting import wait_until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def run(spark: SparkSession, plan: CompiledPlan, checkpoint: Path) -> None:
    Run(spark, plan, RunOptions(checkpoint=str(checkpoint), max_files_per_batch=1)).execute()


@pytest.mark.wide
@pytest.mark.parametrize(("files", "most"), [(2, 3), pytest.param(4, 6, marks=pytest.mark.deep)])
def test_crashes_at_random_points(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: int, most: int
) -> None:
    write_input(tmp_path, files)
    plan = program(tmp_path)
    run(spark, plan, tmp_path / "quiet")
    expected = output(tmp_path)
    assert all(expected.values())
    for name in expected:
        (tmp_path / name).rename(tmp_path / f"quiet-{name}")
    disk = DiskSteps(monkeypatch, (*CHANGES, (Files, "move"), (Files, "delete")))
    chance, crashes = random.Random(1), 0
    while crashes < most:
        disk.allow(chance.randrange(2, 24))
        try:
            run(spark, plan, tmp_path / "crashing")
        except Exception:
            crashes += 1
            continue
        break
    disk.allow()
    run(spark, plan, tmp_path / "crashing")
    assert crashes > 2
    assert output(tmp_path) == expected


@pytest.mark.wide
@pytest.mark.parametrize(
    "gone", [pytest.param(("state",), marks=pytest.mark.deep), ()], ids=["by micro-batches", "in real-time mode"]
)
def test_a_start_that_was_killed_while_it_wrote_its_first_positions(
    spark: SparkSession, tmp_path: Path, gone: tuple[str, ...]
) -> None:
    # In real-time mode state is written before the positions are.
    write_input(tmp_path, files=1)
    plan, generation = program(tmp_path), tmp_path / "checkpoint/generations/1"
    run(spark, plan, tmp_path / "checkpoint")
    expected = output(tmp_path)
    for name in expected:
        shutil.rmtree(tmp_path / name)
    for name in ("offsets", "commits", "sources", *gone):
        shutil.rmtree(generation / name)
    for name in ("written.json", "digests"):
        (generation / "compiled-plan" / name).unlink()
    (generation / "offsets").mkdir()
    (generation / "offsets/.0.e8500adb-cf47-471b-a844-df8dcf793781.tmp").touch()
    run(spark, plan, tmp_path / "checkpoint")
    assert output(tmp_path) == expected


@pytest.mark.deep
def test_a_hundred_killed_processes(tmp_path: Path) -> None:
    started = time.monotonic()
    summary = killed(tmp_path, 100)
    print(summary.text, f"{time.monotonic() - started:.0f} s")
    assert summary.ends > 2
    assert {"program", "head", "offsets"} <= summary.phases("a start")
    assert {"lock", "offsets", "state", "sinks", "commit"} <= summary.phases("a restart")
    assert any("asked to" in moment for moment in summary.moments)


@pytest.mark.deep
def test_a_killed_process_and_starts_beside_it(spark: SparkSession, tmp_path: Path) -> None:
    """One runs; later ones get an error, in this process and in another, and change nothing, until it is killed."""
    write_input(tmp_path)
    plan, checkpoint = program(tmp_path), tmp_path / "held"
    refused = Run(spark, plan, RunOptions(checkpoint=str(checkpoint)))
    holder = Killed(tmp_path, random.Random(0)).process(checkpoint)
    try:
        while not (checkpoint / "heads").exists():
            assert holder.poll() is None
            time.sleep(0.01)
        with pytest.raises(CheckpointError, match=f"process {holder.pid} on .* runs a plan on this checkpoint since"):
            refused.execute()
        wait_until(lambda: (checkpoint / "generations/1/offsets/1").exists() or holder.poll() is not None)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(holder.pid, signal.SIGKILL)
        said = holder.communicate(timeout=120)[1]
    assert holder.returncode == -signal.SIGKILL, said
    # Compared with the content before.
    with pytest.raises(CheckpointError, match="another run has used this checkpoint meanwhile"):
        refused.execute()
    store = Store(LocalFolder(checkpoint))
    with (
        store.locked(spark),
        pytest.raises(CheckpointError, match=f"process {os.getpid()} on"),
        Store(LocalFolder(checkpoint)).locked(spark),
    ):
        pass
    with store.locked(spark):
        assert [head.number for head in store.heads()] == [1]
    run(spark, plan, checkpoint)
    interrupted = output(tmp_path)
    for name in interrupted:
        shutil.rmtree(tmp_path / name)
    Run(spark, plan, RunOptions()).execute()
    assert interrupted == output(tmp_path)
