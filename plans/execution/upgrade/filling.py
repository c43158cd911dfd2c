"""Operators that are filled from history before they start, and what is read for that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from compiled_plan.plans.execution.checkpoint.offsets import Progress
from compiled_plan.plans.execution.interfaces.connectors import TableSpec
from compiled_plan.plans.execution.stages.prepared import PreparedPlan
from compiled_plan.plans.execution.upgrade.batches import Batch, Clock
from compiled_plan.plans.execution.upgrade.history import ReadFile
from compiled_plan.plans.inspection.diff.model import OperatorEdit


@dataclass(frozen=True, slots=True)
class Past:
    """What a source has read, or a table that is given for that.

    Args:
        table: the table, for people.
        name: under which Spark keeps how far it was read.
        files: in the order in which they were read.
        given: the table as it is read instead; None for the table itself.
    """

    table: str
    name: str
    files: tuple[ReadFile, ...]
    given: TableSpec | None = None


@dataclass(frozen=True, slots=True)
class Filling:
    """Operators that are filled.

    Args:
        edits: the operators.
        prepared: what of the new plan is above them, and they; its sinks take nothing.
        pasts: by source of that program what is read; a source that is new has nothing to be read.
        names: by source its name.
        batches: the micro-batches in which it is read.
        clock: by which watermark each begins.
        progress: how far the checkpoint was.
    """

    edits: tuple[OperatorEdit, ...]
    prepared: PreparedPlan
    pasts: Mapping[int, Past]
    names: Mapping[int, str]
    batches: tuple[Batch, ...]
    clock: Clock
    progress: Progress

    @property
    def nodes(self) -> frozenset[int]:
        """The nodes of the operators in the new plan."""
        return frozenset(each.new_node for each in self.edits if each.new_node is not None)
