"""Layout of a checkpoint's folder, the order of its writes, and its reader.

    lock, leases/<n>                     the run that holds the checkpoint, see `locks`
    heads/<n>                            generation and program; the head of the highest number is in force
    generations/<n>/                     a complete Spark checkpoint
    generations/<n>/compiled-plan/       the product's own files
        generation.json                  form, run id and versions, written once
        programs/<n>/                    plan.json, description.json, stages.json, state.json, written once
        values-*/, end-of-input/         sources of constant rows and of the end-of-input signal
        heads/<n>                        a copy of each head that names this generation, to detect lost heads
        ended                            marker: the input has ended
        state-rows.json, written.json    figures: rows of state and ages of used ones, batches and rows of sinks
        watermarks.json                  event-time progress of the partitions of sources, see `marks`
        digests                          digests of Spark's logs, see `digests`
        batches/<n>/                     the last three as they were after micro-batch <n>, see `records`
        correction/                      differences to send to the tables of sinks, see `corrections`
        output                           the tables of sinks have not been returned to this generation yet, see `rewind`

A generation and a program are written before the head that names them, and have no effect without one: a process may
end between any two steps. Heads are created, never overwritten; a head that names an older generation rolls back to it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from types import NoneType
from typing import Any, Generic, TypeVar

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.files.folders import ReadableFolder
from compiled_plan.plans.files.paths import quoted
from compiled_plan.plans.inspection.use_ages import UseAges, use_ages_in

#: Version of this layout. Any other version belongs to another release.
FORMAT = 3
#: The product's folder inside a generation; the rest is Spark's.
FOLDER = "compiled-plan"
HEADS, GENERATIONS = "heads", "generations"
PROGRAMS, FACTS = f"{FOLDER}/programs", f"{FOLDER}/generation.json"
#: Copies of the heads that name a generation, inside it.
COPIES = f"{FOLDER}/{HEADS}"
#: Spark's logs of started and of committed micro-batches.
OFFSETS, COMMITS = "offsets", "commits"
#: The id of Spark's query.
METADATA = "metadata"
#: Figures for progress; rows that sinks received.
STATE_ROWS, WRITTEN = f"{FOLDER}/state-rows.json", f"{FOLDER}/written.json"
#: Digests of Spark's logs.
DIGESTS = f"{FOLDER}/digests"
#: Event-time progress of the partitions of sources.
WATERMARKS = f"{FOLDER}/watermarks.json"
#: Records of micro-batches.
BATCHES = f"{FOLDER}/batches"
#: Corrections of the tables of sinks.
CORRECTION = f"{FOLDER}/correction"
#: Marker: the output of a rewind or its rollback is not complete; the content names the command.
OUTPUT = f"{FOLDER}/output"
#: Name of the tick source in real-time mode, whose offset records the same progress.
TICKS = "compiled_plan_ticks"
#: The end-of-input signal that sources read; marker that the input has ended.
ENDS, ENDED = f"{FOLDER}/end-of-input", f"{FOLDER}/ended"
PLAN, DESCRIPTION, STAGES, STATE = "plan.json", "description.json", "stages.json", "state.json"
#: Contents of the root of a Spark checkpoint, and the plan file of the previous release's layout.
_SPARKS, _FORMER = (OFFSETS, METADATA, COMMITS), f"{FOLDER}/layout.json"
#: Remedies for a lost part, and for a lost head.
RESTORE = (
    "restore it from a copy of the checkpoint; without one, continue from an earlier generation with "
    "`execute-plan --adopt-generation N --checkpoint DIR`, or start with an empty checkpoint"
)
_ADOPT = "restore it from a copy, or have a generation count: `execute-plan --adopt-generation N --checkpoint DIR`"
#: The key of a document's own digest, and the length of digests.
_DIGEST, _LENGTH = "digest", 32


@dataclass(frozen=True, slots=True)
class Head:
    """The pointer to a checkpoint's current generation and program."""

    number: int
    generation: int  # number of the generation in force
    program: int  # number of the program in force within it
    by: str  # origin: "start", or the kind of upgrade
    at: str = ""  # creation time, ISO 8601 in UTC
    product: str = ""  # the release that wrote it
    files: Mapping[str, str] = field(default_factory=dict)  # digests of the files written once, by name
    batch: int | None = None  # the first micro-batch that the program runs; None in heads of earlier releases


