"""Rewinds to random micro-batches in killed processes: sinks are equal to those of a run that never went further."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from compiled_plan.plans.execution.state.checkpoint.retained import RetainedState
from tests.plans.execution.kills import Before, Killed, killed

START, RESTART, REWIND = "a start", "a restart", "a rewind"


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
            self.target = self.chance.choice(batches) if len(batches) > 1 else None
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
def test_a_hundred_random_rewinds_under_kills(tmp_path: Path) -> None:
    started = time.monotonic()
    summary = killed(tmp_path, 200, KilledRewinds)
    print(summary.text, f"{summary.rewinds} rewinds, {time.monotonic() - started:.0f} s")
    assert summary.rewinds >= 100
    assert {"offsets", "program", "head", "sinks"} <= summary.phases(REWIND)
