"""Reports on imports and exports: the fate of state and positions. Times are ms since 1970."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain
from typing import Any, ClassVar, Literal

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.text.documents import Document, Item, schema_of


class Outcome(Enum):
    """The fate of state, or of a source's position."""

    TAKEN = "taken over"
    COMPUTED = "taken over by a computation"
    EXPORTED = "exported"
    EMPTY = "starts empty"
    REFUSED = "refused"
    NOT_RESTORED = "not restored"


class Part(Item):
    """A part of a report: its fate, the reason, and what to do if it is refused."""

    __slots__ = ()
    outcome: Outcome
    why: str
    remedy: str

    @property
    def label(self) -> str:
        """The name of the part in errors."""
        raise NotImplementedError


class OperatorPart(Part):
    """The state of an operator of the plan."""

    __slots__ = ()
    uid: str
    words: str

    @property
    def label(self) -> str:
        return f"operator {self.uid} ({self.words})"


class SourcePart(Part):
    """The position of a source."""

    __slots__ = ()
    table: str

    @property
    def label(self) -> str:
        return f"source {self.table}"


@dataclass(frozen=True, slots=True)
class OperatorImport(OperatorPart):
    """The state of an operator.

    Args:
        node: id of its node.
        uid: its uid in the plan.
        words: its description in the plan.
        outcome: the fate of its state.
        entries: number of its entries in the savepoint.
        bytes: their size there.
        why: the computation, or the reason why it starts empty or is refused.
        remedy: what to do if it is refused.
    """

    node: int
    uid: str
    words: str
    outcome: Outcome
    entries: int = 0
    bytes: int = 0
    why: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class SourceImport(SourcePart):
    """The position of a source.

    Args:
        node: id of the scan.
        table: the table's name.
        outcome: TAKEN, EMPTY if the source begins, or REFUSED.
        position: the position in words.
        why, remedy: the reason of a refusal, and what to do.
    """

    node: int
    table: str
    outcome: Outcome
    position: str = ""
    why: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class SinkImport(Part):
    """The state of a sink: its pending output must be committed by Flink.

    Args:
        node: id of the sink.
        table: the table's name.
        outcome: TAKEN, or REFUSED if it has output that Flink has not committed.
    """

    node: int
    table: str
    outcome: Outcome
    why: str = ""
    remedy: str = ""

    @property
    def label(self) -> str:
        return f"sink {self.table}"


@dataclass(frozen=True, slots=True)
class LeftState(Part):
    """State of an operator of the savepoint that no operator of the plan takes over.

    Args:
        name: its uid, name or id.
        outcome: REFUSED, or NOT_RESTORED if `--allow-non-restored-state` leaves it behind.
        entries: number of its entries.
        bytes: their size.
        why: the reason.
        remedy: what to do if it is refused.
    """

    name: str
    outcome: Outcome
    entries: int = 0
    bytes: int = 0
    why: str = ""
    remedy: str = ""

    @property
    def label(self) -> str:
        return f"operator {self.name} of the savepoint"


@dataclass(frozen=True, slots=True)
class OperatorExport(OperatorPart):
    """The state of an operator.

    Args:
        node: id of its node.
        uid: its uid in the checkpoint.
        flink_uid: its uid in the savepoint.
        words: its description in the plan.
        outcome: the fate of its state.
        keys: number of its keys in the checkpoint.
        bytes: their size there.
        why: the reason why it starts empty or is refused.
        remedy: what to do if it is refused.
    """

    node: int
    uid: str
    flink_uid: str
    words: str
    outcome: Outcome
    keys: int = 0
    bytes: int = 0
    why: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class SourceExport(SourcePart):
    """The position of a source.

    Args:
        node: id of the scan.
        flink_uid: its uid in the savepoint.
        table: the table's name.
        outcome: EXPORTED, EMPTY if the source begins, or REFUSED.
        position: the position in words.
        why: the reason of a refusal.
        remedy: what to do if it is refused.
    """

    node: int
    flink_uid: str
    table: str
    outcome: Outcome
    position: str = ""
    why: str = ""
    remedy: str = ""


class Report(Document):
    """Figures, parts and findings that reports of imports and exports have in common."""

    TITLE: ClassVar[str]
    #: The outcomes that its parts may have.
    OUTCOMES: ClassVar[Sequence[Outcome]]

    version: Literal[1] = 1

    @property
    def parts(self) -> Iterator[Part]:
        raise NotImplementedError

    def check(self, task: str, where: str) -> None:
        """Raise if there are refused parts.

        Args:
            task: the sentence that the error begins with.
            where: the savepoint or checkpoint.

        Raises:
            CheckpointError: names each part, with the reason and the remedy.
        """
        refused = [part for part in self.parts if part.outcome is Outcome.REFUSED]
        if refused:
            lines = "".join(f"\n  - {part.label}: {part.why}" for part in refused)
            remedies = dict.fromkeys(part.remedy for part in refused if part.remedy)
            raise CheckpointError(f"{task}:{lines}", where=where, remedy="; ".join(remedies))

    @classmethod
    def json_schema(cls) -> dict[str, Any]:
        schema = schema_of(cls, cls.TITLE)
        schema["$defs"]["Outcome"]["enum"] = [outcome.value for outcome in cls.OUTCOMES]
        return schema


class ImportReport(Report):
    """The state and positions that a plan takes over from a savepoint.

    Args:
        savepoint: its path.
        taken_at: the time of the savepoint.
        watermark: the watermark from which the plan continues; None if the savepoint has none.
        written_at: the time of last write of entries that have none.
        left: operators of the savepoint with state that no operator of the plan takes over.
    """

    TITLE: ClassVar[str] = "Import of a savepoint"
    OUTCOMES: ClassVar[Sequence[Outcome]] = (
        Outcome.TAKEN,
        Outcome.COMPUTED,
        Outcome.EMPTY,
        Outcome.REFUSED,
        Outcome.NOT_RESTORED,
    )

    savepoint: str
    taken_at: int
    watermark: int | None
    written_at: int
    operators: tuple[OperatorImport, ...]
    sources: tuple[SourceImport, ...]
    sinks: tuple[SinkImport, ...]
    left: tuple[LeftState, ...]

    @property
    def parts(self) -> Iterator[Part]:
        return chain(self.operators, self.sources, self.sinks, self.left)


class ExportReport(Report):
    """The state and positions of a checkpoint that become a savepoint.

    Args:
        checkpoint: its path.
        batch: the number of its last micro-batch.
        max_parallelism: the number of key groups in the savepoint, which bounds the parallelism of the job.
    """

    TITLE: ClassVar[str] = "Export of a checkpoint"
    OUTCOMES: ClassVar[Sequence[Outcome]] = (Outcome.EXPORTED, Outcome.EMPTY, Outcome.REFUSED)

    checkpoint: str
    batch: int
    max_parallelism: int
    operators: tuple[OperatorExport, ...]
    sources: tuple[SourceExport, ...]

    @property
    def parts(self) -> Iterator[Part]:
        return chain(self.operators, self.sources)
