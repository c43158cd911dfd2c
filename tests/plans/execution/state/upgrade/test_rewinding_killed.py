"""Rewinds to random micro-batches by processes that end at any step: sinks are as if no run had gone further."""

from __future__ import annotations

import random
import subprocess
import time
from pathlib import Path

import pytest

from compiled_plan.plans.execution.files.hadoop import Files
from compiled_plan.plans.execution.state.checkpoint.retained import RetainedState
from tests.plans.execution.crashing import write_input as write_tables
from tests.plans.execution.disk_steps import CHANGES, Crash, DiskSteps
from tests.plans.execution.kills import Before, Killed
from tests.plans.execution.state.checkpoint.places import Place
from tests.plans.execution.state.upgrade.test_rewinding import (
    PROGRAM,
    TABLES,
    current,
    output,
    place,
    rewound,
    step,
    write_input,
)

__all__ = ["place"]
START, RESTART, REWIND = "a start", "a restart", "a rewind"
#: Steps of a rewind on disk, in Python and by the sinks of files.
STEPS = (*CHANGES, (Files, "move"), (Files, "delete"))


@pytest.mark.deep
def test_a_hundred_random_rewinds_that_end_at_any_step(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is repeated until it is complete; a run follows some of them."""
    write_input(place, 8)
    plan, seed = place.compiled(TABLES, PROGRAM), random.randrange(10**6)
    print(f"seed {seed}")
    step(place, plan)
    chance, whole, end, ends = random.Random(seed), output(place), current(place)[1], {"before": 0, "after": 0}
    past = {batch: output(place, batch) for batch in range(end - 1)}
    disk = DiskSteps(monkeypatch, STEPS)
    # Later micro-batches have longer logs.
    rewound(place, f"1/{end - 2}")
    most, before = disk.count, past[end - 2]
    for _ in range(100):
        batch = chance.randrange(end - 1)
        generation = current(place)[0]
        while True:
            disk.allow(chance.randrange(most) if chance.random() < 2 / 3 else None)
            try:
                rewound(place, f"1/{batch}")
                break
            except Crash:
                disk.allow()
            has_begun = current(place)[0] != generation
            ends["after" if has_begun else "before"] += 1
            assert has_begun or output(place) == before
        disk.allow()
        rewound(place, f"1/{batch}")
        assert output(place) == past[batch]
        before = past[batch]
        if chance.random() < 1 / 8:
            step(place, plan)
            assert output(place) == whole
            before = whole
    print(f"{most} steps; ends: {ends}")
    assert all(ends.values())
    step(place, plan)
    assert output(place) == whole


class KilledRewinds(Killed):
    """One checkpoint, which goes back and forth; a killed rewind is repeated until it is complete."""

    ASKED_FIRST = False
    #: The micro-batch of a rewind that has begun.
    target: int | None = None
    rewinds = 0

    @property
    def checkpoint(self) -> Path:
        return self.folder / "checkpoint"

    def kind(self, before: Before) -> str:
        if not before.heads:
            return START
        if self.target is None and self.chance.random() < 1 / 2:
            batches = self._retained()
            self.target = self.chance.choice(batches) if batches else None
        return RESTART if self.target is None else REWIND

    def _retained(self) -> list[int]:
        """The micro-batches to which the generation in force can return, but the last."""
        head = self.store.head()
        assert head is not None
        retained = RetainedState(self.store.generation(head.generation).folder)
        first = retained.oldest()
        return [batch for batch in retained.batches[:-1] if first is not None and batch >= first]

    def process(self, checkpoint: Path, kind: str = "") -> subprocess.Popen[str]:
        if kind == REWIND:
            return self._execute("--rewind-to", str(self.target), checkpoint=checkpoint)
        return super().process(checkpoint, kind)

    def finished(self, kind: str) -> None:
        if kind == REWIND:
            self.target, self.rewinds = None, self.rewinds + 1
            return
        self.compare()
        self.ends += 1


@pytest.mark.deep
@pytest.mark.parametrize("rewinds", [100])
def test_random_rewinds_in_killed_processes(tmp_path: Path, rewinds: int) -> None:
    started, seed, processes = time.monotonic(), random.randrange(10**6), 0
    print(f"seed {seed}")
    write_tables(tmp_path)
    killed = KilledRewinds(tmp_path, random.Random(seed))
    killed.begin()
    while killed.rewinds < rewinds or killed.target is not None:
        processes += 1
        killed.once(spared=processes % 8 == 0)
    ends = killed.ends
    while killed.ends == ends:
        killed.once(spared=True)
    print(killed.text, f"{killed.rewinds} rewinds, {time.monotonic() - started:.0f} s")
    assert {"offsets", "program", "head"} <= killed.phases(REWIND)
