"""A failing store, and pausing processes, on a simulated clock: a run of hours takes milliseconds.

One process runs at a time. Time passes in `World.pass_time` only, where the process with the next time continues.
"""

from __future__ import annotations

import heapq
import math
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from compiled_plan.plans.execution.spark.storage import Folder


class World:
    """The clock and the schedule of processes, deterministic per seed."""

    def __init__(self, seed: int) -> None:
        self.random, self.now = random.Random(seed), 0.0
        self.failures: list[BaseException] = []
        self._due: list[tuple[float, int, threading.Semaphore]] = []
        self._count, self._ended = 0, threading.Event()

    def clock(self) -> float:
        return self.now

    def pass_time(self, seconds: float) -> None:
        """Let the other processes run until the time has passed."""
        mine = self._queue(seconds)
        self._next()
        mine.acquire()

    def run(self, *processes: Callable[[], None]) -> None:
        """Run processes to their ends."""
        for process in processes:
            threading.Thread(target=self._begin, args=(process, self._queue(0.0)), daemon=True).start()
        self._next()
        assert self._ended.wait(60)
        if self.failures:
            raise self.failures[0]

    def _begin(self, process: Callable[[], None], mine: threading.Semaphore) -> None:
        mine.acquire()
        try:
            process()
        except BaseException as failure:
            self.failures.append(failure)
        self._next()

    def _queue(self, seconds: float) -> threading.Semaphore:
        semaphore, self._count = threading.Semaphore(0), self._count + 1
        heapq.heappush(self._due, (self.now + seconds, self._count, semaphore))
        return semaphore

    def _next(self) -> None:
        if not self._due:
            self._ended.set()
            return
        at, _, semaphore = heapq.heappop(self._due)
        self.now = max(self.now, at)
        semaphore.release()


@dataclass(slots=True)
class Faults:
    """Faults of a store.

    Args:
        failing: the share of failing operations; half of the writes among them take effect all the same.
        slow: the share of slow operations.
        seconds: the longest duration of a slow operation.
        grain: the resolution of modification times, in seconds.
        pauses: the share of batches in which a process, or its machine, pauses.
    """

    failing: float = 0.0
    slow: float = 0.0
    seconds: float = 0.0
    grain: float = 0.001
    pauses: float = 0.0


@dataclass(slots=True)
class Objects:
    """The objects of a store by path: their text and modification time."""

    world: World
    faults: Faults
    skew: float = 0.0
    files: dict[str, tuple[str, float]] = field(default_factory=dict)

    def time(self) -> float:
        return math.floor((self.world.now + self.skew) / self.faults.grain) * self.faults.grain

    def step(self) -> None:
        """Half of an operation's time."""
        faults, chance = self.faults, self.world.random
        self.world.pass_time(chance.uniform(0, faults.seconds if chance.random() < faults.slow else 0.05))

    def fail(self) -> None:
        if self.world.random.random() < self.faults.failing:
            raise OSError("503 Slow Down")


class FaultyFolder(Folder):
    """A folder of an object store: no exclusive create, whole objects, consistent listings."""

    def __init__(self, objects: Objects, uri: str = "s3://bucket/checkpoint") -> None:
        self._objects, self.uri = objects, uri

    def inside(self, name: str) -> FaultyFolder:
        return FaultyFolder(self._objects, self.child(name))

    def write_text(self, name: str, text: str) -> None:
        objects = self._objects
        # The modification time is that of the request's begin; the object appears at some time before its end.
        at = objects.time()
        objects.step()
        if objects.world.random.random() < 0.5:
            objects.fail()
        objects.files[self.child(name)] = text, at
        objects.step()
        objects.fail()

    create_text = write_text

    def _answer(self, look: Callable[[], Any]) -> Any:
        self._objects.step()
        self._objects.fail()
        seen = look()
        self._objects.step()
        return seen

    def read_bytes(self, name: str) -> bytes | None:
        text: str | None = self._answer(lambda: self._objects.files.get(self.child(name), (None,))[0])
        return None if text is None else text.encode()

    def times(self, name: str) -> dict[str, float]:
        prefix = f"{self.child(name)}/"
        answer: dict[str, float] = self._answer(
            lambda: {
                path.removeprefix(prefix): at
                for path, (_, at) in self._objects.files.items()
                if path.startswith(prefix)
            }
        )
        return answer

    def names(self, name: str = "") -> tuple[str, ...]:
        return tuple(sorted(self.times(name)))

    def holds(self, name: str = "") -> bool:
        return bool(self.names(name))

    def remove(self, name: str = "") -> None:
        self._answer(lambda: self._objects.files.pop(self.child(name), None))

    def remove_empty(self, name: str = "") -> None:
        pass

    def make(self, name: str = "") -> None:
        pass

    def copy(self, name: str, to: FaultyFolder) -> None:
        raise NotImplementedError

    def link(self, name: str, to: FaultyFolder, target: str) -> bool:
        raise NotImplementedError

    def sizes(self, name: str) -> dict[str, int]:
        raise NotImplementedError
