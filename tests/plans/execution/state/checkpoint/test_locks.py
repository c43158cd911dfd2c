"""Locks on remote file systems: a run that lost its lease writes nothing more."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.plans.errors import BusyError
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.execution.spark.storage import Folder, RemoteFolder, folder_of
from compiled_plan.plans.execution.state.checkpoint import locks
from compiled_plan.plans.execution.state.checkpoint.leases import TERM, Lease
from tests.plans.execution.state.checkpoint.places import Place, table
from tests.support.running import Running
from tests.support.waiting import wait_until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


TABLES = table("sales", "n INT", more=", 'source.monitor-interval' = '1 s'") + table(
    "sums", "n BIGINT", "debezium-json"
)
SUM = "INSERT INTO sums SELECT SUM(n) FROM sales"


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Place:
    place = Place(spark, tmp_path)
    place.add({"sales": [{"n": 1}]})
    return place


@pytest.mark.wide
def test_a_run_that_cannot_renew_its_lease_ends(place: Place, mounted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ends_without_renewals(place, f"{mounted}/checkpoint", monkeypatch)


@pytest.mark.deep
def test_a_run_that_cannot_renew_its_lease_on_s3_ends(
    place: Place, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends_without_renewals(place, f"{bucket}/checkpoint", monkeypatch)


@pytest.mark.wide
def test_a_lease_on_s3_excludes_others_until_its_release(spark: SparkSession, bucket: str) -> None:
    folder = folder_of(spark, f"{bucket}/checkpoint")
    held = locks.lock(spark, folder, lambda: None, TERM)
    assert not taken(spark, folder)
    folder.write_text("heads/1", "under the lease")
    held.release(False)
    assert taken(spark, folder)
    assert (folder.read_text("heads/1"), folder.names("leases")) == ("under the lease", ())


def ends_without_renewals(place: Place, checkpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run whose listings fail is notified, and the next one continues."""
    plan, folder = place.compiled(TABLES, SUM), folder_of(place.spark, checkpoint)
    monkeypatch.setattr(locks, "Lease", lambda folder, _term, **parts: Lease(folder, 8.0, **parts))
    with (
        pytest.raises(BusyError, match="lost its lease"),
        Running(place.started(plan, checkpoint=checkpoint, available_now=False)),
    ):
        wait_until(lambda: place.rows("sums"))
        with pytest.raises(BusyError, match="runs a plan on this checkpoint"):
            place.started(plan, checkpoint=checkpoint, available_now=False).execute()
        with monkeypatch.context() as patch:
            patch.setattr(RemoteFolder, "times", fails)
            wait_until(lambda: not any(thread.name == "checkpoint-lease" for thread in threading.enumerate()))
    place.add({"sales": [{"n": 10}]})
    # The lease that the run has left expires by itself.
    wait_until(lambda: taken(place.spark, folder))
    place.started(plan, checkpoint=checkpoint).execute()
    assert place.rows("sums") == [(11,)]


def fails(folder: RemoteFolder, name: str) -> dict[str, float]:
    raise OSError("503 Slow Down")


def taken(spark: SparkSession, folder: Folder) -> bool:
    """True if the lock could be acquired; it is released again."""
    try:
        locks.lock(spark, folder, lambda: None, TERM).release(False)
    except BusyError:
        return False
    return True


@pytest.mark.parametrize("name", ["heads/1", "generations/1/offsets/1", "generations/1/commits/1"])
def test_nothing_is_committed_after_the_end_of_a_lease(
    spark: SparkSession, mounted: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A paused process detects the fence before its renewing thread has run."""
    folder = folder_of(spark, f"{mounted}/checkpoint")
    folder.write_text(name, "before")
    held = locks.lock(spark, folder, lambda: None, TERM)
    folder.write_text(name, "under the lease")
    java_class(spark._jvm, "org.compiledplan.kernel.files.Fence").put(folder.uri, -1e12, 0.0)
    for write in (
        lambda: folder.write_text(name, "too late"),
        lambda: folder.create_text(f"{name}0", ""),
        lambda: folder.remove(name),
    ):
        with pytest.raises(Exception, match=r"the lease on viewfs://.*/checkpoint has ended"):
            write()
    assert folder.read_text(name) == "under the lease"
    assert folder.names(str(Path(name).parent)) == (Path(name).name,), "nothing is left of what was not written"
    held.release(False)
    assert folder.names("leases") == ()
