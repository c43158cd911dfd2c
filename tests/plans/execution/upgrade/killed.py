"""Migrations and rollbacks in processes that are killed: one generation is whole each time, and sinks are equal."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from compiled_plan.plans.execution.checkpoint.offsets import progress_of
from compiled_plan.plans.execution.checkpoint.store import Store
from compiled_plan.plans.execution.storage import LocalFolder
from tests.plans.execution.crashing import output
from tests.plans.execution.kills import Killed

SINKS = ("joined", "totals", "copied")


class KilledUpgrades(Killed):
    """Each start wants another number of partitions than the last: its state moves first. Some go back instead."""

    starts = 0

    def process(self, checkpoint: Path) -> subprocess.Popen[str]:
        self.starts += 1
        command = [sys.executable, "-m", "compiled_plan.cli.execute_plan", "--quiet", "--checkpoint", str(checkpoint)]
        back = self._older() and self.chance.random() < 1 / 3
        if back:
            command += ["--rollback"]
        else:
            command += [str(self.plan), "--max-files-per-batch", "1"]
        partitions = self._partitions()
        command += ["--master", "local[1]", "--conf", "spark.driver.memory=1g"]
        command += ["--conf", f"spark.sql.shuffle.partitions={3 - partitions if partitions else 1}"]
        return subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
        )

    @property
    def store(self) -> Store:
        return Store(LocalFolder(self.checkpoint))

    def _partitions(self) -> int:
        """What the state is spread over; 0 before anything was started."""
        head = self.store.head()
        return 0 if head is None else int(json.loads(self.store.program(head).description)["partitions"])

    def _older(self) -> bool:
        head = self.store.head()
        return head is not None and "from" in self.store.facts(head.generation)

    def once(self, within: float | None) -> None:
        """One process, killed after a random time from when it holds the checkpoint; None: not at all."""
        before, heads = self._generation(), self._heads()
        process = self.process(self.checkpoint)
        rolls = "--rollback" in process.args  # type: ignore[operator]
        try:
            if within is not None:
                self._begun(process)
                time.sleep(self.chance.random() * within / (10 if rolls else 1))
                if process.poll() is None:
                    self.kills += 1
                    self._kill(process)
                    process.wait(60)
            said = process.communicate(timeout=180)[1]
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        self._whole(before, heads, rolls)
        if process.returncode in (0, -signal.SIGKILL):
            if process.returncode == 0 and not rolls:
                self._finished()
            return
        raise AssertionError(said)

    def _generation(self) -> int:
        head = self.store.head()
        return 0 if head is None else head.generation

    def _whole(self, before: int, heads: int, rolls: bool) -> None:
        """What a process leaves: the old generation or the new one, with all that a start reads."""
        store, head = self.store, self.store.head()
        if head is None:
            return
        after = head.generation
        what = "a rollback" if rolls else "a migration"
        self.moments[f"{what}, {'counts' if self._heads() > heads else 'left the old one'}"] += 1
        generation = store.generation(after)
        assert json.loads(store.program(head).description)["sources"]
        if after > before > 0:
            assert generation.folder.holds("offsets/0")
            assert generation.folder.holds("commits/0")
            assert store.facts(after)["from"]["generation"] == before
            assert progress_of(store.generation(before).folder).planned is None
        self._forget()

    def _forget(self) -> None:
        """Remove what sinks got of generations that were left, as a person does after a rollback."""
        head = self.store.head()
        assert head is not None
        line, number = [], head.generation
        while number:
            facts = self.store.facts(number)
            line.append(facts["run"])
            number = facts.get("from", {}).get("generation", 0)
        for name in SINKS:
            for file in (self.folder / name).glob("part-*"):
                if file.name.split("-")[1] not in line:
                    file.unlink()

    def _finished(self) -> None:
        found = output(self.folder)
        self.expected = self.expected or found
        assert found == self.expected, f"after {self.kills} kills"
        # Some go on where all is read: what moves then is all state.
        if self.chance.random() < 1 / 2:
            super()._finished()
