"""Leases: one writer at a time, whatever the store and the clocks do."""

from __future__ import annotations

import json
import os
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from compiled_plan.plans.errors import BusyError
from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.state.checkpoint import leases
from compiled_plan.plans.execution.state.checkpoint.leases import TERM, Lease
from tests.plans.execution.state.checkpoint.faults import Faults, FaultyFolder, Objects, World
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow

HOUR = 3600.0


class Writer:
    """A run on a checkpoint: takes the lease, writes and renews; pauses sometimes, and ends or crashes."""

    def __init__(self, world: World, objects: Objects, name: str, log: list[str], after: float = 0.3) -> None:
        self.world, self.name, self.log, self.pauses = world, name, log, objects.faults.pauses
        self.folder, self.outcome, self.after = FaultyFolder(objects), "ended", after

    def __call__(self) -> None:
        world = self.world
        world.pass_time(world.random.uniform(0, self.after))
        lease = Lease(self.folder, TERM, world.clock, wait=world.pass_time)
        try:
            self.take(lease)
        except BusyError:
            self.outcome = "refused"
            return
        end, due = world.now + world.random.uniform(30, 400), world.now + TERM / 4
        while world.now < end:
            world.pass_time(world.random.uniform(0, 150 if world.random.random() < self.pauses else 3))
            if lease.holds():
                # Time passes between the check and the write, too.
                world.pass_time(world.random.uniform(0, TERM / 8))
                self.log.append(self.name)
            if world.now >= due:
                try:
                    lease.renew()
                    due = world.now + TERM / 4
                except BusyError:
                    self.outcome = "lost"
                    break
                except OSError:
                    due = world.now + TERM / 20
        if world.random.random() < 0.7:
            lease.release(False)

    def take(self, lease: Lease) -> None:
        while True:
            try:
                return lease.take()
            except OSError:
                self.world.pass_time(1)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("worlds", [40, pytest.param(200, marks=pytest.mark.deep)])
