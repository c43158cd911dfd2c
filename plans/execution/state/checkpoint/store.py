"""Writes to a checkpoint's folder; its layout, and reading it, are in `inspection.checkpoints`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.errors import BusyError, CheckpointError
from compiled_plan.plans.execution.session.stopping import StuckError
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.state.checkpoint.leases import TERM
from compiled_plan.plans.execution.state.checkpoint.locks import lock
from compiled_plan.plans.inspection.checkpoints import (
    COMMITS,
    COPIES,
    DESCRIPTION,
    FACTS,
    FOLDER,
    FORMAT,
    GENERATIONS,
    HEADS,
    OFFSETS,
    PLAN,
    PROGRAMS,
    STAGES,
    STATE,
    CheckpointReader,
    Head,
    Origin,
    ProgramFiles,
    digest_of,
    sealed,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Spark's own logs. Spark would refuse all starts after a partial first offset file, left by a process that was killed
#: while writing it.
_LOGS, _STATE = (OFFSETS, COMMITS), "state"
#: `by` of a head that replaces a lost one.
ADOPTED = "adopt"


@dataclass(frozen=True, slots=True)
class Generation:
    """A complete Spark checkpoint with its companion files.

    Args:
        number: its number.
        folder: its folder; Spark's checkpoint location.
        run_id: part of the names of what sinks write, the same at every start on this generation.
        versions: of the product, Spark, Java and Python that created it.
    """

    number: int
    folder: Folder
    run_id: str
    versions: Mapping[str, Any]


class Store(CheckpointReader[Folder]):
    """A checkpoint's folder. All writes need the lock.

    Args:
        root: the folder.
        product: this release, for heads.
    """

    def __init__(self, root: Folder, product: str = "") -> None:
        super().__init__(root)
        self.product = product
        #: The life of a lease on the checkpoint, in seconds.
        self.lease_seconds = TERM

    def generation(self, number: int) -> Generation:
        facts = self.facts(number)
        return Generation(number, self._folder(number), facts["run"], facts["versions"])

    # ---- changes, under the lock

    @contextmanager
    def locked(self, spark: SparkSession, lost: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Hold the lock, and remove everything that no head names; leave a folder that gets no head unchanged.

        Raises:
            CheckpointError: another process runs on it.
        """
        existed = self.root.holds()
        self.root.make()
        held = lock(spark, self.root, lost, self.lease_seconds)
        unused, stuck = False, False
        try:
            self.prune()
            yield
        except StuckError:
            # A query that should have ended still writes: the lock ends with the process.
            stuck = True
            raise
        except Exception:
            # A write stopped by the fence may fail before the lease's thread reports the loss.
            if not held.holds():
                lost()
            raise
        finally:
            # The next start removes what cannot be removed now.
            with suppress(Exception):
                is_owner = held.holds()
                if is_owner:
                    self.prune()
                unused = is_owner and not self.root.numbers(HEADS) and not self.root.numbers(GENERATIONS)
                if unused:
                    self.root.remove(GENERATIONS)
                    self.root.remove(HEADS)
            if not stuck:
                held.release(unused)
            if unused and not existed:
                # Not recursively: another start may already use the folder.
                self.root.remove_empty()

    def prune(self) -> None:
        """Remove the remains of a process that ended before it published; never a generation that has run."""
        if not all(map(self._is_readable, self.root.numbers(HEADS))):
            # A damaged head may name any generation.
            return
        heads = self.heads()
        for number in self.root.numbers(GENERATIONS):
            folder = self._folder(number)
            programs = {head.program for head in (*heads, *self.copies(number)) if head.generation == number}
            if not programs:
                if not self.has_run(number):
                    self._remove_generation(number)
                continue
            for program in folder.numbers(PROGRAMS):
                if program not in programs:
                    folder.remove(f"{PROGRAMS}/{program}")
            for name in (FOLDER, COPIES, *_LOGS):
                self._prune_unfinished(folder, name)
            # Spark's real-time mode writes state before it logs the start of a batch. If no batch was begun, Spark
            # refuses to start over that state, which belongs to no batch.
            if not any(folder.numbers(name) for name in _LOGS):
                folder.remove(_STATE)
        self._prune_unfinished(self.root, HEADS)

    def remove_generations(self, *, but: int) -> tuple[int, ...]:
        """Remove all generations but one; return their numbers."""
        numbers = tuple(number for number in self.root.numbers(GENERATIONS) if number != but)
        for number in numbers:
            self._remove_generation(number)
        return numbers

    def _remove_generation(self, number: int) -> None:
        """Remove a generation, its facts last: if the removal ends early, they tell that it has not run."""
        folder = self._folder(number)
        for name in folder.names():
            if name != FOLDER:
                folder.remove(name)
        for name in folder.names(FOLDER):
            if f"{FOLDER}/{name}" != FACTS:
                folder.remove(f"{FOLDER}/{name}")
        folder.remove()

    def _prune_unfinished(self, folder: Folder, name: str) -> None:
        for file in folder.names(name):
            if file.startswith(".") and file.endswith(".tmp"):
                folder.remove(f"{name}/{file}")

    def next_generation(self) -> int:
        return max([*self.root.numbers(GENERATIONS), *(head.generation for head in self.heads())], default=0) + 1

    def new_generation(
        self,
        versions: Mapping[str, Any],
        run_id: str,
        origin: Origin | None = None,
        before: Head | None = None,
    ) -> Generation:
        """Create a generation that is not in force until `publish`.

        Args:
            versions: the versions that create it.
            run_id: see `Generation`.
            origin: the generation whose state it continues.
            before: of a rewind, the head in force before it.
        """
        number = self.next_generation()
        folder = self._folder(number)
        facts = {"format": FORMAT, "run": run_id, "versions": dict(versions), "at": _now()}
        if origin is not None:
            facts["from"] = origin.to_dict()
        if before is not None:
            facts["before"] = {"generation": before.generation, "program": before.program}
        folder.create_text(FACTS, _text(facts))
        return Generation(number, folder, run_id, versions)

    def new_program(self, generation: Generation, files: ProgramFiles) -> int:
        """Write a program into a generation; return its number. It is not in force until `publish`."""
        number = max(generation.folder.numbers(PROGRAMS), default=0) + 1
        for name, text in files.by_name().items():
            generation.folder.create_text(f"{PROGRAMS}/{number}/{name}", text)
        return number

    def publish(self, generation: int, program: int, by: str) -> Head:
        """Put a generation and one of its programs in force.

        Raises:
            CheckpointError: another process has published meanwhile.
        """
        folder = self._folder(generation)
        if not folder.numbers(COPIES):
            # Spark does not flush the files that it writes; the generation becomes valid now.
            folder.flush()
        number = max(self.root.numbers(HEADS), default=0) + 1
        digests, first = _digests(folder, program), folder.last(COMMITS) + 1
        head = Head(number, generation, program, by, _now(), self.product, digests, first)
        try:
            self.root.create_text(f"{HEADS}/{number}", _head_text(head))
        except FileExistsError:
            raise changed(self.root) from None
        self.keep_copy(head)
        return head

    def keep_copy(self, head: Head) -> None:
        """Copy a head into its generation unless the copy exists."""
        folder, name = self._folder(head.generation), f"{COPIES}/{head.number}"
        if not folder.holds(name):
            folder.write_text(name, _head_text(head))

    def adopt(self, generation: int) -> Head:
        """Put a generation whose head was lost in force; restore missing or damaged heads from their copies.

        Raises:
            CheckpointError: there is no such generation, or nothing valid in it.
        """
        present = self.root.numbers(GENERATIONS)
        programs = self._complete_programs(generation)
        if not programs:
            complete = ", ".join(str(number) for number in present if self._complete_programs(number)) or "none"
            raise CheckpointError(
                f"generation {generation} cannot be put in force: it does not exist, or has no program",
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
        """The readable programs of a generation, oldest first."""
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
    """The error for a checkpoint that another run has written since it was read."""
    return BusyError(
        "another run has used this checkpoint meanwhile",
        where=root.shown,
        remedy="start again: its plan is then compared",
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _head_text(head: Head) -> str:
    return _text(sealed({"format": FORMAT, **asdict(head)}))


def _digests(generation: Folder, program: int) -> dict[str, str]:
    """The digests of the files of a generation that are written once, by name."""
    names = (FACTS, *(f"{PROGRAMS}/{program}/{name}" for name in (PLAN, DESCRIPTION, STAGES, STATE)))
    contents = ((name, generation.read_bytes(name)) for name in names)
    return {name: digest_of(data) for name, data in contents if data is not None}


def _text(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=1) + "\n"
