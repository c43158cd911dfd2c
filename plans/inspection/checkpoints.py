"""What is where in a checkpoint's folder, in which order it is written, and how it is read.

    lock, leases/<n>                     who runs on it, see `locks`
    heads/<n>                            which generation and program count: the head of the highest number
    generations/<n>/                     a whole checkpoint of Spark
    generations/<n>/compiled-plan/       what the product adds to it
        generation.json                  form, run id and versions, written once
        programs/<n>/                    plan.json, description.json, stages.json, state.json, written once
        values-*/, end-of-input/         what constant rows and the end of the input are read from
        ended                            that the input has ended
        state-rows.json, written.json    figures: rows of state, batches and rows that sinks got
        watermarks.json                  how far the partitions of sources are in event time, see `marks`

A generation and a program are written before the head that names them, and what no head names does not count: a
process may end between any two steps. Heads are made, never overwritten; a head that names an older generation goes
back to it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.files.folders import ReadableFolder

#: The form of all this. Another one is of another release.
FORMAT = 3
#: The folder inside a generation that is not Spark's.
FOLDER = "compiled-plan"
HEADS, GENERATIONS = "heads", "generations"
PROGRAMS, FACTS = f"{FOLDER}/programs", f"{FOLDER}/generation.json"
#: Figures for progress; what sinks got; what tells of the end of the input; that it has ended.
STATE_ROWS, WRITTEN = f"{FOLDER}/state-rows.json", f"{FOLDER}/written.json"
#: How far the partitions of sources are in event time.
WATERMARKS = f"{FOLDER}/watermarks.json"
#: The name of the source of ticks in real-time mode, whose position tells the same.
TICKS = "compiled_plan_ticks"
ENDS, ENDED = f"{FOLDER}/end-of-input", f"{FOLDER}/ended"
PLAN, DESCRIPTION, STAGES, STATE = "plan.json", "description.json", "stages.json", "state.json"
#: What a checkpoint of Spark has in its root; and where the release before kept its plan there.
_SPARKS, _FORMER = ("offsets", "metadata", "commits"), f"{FOLDER}/layout.json"


@dataclass(frozen=True, slots=True)
class Head:
    """Says what a checkpoint holds.

    Args:
        number: its own.
        generation: number of the generation that counts.
        program: number of the program in it that counts.
        by: what made it: "start", or what an upgrade says.
        at: when, as ISO 8601 in UTC.
        product: the release that made it.
    """

    number: int
    generation: int
    program: int
    by: str
    at: str = ""
    product: str = ""


@dataclass(frozen=True, slots=True)
class ProgramFiles:
    """What is kept of a program, as the texts of files.

    Args:
        plan: the compiled plan.
        description: see `describe`.
        stages: the kernel's spec of each stage, in order.
        state: what each operator's bytes are, by uid.
    """

    plan: str
    description: str
    stages: str = "[]"
    state: str = "{}"

    def by_name(self) -> dict[str, str]:
        """The texts by the names of the files."""
        return {PLAN: self.plan, DESCRIPTION: self.description, STAGES: self.stages, STATE: self.state}


F = TypeVar("F", bound=ReadableFolder)


class CheckpointReader(Generic[F]):
    """A checkpoint's folder, read.

    Args:
        root: the folder.
    """

    def __init__(self, root: F) -> None:
        self.root = root

    def head(self) -> Head | None:
        """The head that counts; None where nothing was ever started.

        Raises:
            CheckpointError: it is the checkpoint of another release or another tool.
        """
        numbers = self._numbers(HEADS)
        if not numbers:
            self._refuse_others()
            return None
        return self._head(numbers[-1])

    def heads(self) -> tuple[Head, ...]:
        """All heads, oldest first: the history of the checkpoint."""
        return tuple(map(self._head, self._numbers(HEADS)))

    def _head(self, number: int) -> Head:
        found = self._json(self.root, f"{HEADS}/{number}")
        if found.get("format") != FORMAT:
            raise wrong_format(self.root.shown, "form", found.get("format"), FORMAT, found.get("product"))
        return Head(number, found["generation"], found["program"], found["by"], found["at"], found["product"])

    def _refuse_others(self) -> None:
        root = self.root
        if root.holds(_FORMER):
            raise CheckpointError(
                "the checkpoint has the form of an earlier release, which kept one plan in the folder itself; "
                "this release keeps generations",
                where=root.shown,
                remedy="run it with the release that wrote it, or start with an empty checkpoint folder",
            )
        if any(map(root.holds, _SPARKS)):
            raise CheckpointError(
                "this folder is the checkpoint of a query that execute-plan did not start",
                where=root.shown,
                remedy="name an empty folder with --checkpoint",
            )

    def facts(self, generation: int) -> dict[str, Any]:
        """What is written once about a generation: `format`, `run`, `versions`, `at`."""
        return self._json(self._folder(generation), FACTS)

    def program(self, head: Head) -> ProgramFiles:
        """The program that a head names."""
        folder = self._folder(head.generation)
        names = (PLAN, DESCRIPTION, STAGES, STATE)
        found = [folder.read_text(f"{PROGRAMS}/{head.program}/{name}") for name in names]
        if None in found:
            raise _damaged(folder, f"{PROGRAMS}/{head.program}")
        return ProgramFiles(*(text or "" for text in found))

    def program_in_force(self) -> ProgramFiles:
        """The program that counts.

        Raises:
            CheckpointError: nothing was ever started there; or as `head`.
        """
        head = self.head()
        if head is None:
            what = "holds no plan: nothing was started on it" if self.root.holds() else "is not there"
            what = "is a file, where a folder is wanted" if self.root.is_file() else what
            remedy = "check the path; `execute-plan PLAN.json --checkpoint DIR` makes a checkpoint"
            raise CheckpointError(f"the checkpoint {what}", where=self.root.shown, remedy=remedy)
        return self.program(head)

    def _folder(self, number: int) -> F:
        return self.root.inside(f"{GENERATIONS}/{number}")

    def _numbers(self, name: str, folder: ReadableFolder | None = None) -> list[int]:
        return sorted(int(each) for each in (folder or self.root).names(name) if each.isdigit())

    def _json(self, folder: ReadableFolder, name: str) -> dict[str, Any]:
        try:
            found = json.loads(folder.read_text(name) or "null")
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise _damaged(folder, name)
        return found


def wrong_format(where: str, what: str, written: object, known: object, product: object) -> CheckpointError:
    """The checkpoint is of another release."""
    return CheckpointError(
        f"the checkpoint has {what} {written}{f', of release {product}' if product else ''}; "
        f"this release reads {what} {known}",
        where=where,
        remedy="run it with the release that wrote it, or start with an empty checkpoint",
    )


def _damaged(folder: ReadableFolder, name: str) -> CheckpointError:
    return CheckpointError(
        f"{name} of the checkpoint is missing or cannot be read",
        where=folder.shown,
        remedy="restore the folder from a copy, or start with an empty checkpoint",
    )