@pytest.mark.parametrize(
    "faults",
    [
        Faults(),
        Faults(grain=1.0),
        Faults(failing=0.2),
        Faults(slow=0.1, seconds=60),
        Faults(pauses=0.1),
        Faults(failing=0.1, slow=0.1, seconds=90, grain=1.0, pauses=0.05),
    ],
    ids=["none", "coarse times", "lost answers", "delays", "pauses", "all"],
)
def test_two_starters_never_write_at_once(worlds: int, faults: Faults, monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes: Counter[str] = Counter()
    for seed in range(worlds):
        world = World(seed)
        # The clocks of the store and of the hosts are independent; that of a host decides nothing.
        objects = Objects(world, faults, skew=world.random.uniform(-HOUR, HOUR))
        monkeypatch.setattr(time, "time", lambda world=world: world.now + world.random.choice([-HOUR, 0, 60, HOUR]))
        log: list[str] = []
        monkeypatch.setattr(leases.random, "uniform", world.random.uniform)
        starters = [Writer(world, objects, f"{at}", log) for at in range(2)]
        # Others start while the first two are running, in trouble or gone.
        others = [Writer(world, objects, f"{at}", log, world.random.uniform(20, 300)) for at in range(2, 6)]
        world.run(*starters, *others)
        changes = [name for name, before in zip(log, ["", *log], strict=False) if name != before]
        assert len(changes) == len(set(changes)), f"seed {seed}: one wrote between the writes of another: {changes}"
        outcomes.update(writer.outcome for writer in (*starters, *others))
    assert outcomes["ended"] + outcomes["lost"] > worlds, f"one of two starters gets the checkpoint: {outcomes}"
    if faults.pauses == faults.slow == faults.failing == 0:
        assert not outcomes["lost"]


def test_a_start_without_faults_is_refused_by_name_and_leaves_nothing(tmp_path: Path) -> None:
    folder = LocalFolder(tmp_path)
    first = Lease(folder)
    first.take()
    with pytest.raises(BusyError, match=r"process \d+ on .* runs a plan .*lease ends at"):
        Lease(folder).take()
    assert len(entries(tmp_path)) == 1
    first.release(False)
    second = Lease(folder)
    second.take()
    second.release(True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ahead", [-HOUR, 61.0, HOUR])
def test_the_clock_of_a_host_takes_no_lease(tmp_path: Path, ahead: float, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Lease(LocalFolder(tmp_path))
    first.take()
    wall = time.time
    monkeypatch.setattr(time, "time", lambda: wall() + ahead)
    with pytest.raises(BusyError):
        Lease(LocalFolder(tmp_path)).take()
    assert first.holds()


def test_an_entry_of_an_earlier_release_is_respected(tmp_path: Path) -> None:
    folder = LocalFolder(tmp_path)
    folder.write_text("leases/7", json.dumps({"host": "far", "process": 1, "since": "today", "until": 0}))
    with pytest.raises(BusyError, match="process 1 on far"):
        Lease(folder).take()


def test_an_owner_is_notified_if_its_entries_are_replaced(tmp_path: Path) -> None:
    folder, notified = LocalFolder(tmp_path), threading.Event()
    lease = Lease(folder, 4.0)
    lease.take()
    (old,) = entries(tmp_path)
    # The number is the owner's, the id is not.
    folder.write_text(f"leases/{int(old) + 1}", json.dumps({"id": "other", "until": time.time() + 60}))
    lease.keep(notified.set)
    assert notified.wait(10)
    assert not lease.holds()
    lease.release(False)
    assert entries(tmp_path) == [str(int(old) + 1)], "the entry of another process stays"


class Slow(LocalFolder):
    """A folder whose writes take simulated time, and whose own clock may jump."""

    now = store = takes = 0.0

    def write_text(self, name: str, text: str) -> None:
        self.now += self.takes
        super().write_text(name, text)

    def times(self, name: str) -> dict[str, float]:
        return {entry: at + self.store for entry, at in super().times(name).items()}

    def make_older(self, seconds: float) -> None:
        """Make all entries so many seconds older."""
        for path in (self.path / "leases").iterdir():
            os.utime(path, (path.stat().st_atime, path.stat().st_mtime - seconds))


def test_a_lease_counts_from_when_its_renewal_was_sent(tmp_path: Path) -> None:
    folder, ends = Slow(tmp_path), list[float]()
    lease = Lease(folder, TERM, lambda: folder.now, ends.append)
    lease.take()
    folder.takes = 20
    for _ in range(3):
        lease.renew()
    assert ends == [45, 45, 65, 85]
    folder.takes = 50
    lease.renew()
    assert not lease.holds(), "it was renewed late, and ends before the answer"
    folder.takes = 0
    lease.renew()
    assert lease.holds()


@pytest.mark.parametrize("taken", ["", "held", "released"])
def test_a_late_owner_goes_on_if_nobody_took_the_lease(tmp_path: Path, taken: str) -> None:
    folder, ends = Slow(tmp_path), list[float]()
    lease = Lease(folder, TERM, lambda: folder.now, ends.append)
    lease.take()
    folder.now = TERM
    folder.store = TERM + 1
    assert not lease.holds()
    if taken:
        folder.make_older(TERM + 2)
        successor = Lease(folder, TERM, lambda: folder.now)
        successor.take()
        if taken == "released":
            successor.release(False)
        with pytest.raises(BusyError, match="lost its lease"):
            lease.renew()
        assert ends[-1] < 0 and not lease.holds()
        return
    lease.renew()
    assert lease.holds() and ends[-1] == TERM + 45


def test_a_contender_waits_for_the_longer_lease_of_the_owner(tmp_path: Path) -> None:
    folder = Slow(tmp_path)
    Lease(folder, 600.0).take()
    folder.make_older(TERM + 2)
    with pytest.raises(BusyError):
        Lease(folder, 10.0).take()
    folder.make_older(601)
    Lease(folder, 10.0).take()


def test_an_owner_tells_how_long_it_can_wait(tmp_path: Path) -> None:
    folder, lines = Slow(tmp_path), list[str]()
    lease = Lease(folder, TERM, lambda: folder.now, report=lines.append)
    lease.take()
    for folder.now in (20.0, 25.0, 32.0, 50.0):
        lease._report_wait()
    lease._report_end()
    lease._report_end()
    waits = [line.partition(": ")[2] for line in lines[:3]]
    assert waits == [
        "the lease ends in 25 s",
        "the lease ends in 13 s",
        "the lease has ended; the run goes on if the store answers within 55 s and no other run has taken the "
        "checkpoint",
    ]
    assert lines[3:] == [f"the store of the checkpoint {folder.shown} answers again, the run goes on"]


def test_the_store_detects_a_pause_that_the_process_did_not_notice(tmp_path: Path) -> None:
    folder = Slow(tmp_path)
    lease = Lease(folder, TERM, lambda: folder.now)
    lease.take()
    folder.store = TERM + 1
    folder.write_text("leases/7", json.dumps({"id": "other"}))
    with pytest.raises(BusyError, match="lost its lease"):
        lease.renew()


class Failing(LocalFolder):
    """A folder whose listings fail on request."""

    failing = False
    failures = 0

    def times(self, name: str) -> dict[str, float]:
        if self.failing:
            self.failures += 1
            raise OSError("503 Slow Down")
        return super().times(name)


@pytest.mark.wide
def test_a_renewal_outlives_listings_that_fail(tmp_path: Path) -> None:
    folder, ends = Failing(tmp_path), list[float]()
    lease = Lease(folder, 4.0, fence=ends.append)
    lease.take()
    lease.keep(lambda: pytest.fail("the lease is lost"))
    folder.failing = True
    wait_until(lambda: folder.failures > 2)
    folder.failing = False
    wait_until(lambda: len(ends) > 1)
    assert ends[1] > ends[0]
    assert lease.holds()
    lease.release(False)
    assert entries(tmp_path) == [], "what a failed renewal wrote is removed, too"


@pytest.mark.wide
def test_an_owner_that_cannot_renew_stops_before_another_one_may_start(tmp_path: Path) -> None:
    folder, notified = Failing(tmp_path), threading.Event()
    lease = Lease(folder, 4.0)
    begun = time.monotonic()
    lease.take()
    lease.keep(notified.set)
    folder.failing = True
    wait_until(lambda: not lease.holds())
    assert time.monotonic() - begun < 4.0 and not notified.is_set(), "its writes wait, and it may go on"
    assert notified.wait(10)
    lease.release(False)


class Hanging(LocalFolder):
    """A folder that does not answer."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.answers = threading.Event()
        self.answers.set()

    def write_text(self, name: str, text: str) -> None:
        self.answers.wait()
        super().write_text(name, text)


@pytest.mark.wide
def test_an_owner_is_notified_if_its_store_hangs(tmp_path: Path) -> None:
    folder, notified = Hanging(tmp_path), threading.Event()
    lease = Lease(folder, 4.0)
    lease.take()
    folder.answers.clear()
    lease.keep(notified.set)
    assert notified.wait(10)
    folder.answers.set()
    assert not lease.holds()
    lease.release(False)


def entries(root: Path) -> list[str]:
    """The names of all entries."""
    return [path.name for path in (root / "leases").iterdir() if path.name.isdigit()]
