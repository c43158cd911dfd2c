"""The steps of a migration: what `--dry-run` prints, and what the start then executes."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

from compiled_plan.plans.inspection.diff.mapping import StateMapping


@dataclass(frozen=True, slots=True)
class Step:
    """One step; `kind` is its name in JSON."""

    kind: ClassVar[str]
    #: The text for people, in which fields are named.
    TEXT: ClassVar[str] = ""

    @property
    def text(self) -> str:
        """What it does, for people."""
        return self.TEXT.format(**{field.name: getattr(self, field.name) for field in fields(self)})

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        step: dict[str, Any] = {"step": self.kind}
        for field in fields(self):
            value = getattr(self, field.name)
            step[field.name] = value.to_dict() if isinstance(value, StateMapping) else value
        return step | {"text": self.text}


@dataclass(frozen=True, slots=True)
class FinishBatch(Step):
    """Finish, with the old program, the micro-batch that was begun: its rows may be in the sinks already.

    Args:
        generation: the old generation.
        batch: number of the micro-batch.
    """

    kind: ClassVar[str] = "finish-batch"
    TEXT: ClassVar[str] = "finish micro-batch {batch}, which was begun, with the old plan"
    generation: int
    batch: int


@dataclass(frozen=True, slots=True)
class CarrySource(Step):
    """What becomes of how far a table was read.

    Args:
        names: under which Spark keeps it.
        how: "goes on", "begins" or "waits".
    """

    kind: ClassVar[str] = "carry-source"
    table: str
    names: tuple[str, ...]
    how: str

    @property
    def text(self) -> str:
        return f"source {self.table}: {_SOURCES[self.how]}"


GOES_ON, BEGINS, WAITS = "goes on", "begins", "waits"
_SOURCES = {
    GOES_ON: "goes on where it was read to",
    BEGINS: "new, is read from its beginning",
    WAITS: "no longer read; its position is kept for when it comes back",
}


@dataclass(frozen=True, slots=True)
class ReadState(Step):
    """Read what the old generation keeps.

    Args:
        generation: its number.
        host: the Spark operator that hosted it.
        partitions: how many it is spread over.
    """

    kind: ClassVar[str] = "read-state"
    TEXT: ClassVar[str] = "read the state of generation {generation} ({partitions} partitions, {host})"
    generation: int
    host: str
    partitions: int


@dataclass(frozen=True, slots=True)
class MoveState(Step):
    """Take an operator's state over.

    Args:
        uid: its uid from now on.
        words: what a person calls it.
        mapping: where its columns and calls are in the old state.
        ttls: what changes of its TTLs.
    """

    kind: ClassVar[str] = "move-state"
    uid: str
    words: str
    mapping: StateMapping
    ttls: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        name = self.uid if self.uid == self.mapping.source else f"{self.mapping.source} as {self.uid}"
        more = [] if self.mapping.is_identity else ["columns and calls where they are now"]
        if self.mapping.dropped:
            more.append(f"without {', '.join(self.mapping.dropped)}")
        if self.mapping.new_columns:
            more.append(f"from now on with {', '.join(self.mapping.new_columns)}")
        more += self.ttls
        return f"keep {name}" + (f": {'; '.join(more)}" if more else "")


@dataclass(frozen=True, slots=True)
class DropState(Step):
    """Leave an operator's state behind.

    Args:
        uid: the uid that it has in the old state.
        words: what a person calls it.
        why: "removed" or "reset".
    """

    kind: ClassVar[str] = "drop-state"
    uid: str
    words: str
    why: str

    @property
    def text(self) -> str:
        return f"drop {self.uid}: {'the plan has it no more' if self.why == REMOVED else 'as --reset asks'}"


REMOVED, RESET, ADDED = "removed", "reset", "added"
_EMPTY = {ADDED: "new", RESET: "reset"}


@dataclass(frozen=True, slots=True)
class StartEmpty(Step):
    """Start an operator without state.

    Args:
        uid: its uid.
        words: what a person calls it.
        why: "added" or "reset".
    """

    kind: ClassVar[str] = "start-empty"
    uid: str
    words: str
    why: str

    @property
    def text(self) -> str:
        return f"start {self.uid} empty: it is {_EMPTY[self.why]}"


@dataclass(frozen=True, slots=True)
class ReadHistory(Step):
    """Read once more what a table's source has read, or the table that is given for that.

    Args:
        files: how many files.
        given: where the table is that is given instead; empty where there is none.
    """

    kind: ClassVar[str] = "read-history"
    table: str
    files: int
    given: str = ""

    @property
    def text(self) -> str:
        files = "1 file" if self.files == 1 else f"{self.files} files"
        if self.given:
            return f"read {files} of {self.given} for the rows of {self.table} so far"
        return f"read again what the source {self.table} has read: {files}"


@dataclass(frozen=True, slots=True)
class WarmUp(Step):
    """Fill an operator that has no state with that history, which no sink gets.

    Args:
        uid: its uid.
        words: what a person calls it.
        why: "added" or "reset".
        batches: in how many micro-batches the history runs, of all operators that are filled.
    """

    kind: ClassVar[str] = "warm-up"
    uid: str
    words: str
    why: str
    batches: int

    @property
    def text(self) -> str:
        batches = "1 micro-batch" if self.batches == 1 else f"{self.batches} micro-batches"
        return f"fill {self.uid} from history in {batches}, to no sink: it is {_EMPTY[self.why]}"


@dataclass(frozen=True, slots=True)
class WriteState(Step):
    """Write the state into the new generation, each timer set by the TTLs of the new plan.

    Args:
        generation: the number of the new generation.
        host: the Spark operator that is to host it.
        partitions: how many it is spread over.
    """

    kind: ClassVar[str] = "write-state"
    TEXT: ClassVar[str] = "write generation {generation} ({partitions} partitions, {host}), timers set afresh"
    generation: int
    host: str
    partitions: int


@dataclass(frozen=True, slots=True)
class Publish(Step):
    """Have the new generation count.

    Args:
        generation: its number.
        before: the generation that stays beside it.
    """

    kind: ClassVar[str] = "publish"
    TEXT: ClassVar[str] = (
        "have generation {generation} count; generation {before} stays as it is, for --rollback, until --prune"
    )
    generation: int
    before: int
