"""Writing a checkpoint's folder; what is where in it, and how it is read, is in `inspection.checkpoints`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.errors import BusyError
from compiled_plan.plans.execution.checkpoint.locks import lock
from compiled_plan.plans.execution.session.stopping import StuckError
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.inspection.checkpoints import (
    FACTS,
    FOLDER,
    FORMAT,
    GENERATIONS,
    HEADS,
    PROGRAMS,
    CheckpointReader,
    Head,
    ProgramFiles,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Spark's own logs: a part of the first file of the offsets, left by a process that was killed while it wrote it, would
#: have Spark refuse all starts after it.
_LOGS, _STATE = ("offsets", "commits"), "state"


@dataclass(frozen=True, slots=True)
class Generation:
    """A whole checkpoint of Spark with what belongs to it.

    Args:
        number: its own.
        folder: where it is; Spark's checkpoint location.
        run_id: in the names of what sinks write, the same at every start on this generation.
        versions: of the product, Spark, Java and Python that made it.
    """

    number: int
    folder: Folder
    run_id: str
    versions: Mapping[str, Any]


class Store(CheckpointReader[Folder]):
    """A checkpoint's folder. All that writes needs the lock.

    Args:
        root: the folder.
        product: this release, for heads.
    """

    def __init__(self, root: Folder, product: str = "") -> None:
        super().__init__(root)
        self.product = product

    def generation(self, number: int) -> Generation:
        """A generation."""
        facts = self.facts(number)
        return Generation(number, self._folder(number), facts["run"], facts["versions"])

    # ---- changes, under the lock

    @contextmanager
    def locked(self, spark: SparkSession, lost: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Hold the lock meanwhile, and take away what no head names; a folder that gets no head is as it was.

        Raises:
            CheckpointError: another process runs on it.
        """
        existed = self.root.holds()
        self.root.make()
        held = lock(spark, self.root, lost)
        unused, stuck = False, False
        try:
            self.prune()
            yield
        except StuckError:
            # What was to end goes on writing: the lock ends with the process.
            stuck = True
            raise
        except Exception:
            # A write that the fence stopped may fail before the lease's own thread says why.
            if not held.holds():
                lost()
            raise
        finally:
            # What cannot be taken away now, the next start takes away.
            with suppress(Exception):
                ours = held.holds()
                unused = ours and not self._numbers(HEADS)
                if ours:
                    self.prune()
                if unused:
                    self.root.remove(GENERATIONS)
                    self.root.remove(HEADS)
            if not stuck:
                held.release(unused)
            if unused and not existed:
                # Not with what is in it: another start may be there already.
                self.root.remove_empty()

    def prune(self) -> None:
        """Take away what a process left that ended before it published it."""
        named = {(head.generation, head.program) for head in self.heads()}
        for number in self._numbers(GENERATIONS):
            folder = self._folder(number)
            if all(number != generation for generation, _ in named):
                folder.remove()
                continue
            for program in self._numbers(PROGRAMS, folder):
                if (number, program) not in named:
                    folder.remove(f"{PROGRAMS}/{program}")
            for name in (FOLDER, *_LOGS):
                self._prune_unfinished(folder, name)
            # Spark's real-time mode writes state before it writes that a batch was begun. Where none was, Spark
            # refuses to start over state, which belongs to nothing.
            if not any(self._numbers(name, folder) for name in _LOGS):
                folder.remove(_STATE)
        self._prune_unfinished(self.root, HEADS)

    def remove_generations(self, *, but: int) -> tuple[int, ...]:
        """Remove all generations but one; gives their numbers."""
        found = tuple(number for number in self._numbers(GENERATIONS) if number != but)
        for number in found:
            self._folder(number).remove()
        return found

    def _prune_unfinished(self, folder: Folder, name: str) -> None:
        for each in folder.names(name):
            if each.startswith(".") and each.endswith(".tmp"):
                folder.remove(f"{name}/{each}")

    def next_generation(self) -> int:
        """The number that a new generation gets."""
        return max([*self._numbers(GENERATIONS), *(head.generation for head in self.heads())], default=0) + 1

    def new_generation(self, versions: Mapping[str, Any], run_id: str, before: Head | None = None) -> Generation:
        """A generation that does not count yet: `publish` makes it count.

        Args:
            versions: what makes it.
            run_id: see `Generation`.
            before: the head whose state it goes on with.
        """
        number = self.next_generation()
        folder = self._folder(number)
        facts = {"format": FORMAT, "run": run_id, "versions": dict(versions), "at": _now()}
        if before is not None:
            facts["from"] = {"generation": before.generation, "program": before.program}
        folder.create_text(FACTS, _text(facts))
        return Generation(number, folder, run_id, versions)

    def new_program(self, generation: Generation, files: ProgramFiles) -> int:
        """The number of a program, written into a generation, that does not count yet."""
        number = max(self._numbers(PROGRAMS, generation.folder), default=0) + 1
        for name, text in files.by_name().items():
            generation.folder.create_text(f"{PROGRAMS}/{number}/{name}", text)
        return number

    def publish(self, generation: int, program: int, by: str) -> Head:
        """Have a generation and a program in it count from now on.

        Raises:
            CheckpointError: somebody else has published meanwhile.
        """
        number = max(self._numbers(HEADS), default=0) + 1
        head = Head(number, generation, program, by, _now(), self.product)
        try:
            self.root.create_text(f"{HEADS}/{number}", _text({"format": FORMAT, **asdict(head)}))
        except FileExistsError:
            raise changed(self.root) from None
        return head


def changed(root: Folder) -> BusyError:
    """Another run has written into the checkpoint since it was looked at."""
    return BusyError(
        "another run has used this checkpoint meanwhile",
        where=root.shown,
        remedy="start again: its plan is then compared",
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _text(found: Mapping[str, Any]) -> str:
    return json.dumps(found, indent=1) + "\n"