@dataclass(frozen=True, slots=True)
class Origin:
    """The generation whose state another one has continued.

    Args:
        generation: its number; 0 if it is in another folder.
        program: its program.
        batch: its micro-batch with that state; None for the last one, before a migration.
        last: of a promoted shadow run, the last micro-batch of that generation whose output is in tables.
    """

    generation: int
    program: int
    batch: int | None = None
    last: int | None = None

    @property
    def end(self) -> int | None:
        """The last micro-batch of its origin whose output led to it; None for all of them."""
        return self.batch if self.last is None else self.last

    def to_dict(self) -> dict[str, int]:
        """The entry of a generation's facts."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def begin_of(origin: Origin | None) -> int:
    """The micro-batch behind which a generation has begun to write."""
    return -1 if origin is None or origin.batch is None else origin.batch


@dataclass(frozen=True, slots=True)
class ProgramFiles:
    """The files of a program in a checkpoint, as texts."""

    plan: str
    description: str  # see `describe`
    stages: str = "[]"  # the kernel's spec of each stage, in order
    state: str = "{}"  # the layout of each operator's bytes, by uid

    def by_name(self) -> dict[str, str]:
        """The texts by file name."""
        return {PLAN: self.plan, DESCRIPTION: self.description, STAGES: self.stages, STATE: self.state}


@dataclass(frozen=True, slots=True)
class StateFigures:
    """Entries of operators' state by uid, bytes where they were counted, and ages of used entries by state entry."""

    rows: Mapping[str, int]
    bytes: Mapping[str, int]
    ages: Mapping[str, Sequence[UseAges]] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str | None) -> StateFigures:
        """Parse the text of a checkpoint; earlier releases wrote fewer figures, and a damaged text has none."""
        stored = json_in(text, dict) or {}
        figures = {uid: figure if isinstance(figure, dict) else {"rows": figure} for uid, figure in stored.items()}
        rows, sizes = (
            {uid: figure[name] for uid, figure in figures.items() if type(figure.get(name)) is int}
            for name in ("rows", "bytes")
        )
        ages = {uid: use_ages_in(figure["ages"]) for uid, figure in figures.items() if "ages" in figure}
        return cls(rows, sizes, ages)

    def text(self) -> str:
        """The text for a checkpoint."""
        return json.dumps({uid: self._figures(uid) for uid in self.rows})

    def _figures(self, uid: str) -> dict[str, object]:
        figures: dict[str, object] = {"rows": self.rows[uid]}
        if uid in self.bytes:
            figures["bytes"] = self.bytes[uid]
        if self.ages.get(uid):
            figures["ages"] = [ages.document() for ages in self.ages[uid]]
        return figures


F = TypeVar("F", bound=ReadableFolder)
T = TypeVar("T")


