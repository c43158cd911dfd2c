"""The document about an export: what of a checkpoint becomes a savepoint of Flink."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

from compiled_plan.plans.text.documents import Document, Item, schema_of


class Outcome(Enum):
    """The fate of state, or of a source's position."""

    EXPORTED = "exported"
    EMPTY = "starts empty"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class OperatorExport(Item):
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
class SourceExport(Item):
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


class ExportReport(Document):
    """The state and positions of a checkpoint that become a savepoint.

    Args:
        checkpoint: its path.
        batch: the number of its last micro-batch.
        max_parallelism: the number of key groups in the savepoint, which bounds the parallelism of the job.
    """

    version: Literal[1] = 1
    checkpoint: str
    batch: int
    max_parallelism: int
    operators: tuple[OperatorExport, ...]
    sources: tuple[SourceExport, ...]

    @property
    def refused(self) -> tuple[OperatorExport | SourceExport, ...]:
        """Everything that is refused."""
        parts: list[OperatorExport | SourceExport] = [*self.operators, *self.sources]
        return tuple(part for part in parts if part.outcome is Outcome.REFUSED)


def schema() -> dict[str, Any]:
    return schema_of(ExportReport, "Export of a checkpoint")
