"""Writing a checkpoint's folder; what is where in it, and how it is read, is in `inspection.checkpoints`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.errors import BusyError, CheckpointError
from compiled_plan.plans.execution.checkpoint.locks import lock
from compiled_plan.plans.execution.session.stopping import StuckError
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.inspection.checkpoints import (
    COMMITS,
    COPIES,
    FACTS,
    FOLDER,
    FORMAT,
    GENERATIONS,
    HEADS,
    OFFSETS,
    PROGRAMS,
    CheckpointReader,
    Head,
    ProgramFiles,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Spark's own logs: a part of the first file of the offsets, left by a process that was killed while it wrote it, would
#: have Spark refuse all starts after it.
_LOGS, _STATE = (OFFSETS, COMMITS), "state"
#: `by` of a head that stands for a lost one.
ADOPTED = "adopt"


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
                if ours:
                    self.prune()
                unused = ours and not self.root.numbers(HEADS) and not self.root.numbers(GENERATIONS)
                if unused:
                    self.root.remove(GENERATIONS)
                    self.root.remove(HEADS)
            if not stuck:
                held.release(unused)
            if unused and not existed:
                # Not with what is in it: another start may be there already.
                self.root.remove_empty()

    def prune(self) -> None:
        """Remove the remains of a process that ended before it published; never a generation that has run."""
        if not all(map(self._is_readable, self.root.numbers(HEADS))):
            # It may name anything.
            return
        heads = self.heads()
        for number in self.root.numbers(GENERATIONS):
            folder = self._folder(number)
            programs = {head.program for head in (*heads, *self.copies(number)) if head.generation == number}
            if not programs:
                if not self.has_run(number):
                    folder.remove()
                continue
            for program in folder.numbers(PROGRAMS):
                if program not in programs:
                    folder.remove(f"{PROGRAMS}/{program}")
            for name in (FOLDER, COPIES, *_LOGS):
                self._prune_unfinished(folder, name)
            # Spark's real-time mode writes state before it writes that a batch was begun. Where none was, Spark
            # refuses to start over state, which belongs to nothing.
            if not any(folder.numbers(name) for name in _LOGS):
                folder.remove(_STATE)
        self._prune_unfinished(self.root, HEADS)

    def remove_generations(self, *, but: int) -> tuple[int, ...]:
        """Remove all generations but one; gives their numbers."""
        numbers = tuple(number for number in self.root.numbers(GENERATIONS) if number != but)
        for number in numbers:
            self._folder(number).remove()
        return numbers

    def _prune_unfinished(self, folder: Folder, name: str) -> None:
        for file in folder.names(name):
            if file.startswith(".") and file.endswith(".tmp"):
                folder.remove(f"{name}/{file}")

    def next_generation(self) -> int:
        """The number that a new generation gets."""
        return max([*self.root.numbers(GENERATIONS), *(head.generation for head in self.heads())], default=0) + 1

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
        number = max(generation.folder.numbers(PROGRAMS), default=0) + 1
        for name, text in files.by_name().items():
            generation.folder.create_text(f"{PROGRAMS}/{number}/{name}", text)
        return number

    def publish(self, generation: int, program: int, by: str) -> Head:
        """Have a generation and a program in it count from now on.

        Raises:
            CheckpointError: somebody else has published meanwhile.
        """
        folder = self._folder(generation)
        if not folder.numbers(COPIES):
            # It counts for the first time, and Spark does not flush what it writes.
            folder.flush()
        number = max(self.root.numbers(HEADS), default=0) + 1
        head = Head(number, generation, program, by, _now(), self.product)
        try:
            self.root.create_text(f"{HEADS}/{number}", _head_text(head))
        except FileExistsError:
            raise changed(self.root) from None
        self.keep_copy(head)
        return head

    def keep_copy(self, head: Head) -> None:
        """Have the generation that a head names know of it, unless it does."""
        folder, name = self._folder(head.generation), f"{COPIES}/{head.number}"
        if not folder.holds(name):
            folder.write_text(name, _head_text(head))

    def adopt(self, generation: int) -> Head:
        """Have a generation count whose head was lost; heads that are missing or damaged come back from their copies.

        Raises:
            CheckpointError: there is no such generation, or nothing in it that could count.
        """
        present = self.root.numbers(GENERATIONS)
        programs = self._complete_programs(generation)
        if not programs:
            complete = ", ".join(str(number) for number in present if self._complete_programs(number)) or "none"
            raise CheckpointError(
                f"generation {generation} cannot count: it is not there, or holds no program",
                where=self.root.shown,
                remedy=f"name one that is there with its programs: {complete}",
            )
        copies = {copy.number: copy for number in present for copy in self.copies(number)}
        own = max((copy.number for copy in copies.values() if copy.generation == generation), default=None)
        program = programs[-1] if own is None else copies[own].program
        readable = {number for number in self.root.numbers(HEADS) if self._is_readable(number)}
        known = {*self.root.numbers(HEADS), *(at for number in present for at in self._folder(number).numbers(COPIES))}
        for number in sorted(known - readable):
            missing = copies.get(number) or Head(number, generation, program, ADOPTED, _now(), self.product)
            self.root.write_text(f"{HEADS}/{number}", _head_text(missing))
        last = self.heads()[-1:]
        if last and (last[0].generation, last[0].program) == (generation, program):
            self.keep_copy(last[0])
            return last[0]
        return self.publish(generation, program, ADOPTED)

    def _complete_programs(self, generation: int) -> list[int]:
        """The programs of a generation that can be read, oldest first."""
        programs = []
        for program in self._folder(generation).numbers(PROGRAMS):
            with suppress(CheckpointError):
                self.program(Head(0, generation, program, ""))
                programs.append(program)
        return programs

    def _is_readable(self, head: int) -> bool:
        try:
            self._head(head)
        except CheckpointError:
            return False
        return True


def changed(root: Folder) -> BusyError:
    """Another run has written into the checkpoint since it was looked at."""
    return BusyError(
        "another run has used this checkpoint meanwhile",
        where=root.shown,
        remedy="start again: its plan is then compared",
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _head_text(head: Head) -> str:
    return _text({"format": FORMAT, **asdict(head)})


def _text(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=1) + "\n"