class CheckpointReader(Generic[F]):
    """Reader of a checkpoint's folder."""

    def __init__(self, root: F) -> None:
        self.root = root

    def head(self) -> Head | None:
        """The head in force; None if nothing was ever started.

        Raises:
            CheckpointError: the checkpoint is of another release or tool, or heads are lost.
        """
        numbers = self.root.numbers(HEADS)
        if not numbers:
            self._refuse_others()
            self.check_heads()
            return None
        return self._head(numbers[-1])

    def heads(self) -> tuple[Head, ...]:
        """All heads, oldest first: the history of the checkpoint."""
        return tuple(map(self._head, self.root.numbers(HEADS)))

    def _head(self, number: int) -> Head:
        return self._parsed(self.root, f"{HEADS}/{number}", number)

    def _parsed(self, folder: ReadableFolder, name: str, number: int) -> Head:
        """Parse a head, or a copy of one."""
        fields = self._json(folder, name)
        if fields.get("format") != FORMAT:
            raise wrong_format(self.root.shown, "form", fields.get("format"), FORMAT, fields.get("product"))
        places, texts = ("generation", "program"), ("by", "at", "product")
        kinds = dict.fromkeys(places, int) | dict.fromkeys(texts, str) | {"files": dict}
        values: dict[str, Any] = {key: fields.get(key, {} if key == "files" else None) for key in kinds}
        values["batch"] = batch = fields.get("batch")
        if any(type(values[key]) is not kind for key, kind in kinds.items()) or type(batch) not in (int, NoneType):
            raise damaged(folder, name)
        if not is_whole(fields) or fields.get("number", number) != number:
            raise altered(folder, name)
        return Head(number, **values)

    # ---- losses

    def check_heads(self) -> None:
        """Compare the heads with their copies in the generations: a head may be lost, or restored from an older backup.

        Raises:
            CheckpointError: a generation was in force and its head is missing, or the generation in force is missing.
        """
        numbers, generations = self.root.numbers(HEADS), self.root.numbers(GENERATIONS)
        for generation in generations:
            copies = self._folder(generation).numbers(COPIES)
            lost = [number for number in copies if number not in numbers]
            if lost:
                raise self._lost(f"{HEADS}/{lost[-1]}, which had generation {generation} count, is missing")
            if not copies and self.has_run(generation) and all(h.generation != generation for h in self.heads()):
                raise self._lost(f"no head names generation {generation}, which has run: heads are missing")
        if numbers and (head := self._head(numbers[-1])).generation not in generations:
            raise self._lost(f"generation {head.generation}, which {HEADS}/{head.number} names, is missing")

    def copies(self, generation: int) -> list[Head]:
        """The heads of which a generation has readable copies, oldest first; earlier releases wrote none."""
        folder, heads = self._folder(generation), []
        for number in folder.numbers(COPIES):
            with suppress(CheckpointError):
                heads.append(self._parsed(folder, f"{COPIES}/{number}", number))
        return heads

    def has_run(self, generation: int) -> bool:
        """Return True if sinks may have received rows of a generation.

        An interrupted migration leaves one with state and the micro-batch that wrote it, number 0; an interrupted
        rewind one that ends with the batch to which it goes back.
        """
        folder = self._folder(generation)
        begun, done = folder.last(OFFSETS), folder.last(COMMITS)
        try:
            origin = self.origin(generation)
        except CheckpointError:
            origin = None
        if origin is not None and origin.batch is not None:
            return max(begun, done) > origin.batch
        return folder.holds(WRITTEN) or begun > 0 or done > (-1 if origin is None else 0)

    def _lost(self, problem: str) -> CheckpointError:
        last = {number: self._folder(number).last(COMMITS) for number in self.root.numbers(GENERATIONS)}
        present = [
            f"generation {number} ({'nothing is done' if done < 0 else f'micro-batch {done} is the last that is done'})"
            for number, done in last.items()
        ]
        return CheckpointError(
            f"cannot start: {problem}; the checkpoint has {', '.join(present) or 'no generations'}",
            where=self.root.shown,
            remedy=_ADOPT,
        )

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
        """Metadata of a generation, written once: `format`, `run`, `versions`, `at`; `from`, the origin of its state: a
        generation and program, and of a rewind the batch; `before`, the ones in force before a rewind."""
        facts = self._json(self._folder(generation), FACTS)
        former = facts.get("from", {"generation": 0, "program": 0})
        kinds = {"run": str, "versions": dict}
        if any(not isinstance(facts.get(key), kind) for key, kind in kinds.items()) or not (
            isinstance(former, dict)
            and all(type(former.get(key)) is int for key in ("generation", "program"))
            and all(type(former.get(key, 0)) is int for key in ("batch", "last"))
        ):
            raise damaged(self._folder(generation), FACTS)
        return facts

    def origin(self, generation: int) -> Origin | None:
        """The origin of a generation's state; None for one that began empty."""
        former = self.facts(generation).get("from")
        return None if former is None else Origin(*(former.get(field.name) for field in fields(Origin)))

    def lineage(self, generation: int) -> Iterator[tuple[int, Origin | None]]:
        """A generation and those before it, as far as they exist, each with its origin."""
        while self.has_generation(generation):
            origin = self.origin(generation)
            yield generation, origin
            if origin is None:
                return
            generation = origin.generation

    def has_generation(self, number: int) -> bool:
        return self.root.holds(f"{GENERATIONS}/{number}")

    def program(self, head: Head) -> ProgramFiles:
        """The program that a head names."""
        folder = self._folder(head.generation)
        for name, digest in head.files.items():
            data = folder.read_bytes(name)
            if data is not None and digest_of(data) != digest:
                raise altered(folder, name)
        names = (PLAN, DESCRIPTION, STAGES, STATE)
        texts = [folder.read_text(f"{PROGRAMS}/{head.program}/{name}") for name in names]
        for name, text in zip(names, texts, strict=True):
            if json_in(text, list if name == STAGES else dict) is None:
                raise damaged(folder, f"{PROGRAMS}/{head.program}/{name}")
        return ProgramFiles(*(text or "" for text in texts))

    def program_in_force(self) -> ProgramFiles:
        """The program in force. Raises CheckpointError as `head`, and if nothing was ever started."""
        head = self.head()
        if head is None:
            problem = "holds no plan: nothing was started on it" if self.root.holds() else "is not there"
            problem = "is a file, where a folder is wanted" if self.root.is_file() else problem
            remedy = "check the path; `execute-plan PLAN.json --checkpoint DIR` makes a checkpoint"
            raise CheckpointError(f"the checkpoint {problem}", where=self.root.shown, remedy=remedy)
        return self.program(head)

    def figures_in_force(self) -> StateFigures:
        """Entries and bytes of operators in the generation in force; empty before its first micro-batch."""
        head = self.head()
        return StateFigures.read(None if head is None else self._folder(head.generation).read_text(STATE_ROWS))

    def _folder(self, number: int) -> F:
        return self.root.inside(f"{GENERATIONS}/{number}")

    def _json(self, folder: ReadableFolder, name: str) -> dict[str, object]:
        value = json_in(folder.read_text(name), dict)
        if value is None:
            raise damaged(folder, name)
        return value


