"""A program in processes that are killed, on one checkpoint after the other."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from compiled_plan.plans.execution.checkpoint.store import Store
from compiled_plan.plans.execution.storage import LocalFolder
from compiled_plan.plans.plan import CompiledPlan
from tests.plans.execution.crashing import output, program, write_input


class Killed:
    """Runs of a program: each goes on after each kill until it comes to its end, then the next begins."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder, self.chance = folder, chance
        self.kills, self.ends, self.moments = 0, 0, Counter[str]()
        self.plan = folder / "plan.json"
        self.plan.write_text(program(folder).to_json())
        self.expected: dict[str, Counter[str]] = {}

    @property
    def checkpoint(self) -> Path:
        return self.folder / f"checkpoint-{self.ends}"

    def process(self, checkpoint: Path) -> subprocess.Popen[str]:
        """One that runs the program."""
        command = [sys.executable, "-m", "compiled_plan.cli.execute_plan", str(self.plan), "--quiet"]
        command += ["--max-files-per-batch", "1", "--master", "local[1]", "--conf", "spark.driver.memory=1g"]
        return subprocess.Popen(
            [*command, "--checkpoint", str(checkpoint)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def once(self, within: float | None) -> None:
        """One process, killed after a random time from when it holds the checkpoint; None: not at all."""
        process, before = self.process(self.checkpoint), self._heads()
        try:
            if within is not None:
                self._begun(process)
                time.sleep(self.chance.random() * within)
                if process.poll() is None and self.chance.random() < 1 / 3:
                    process.terminate()
                    time.sleep(self.chance.random())
                if process.poll() is None:
                    self.kills += 1
                    self._kill(process)
                    process.wait(60)
                    self._check(before)
                    return
            said = process.communicate(timeout=120)[1]
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        assert process.returncode in ((0,) if within is None else (0, 143)), said
        if process.returncode == 0:
            self._finished()

    def _kill(self, process: subprocess.Popen[str]) -> None:
        """Both processes at once, as a loss of power; or Python's alone, and Spark's ends when it sees that."""
        if self.chance.random() < 1 / 2:
            os.killpg(process.pid, signal.SIGKILL)
            return
        process.kill()
        time.sleep(self.chance.random())

    def _begun(self, process: subprocess.Popen[str]) -> None:
        deadline, lock = time.monotonic() + 120, self.checkpoint / "lock"
        while process.poll() is None and time.monotonic() < deadline:
            with suppress(FileNotFoundError, ValueError):
                if json.loads(lock.read_text())["process"] == process.pid:
                    return
            time.sleep(0.01)

    def _heads(self) -> int:
        return len(Store(LocalFolder(self.checkpoint)).heads())

    def _check(self, before: int) -> None:
        """What a kill leaves: a whole program, or nothing that was ever published."""
        store = Store(LocalFolder(self.checkpoint))
        head = store.head()
        assert head is not None or before == 0
        self.moments["after a publication" if before else "with it" if head else "before it"] += 1
        if head is not None:
            plan = CompiledPlan.from_json(store.program(head).plan)
            assert [node.type for node in plan.nodes] == [node.type for node in program(self.folder).nodes]
            assert json.loads(store.program(head).description)["sources"]
            assert store.generation(head.generation).run_id

    def _finished(self) -> None:
        """The program came to its end: its sinks hold each row once. What follows is another run."""
        found = output(self.folder)
        self.expected = self.expected or found
        assert all(found.values())
        assert found == self.expected, f"after {self.kills} kills"
        self.ends += 1
        for name in found:
            shutil.rmtree(self.folder / name)


def killed(folder: Path, kills: int, within: float, kind: type[Killed] = Killed) -> Killed:
    """Kill processes so many times, at most so long after they hold the checkpoint.

    Args:
        folder: for all that they read and write.
        kills: how many.
        within: in times of a process that is not killed, so that a busy machine gets as far as a quiet one.
        kind: what is run.
    """
    write_input(folder)
    found = kind(folder, random.Random(kills))
    started = time.monotonic()
    found.once(None)
    seconds = within * (time.monotonic() - started)
    while found.kills < kills:
        found.once(seconds)
    found.once(None)
    return found
