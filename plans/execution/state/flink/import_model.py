"""The document about an import: what of a savepoint a plan takes over. Times are ms since 1970."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

from compiled_plan.plans.text.documents import Document, Item, schema_of


class Outcome(Enum):
    """The fate of state, or of a source's position."""

    TAKEN = "taken over"
    COMPUTED = "taken over by a computation"
    EMPTY = "starts empty"
    REFUSED = "refused"
    NOT_RESTORED = "not restored"


@dataclass(frozen=True, slots=True)
class OperatorImport(Item):
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
class SourceImport(Item):
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
class SinkImport(Item):
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


@dataclass(frozen=True, slots=True)
class LeftState(Item):
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


#: A part of an import that may be refused.
ImportPart = OperatorImport | SourceImport | SinkImport | LeftState


class ImportReport(Document):
    """The state and positions that a plan takes over from a savepoint.

    Args:
        savepoint: its path.
        taken_at: the time of the savepoint.
        watermark: the watermark from which the plan continues; None if the savepoint has none.
        written_at: the time of last write of entries that have none.
        left: operators of the savepoint with state that no operator of the plan takes over.
    """

    version: Literal[1] = 1
    savepoint: str
    taken_at: int
    watermark: int | None
    written_at: int
    operators: tuple[OperatorImport, ...]
    sources: tuple[SourceImport, ...]
    sinks: tuple[SinkImport, ...]
    left: tuple[LeftState, ...]

    @property
    def refused(self) -> tuple[ImportPart, ...]:
        """Everything that is refused."""
        parts: tuple[ImportPart, ...] = (*self.operators, *self.sources, *self.sinks, *self.left)
        return tuple(part for part in parts if part.outcome is Outcome.REFUSED)


def schema() -> dict[str, Any]:
    return schema_of(ImportReport, "Import of a savepoint")