def json_in(text: str | None, kind: type[T]) -> T | None:
    """Parse JSON text into a value of this class; None if it is invalid, of another class or nested too deeply."""
    with suppress(ValueError, RecursionError):
        value = json.loads(text or "")
        if isinstance(value, kind):
            return value
    return None


def recorded(batch: int, name: str) -> str:
    """The name of one of the product's files in the record of a micro-batch."""
    return f"{BATCHES}/{batch}/{name.rpartition('/')[2]}"


def wrong_format(where: str, subject: str, written: object, known: object, product: object) -> CheckpointError:
    """Error for a checkpoint of another release."""
    return CheckpointError(
        f"the checkpoint has {subject} {written}{f', of release {product}' if product else ''}; "
        f"this release reads {subject} {known}",
        where=where,
        remedy="run it with the release that wrote it, or start with an empty checkpoint",
    )


def damaged(folder: ReadableFolder, name: str) -> CheckpointError:
    """Error for a lost or unreadable checkpoint file."""
    return _unusable(folder, name, "is missing or cannot be read")


def altered(folder: ReadableFolder, name: str) -> CheckpointError:
    """Error for a checkpoint file whose content is not what was written."""
    return _unusable(folder, name, "is damaged: it is not what was written")


def _unusable(folder: ReadableFolder, name: str, problem: str) -> CheckpointError:
    return CheckpointError(
        f"{name} of the checkpoint {problem}",
        where=quoted(folder.child(name)),
        remedy=_ADOPT if name.startswith(HEADS) else RESTORE,
    )


def digest_of(data: bytes) -> str:
    """The digest of a file's content."""
    return hashlib.sha256(data).hexdigest()[:_LENGTH]


def sealed(document: Mapping[str, object]) -> dict[str, object]:
    """The document with a digest of itself, which earlier releases ignore."""
    return {**document, _DIGEST: _own_digest(document)}


def is_whole(document: Mapping[str, object]) -> bool:
    """Return False if a document has a digest of something else; earlier releases wrote none."""
    return document.get(_DIGEST, ...) in (..., _own_digest(document))


def _own_digest(document: Mapping[str, object]) -> str:
    rest = {key: value for key, value in document.items() if key != _DIGEST}
    return digest_of(json.dumps(json.loads(json.dumps(rest)), sort_keys=True).encode())
