"""A program in processes that are killed, on one checkpoint after another.

Most of a process is the start of Spark, when nothing can be damaged. So a moment is a random file system event in
a random phase of a process, plus a random delay.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.state.checkpoint.store import Store
from compiled_plan.plans.plan import CompiledPlan
from tests.plans.execution.crashing import output, program, write_input
from tests.support.file_events import FileEvent, FileEvents, file_events

#: The last phase of a process, if it is known.
LAST = "the end"
SINKS = ("joined", "totals", "copied")
#: Time limit of a process that is not killed, in seconds.
_LONGEST = 240.0
#: One of so many processes is spared.
_SPARED = 8
#: Short processes: do not spend time to compile code that runs for seconds.
_QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xlog:disable"


@dataclass(frozen=True, slots=True)
class Moment:
    """The time at which a process is killed.

    Args:
        phase: a phase of the process.
        event: the number of the file system event in it, from 1.
        seconds: the delay after that.
        politely: whether it gets SIGTERM first, the delay before the kill.
    """

    phase: str
    event: int
    seconds: float
    politely: bool = False


@dataclass(frozen=True, slots=True)
class Before:
    """The checkpoint before a process.

    Args:
        heads: number of heads.
        generation: the current one, 0 if there is none.
        former: its predecessor, 0 if there is none.
        begun: whether a micro-batch was begun and not ended.
        contents: by generation that a head names, a digest of its content.
    """

    heads: int = 0
    generation: int = 0
    former: int = 0
    begun: bool = False
    contents: Mapping[int, str] = field(default_factory=dict)


class Killed:
    """Runs of a program: each continues after each kill until it completes, then the next begins."""

    #: Spark's master.
    MASTER = "local[1]"
    #: Send SIGTERM to some before they are killed.
    ASKED_FIRST = True

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder, self.chance = folder, chance
        self.kills, self.ends, self.moments = 0, 0, Counter[str]()
        self.plan, self.progress = folder / "plan.json", folder / "progress.jsonl"
        self.plan.write_text(self.compiled().to_json())
        self.expected: dict[str, Counter[str]] = {}
        #: By kind of process, the largest number of events in a phase so far.
        self.events: dict[str, Counter[str]] = defaultdict(Counter)

    @property
    def checkpoint(self) -> Path:
        return self.folder / f"checkpoint-{self.ends}"

    @property
    def store(self) -> Store:
        return Store(LocalFolder(self.checkpoint))

    @property
    def text(self) -> str:
        """Summary for people."""
        moments = "".join(f"\n  {count:3} {moment}" for moment, count in sorted(self.moments.items()))
        return f"{self.kills} kills, {self.ends} ends: {moments}\n"

    def phases(self, kind: str) -> set[str]:
        """Phases in which processes of a kind were killed."""
        return {moment.removeprefix(f"{kind}: ") for moment in self.moments if moment.startswith(f"{kind}: ")}

    def compiled(self) -> CompiledPlan:
        """The program that is run."""
        return program(self.folder)

    # ---- one process

    def process(self, checkpoint: Path, kind: str = "") -> subprocess.Popen[str]:
        """Start a process that runs the program, or does what its kind says."""
        progress = ("--progress-file", str(self.progress))
        return self._execute(str(self.plan), "--max-files-per-batch", "1", *progress, checkpoint=checkpoint)

    def _execute(self, *options: str, checkpoint: Path) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "compiled_plan.cli.execute_plan", "--quiet", *options]
        command += ["--master", self.MASTER, "--conf", "spark.driver.memory=1g", "--checkpoint", str(checkpoint)]
        command += ["--conf", f"spark.driver.extraJavaOptions={_QUICK}"]
        return subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
        )

    def begin(self) -> None:
        """Prepare the first kill."""
        self.once(spared=True)

    def kind(self, before: Before) -> str:
        """The kind of the next process."""
        return "a restart" if before.heads else "a start"

    def once(self, *, spared: bool = False) -> None:
        """Run one process, killed at a random moment unless it is spared, or is the first of its kind."""
        before = self.looked_at()
        kind = self.kind(before)
        moment = None if spared or not self.events[kind] else self._moment(kind)
        with file_events(self.folder) as happening:
            process = self.process(self.checkpoint, kind)
            try:
                phase = self._follow(process, happening, kind, moment)
                said = process.communicate(timeout=60)[1]
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        if phase is not None:
            self.kills += 1
            self.moments[f"{kind}: {phase}"] += 1
        else:
            graceful = moment is not None and moment.politely
            # A process that gets SIGTERM when all is done ends by the signal itself, which a shell shows as 143, too.
            ends = (0, 143, -signal.SIGTERM) if graceful else (0,)
            assert process.returncode in ends, f"{kind} ended with {process.returncode}: {said}"
        self.check(kind, before)
        if phase is None and process.returncode == 0:
            self.finished(kind)

    def _moment(self, kind: str) -> Moment:
        known = self.events[kind]
        phase = self.chance.choice(sorted(known))
        # Simultaneous writes may be one event or several, so that another process may have fewer of them.
        event = self.chance.randint(1, max(1, known[phase] * 3 // 4))
        if self.ASKED_FIRST and self.chance.random() < 1 / 4:
            return Moment(phase, event, 1.5 * self.chance.random(), politely=True)
        # Mostly right after the event; what follows it may take long.
        return Moment(phase, event, self.chance.choice((0.0, 0.003, 0.3)) * self.chance.random())

    def _follow(
        self, process: subprocess.Popen[str], happening: FileEvents, kind: str, moment: Moment | None
    ) -> str | None:
        """Watch a process until it ends or is killed; the phase in which it was killed."""
        seen, phase, due = Counter[str](), "", float("inf")
        deadline = time.monotonic() + _LONGEST
        while process.poll() is None:
            assert time.monotonic() < deadline, f"{kind} goes on for {_LONGEST} s"
            for event in happening.within(max(0.0, min(0.2, due - time.monotonic()))):
                entered = self.phase(kind, event)
                if not entered:
                    continue
                phase = entered
                seen[phase] += 1
                # The awaited event may not occur: the process ends.
                reached = moment is not None and (seen[moment.phase] >= moment.event or phase == LAST)
                if moment is not None and reached and due == float("inf"):
                    due = time.monotonic() + moment.seconds
                    if moment.politely:
                        process.terminate()
                if time.monotonic() >= due:
                    break
            if time.monotonic() >= due and process.poll() is None:
                self._kill(process)
                return f"{phase}, while it ends as it was asked to" if moment and moment.politely else phase
        self.events[kind] |= seen
        return None

    def _kill(self, process: subprocess.Popen[str]) -> None:
        """Both processes at once, like a power failure; or Python's alone, and Spark's ends when it notices."""
        if self.chance.random() < 1 / 2:
            os.killpg(process.pid, signal.SIGKILL)
            return
        process.kill()
        time.sleep(self.chance.random())

    # ---- phases and results

    def phase(self, kind: str, event: FileEvent) -> str:
        """The phase of a process that an event belongs to; empty for events of other processes."""
        inside = event.path.relative_to(self.folder).parts
        if inside[0] in SINKS:
            return "sinks"
        if inside[0] != self.checkpoint.name or len(inside) < 2:
            return ""
        if inside[1] == "generations" and len(inside) > 3:
            return self.phase_of_generation(event, int(inside[2]), inside[3:])
        return {"lock": "lock", "heads": "head"}.get(inside[1], "")

    def phase_of_generation(self, event: FileEvent, generation: int, inside: tuple[str, ...]) -> str:
        """The same for events in a generation."""
        if inside[0] == "compiled-plan":
            return "program" if "programs" in inside else "figures"
        return {"state": "state", "commits": "commit"}.get(inside[0], "offsets")

    def looked_at(self) -> Before:
        """The state before a process, for `check`."""
        return Before(len(self.store.heads()))

    def check(self, kind: str, before: Before) -> None:
        """Check the disk after a process: a complete program, or nothing that was ever published."""
        store = self.store
        head = store.head()
        assert head is not None or before.heads == 0
        if head is not None:
            plan = CompiledPlan.from_json(store.program(head).plan)
            assert [node.type for node in plan.nodes] == [node.type for node in self.compiled().nodes]
            assert json.loads(store.program(head).description)["sources"]
            assert store.generation(head.generation).run_id

    def finished(self, kind: str) -> None:
        """The program completed: its sinks hold each row once. Another run follows."""
        self.compare()
        self.ends += 1
        for name in SINKS:
            shutil.rmtree(self.folder / name)

    def compare(self) -> None:
        """Assert that the sinks equal those of the first completed run, and that all rows are accounted for."""
        rows = output(self.folder)
        assert "stateChanges" in (progress := self.progress.read_text()) and "unaccounted" not in progress
        self.expected = self.expected or rows
        assert all(rows.values())
        assert rows == self.expected, f"after {self.kills} kills"


def killed(
    folder: Path, kills: int, kind: Callable[[Path, random.Random], Killed] = Killed, seed: int | None = None
) -> Killed:
    """Kill this many processes; some are spared in between, and the following ones until a completed run is compared.

    Args:
        folder: for all input and output.
        kills: number of kills.
        kind: the class of runs.
        seed: of all random choices; printed.
    """
    seed = random.randrange(10**6) if seed is None else seed
    print(f"seed {seed}")
    write_input(folder)
    process = kind(folder, random.Random(seed))
    process.begin()
    runs = 0
    while process.kills < kills:
        runs += 1
        process.once(spared=runs % _SPARED == 0)
    ends = process.ends
    while process.ends == ends:
        process.once(spared=True)
    return process
