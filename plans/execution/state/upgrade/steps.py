"""The steps of a migration, printed by `--dry-run` and executed by the start."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

from compiled_plan.plans.inspection.diff.mapping import StateMapping


@dataclass(frozen=True, slots=True)
class Step:
    """One step; `kind` is its name in JSON."""

    kind: ClassVar[str]
    #: The text for people, a format string over the fields.
    TEXT: ClassVar[str] = ""

    @property
    def text(self) -> str:
        return self.TEXT.format(**{field.name: getattr(self, field.name) for field in fields(self)})

    def to_dict(self) -> dict[str, object]:
        step: dict[str, object] = {"step": self.kind}
        for field in fields(self):
            value = getattr(self, field.name)
            step[field.name] = value.to_dict() if isinstance(value, StateMapping) else value
        return step | {"text": self.text}


@dataclass(frozen=True, slots=True)
class FinishBatch(Step):
    """Finish, with the old program, its pending micro-batch, whose rows may be in the sinks already.

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
    """Carry, start or set aside the position of a table.

    Args:
        names: the names under which Spark stores it.
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
    GOES_ON: "resume at its position",
    BEGINS: "read from its beginning, for it is new",
    WAITS: "keep its position, though it is no longer read: it may come back",
}


@dataclass(frozen=True, slots=True)
class ReadState(Step):
    """Read the state of the old generation.

    Args:
        generation: its number.
        host: the Spark operator that hosted it.
        partitions: its number of shuffle partitions.
    """

    kind: ClassVar[str] = "read-state"
    TEXT: ClassVar[str] = "read the state of generation {generation} ({partitions} partitions, {host})"
    generation: int
    host: str
    partitions: int


@dataclass(frozen=True, slots=True)
class MoveState(Step):
    """Migrate an operator's state.

    Args:
        uid: its uid from now on.
        words: its description for people.
        mapping: the places of its columns and calls in the old state.
        ttls: the changes of its TTLs.
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
    """Drop an operator's state.

    Args:
        uid: its uid in the old state.
        words: its description for people.
        why: "removed", "reset" or "touched".
    """

    kind: ClassVar[str] = "drop-state"
    uid: str
    words: str
    why: str

    @property
    def text(self) -> str:
        return f"drop {self.uid}: {_DROPPED[self.why]}"


REMOVED, RESET, TOUCHED, ADDED = "removed", "reset", "touched", "added"
_DROPPED = {
    REMOVED: "the plan no longer has it",
    RESET: "because of --reset",
    TOUCHED: "--upgrade correct makes it anew",
}
_EMPTY = {ADDED: "it is new", RESET: "it is reset", TOUCHED: "the change touches it"}


@dataclass(frozen=True, slots=True)
class StartEmpty(Step):
    """Start an operator without state.

    Args:
        uid: its uid.
        words: its description for people.
        why: "added", "reset" or "touched".
    """

    kind: ClassVar[str] = "start-empty"
    uid: str
    words: str
    why: str

    @property
    def text(self) -> str:
        return f"start {self.uid} empty: {_EMPTY[self.why]}"


@dataclass(frozen=True, slots=True)
class ReadHistory(Step):
    """Read the history of a table's source, or the history table that replaces it.

    Args:
        files: number of files; None for a table whose rows are read again up to the position of the checkpoint.
        given: the path of the history table; empty if there is none.
    """

    kind: ClassVar[str] = "read-history"
    table: str
    files: int | None
    given: str = ""

    @property
    def text(self) -> str:
        if self.files is None:
            return f"read again the table {self.table}, up to the position of the checkpoint"
        files = "1 file" if self.files == 1 else f"{self.files} files"
        if self.given:
            return f"read {files} of {self.given} for the rows of {self.table} so far"
        return f"read again what the source {self.table} has read: {files}"


@dataclass(frozen=True, slots=True)
class WarmUp(Step):
    """Fill an operator without state from that history, without sinks.

    Args:
        uid: its uid.
        words: its description for people.
        why: "added", "reset" or "touched".
        batches: number of micro-batches of the replay, for all operators.
    """

    kind: ClassVar[str] = "warm-up"
    uid: str
    words: str
    why: str
    batches: int

    @property
    def text(self) -> str:
        batches = "1 micro-batch" if self.batches == 1 else f"{self.batches} micro-batches"
        return f"fill {self.uid} from history in {batches}, without sinks: {_EMPTY[self.why]}"


@dataclass(frozen=True, slots=True)
class WriteState(Step):
    """Write the state into the new generation, with each timer set by the TTLs of the new plan.

    Args:
        generation: the number of the new generation.
        host: the Spark operator that will host it.
        partitions: its number of shuffle partitions.
    """

    kind: ClassVar[str] = "write-state"
    TEXT: ClassVar[str] = "write generation {generation} ({partitions} partitions, {host}), with new timers"
    generation: int
    host: str
    partitions: int


@dataclass(frozen=True, slots=True)
class Publish(Step):
    """Put the new generation in force.

    Args:
        generation: its number.
        before: the previous generation, which remains.
    """

    kind: ClassVar[str] = "publish"
    TEXT: ClassVar[str] = (
        "put generation {generation} in force; generation {before} remains for --rollback, until --prune"
    )
    generation: int
    before: int


@dataclass(frozen=True, slots=True)
class CompareTable(Step):
    """Compare what a sink's table has with the result of the new program over the history.

    Args:
        table: the identifier of the table.
        how: how its rows are read, in words.
    """

    kind: ClassVar[str] = "compare-table"
    TEXT: ClassVar[str] = "compare the table {table}, read back {how}, with the result over that history"
    table: str
    how: str


@dataclass(frozen=True, slots=True)
class SendCorrections(Step):
    """Send the differences to the tables, as micro-batch 0 of the new generation.

    Args:
        tables: the identifiers of the tables.
    """

    kind: ClassVar[str] = "send-corrections"
    tables: tuple[str, ...]

    @property
    def text(self) -> str:
        tables = ", ".join(self.tables)
        return f"send the differences to {tables}, each as one batch; rows of other writers there are deleted"
