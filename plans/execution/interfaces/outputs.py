"""The interface between upgrades and sinks whose tables can be read back, or return to earlier output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from compiled_plan.plans.execution.interfaces.connectors import RowSink, RowSource, SourceContext


@dataclass(frozen=True, slots=True)
class Span:
    """Consecutive micro-batches of a run.

    Args:
        run: the run id of a generation.
        after: the micro-batch before the first one.
        last: the last one; None for all later ones.
    """

    run: str
    after: int = -1
    last: int | None = None


@dataclass(frozen=True, slots=True)
class OutputHistory:
    """The micro-batches whose output a table is to have, among those that the generations of a checkpoint wrote.

    Args:
        spans: these micro-batches, oldest first.
        runs: the run ids of all generations. Others write to the table, too, and their output is left alone.
    """

    spans: Sequence[Span]
    runs: frozenset[str]

    def position(self, run: str, batch: int) -> tuple[int, int] | None:
        """The position of a micro-batch in the history; None if its output does not belong there."""
        for at, span in enumerate(self.spans):
            if span.run == run and batch > span.after and (span.last is None or batch <= span.last):
                return at, batch
        return None

    def has(self, run: str, batch: int) -> bool:
        """Return True if the output of a micro-batch belongs to the history."""
        return self.position(run, batch) is not None


@dataclass(frozen=True, slots=True)
class Return:
    """The return of a table to the output of a history.

    Args:
        text: its effect, in words.
        apply: perform it; idempotent.
    """

    text: str
    apply: Callable[[], None]


@runtime_checkable
class ReturnsOutput(Protocol):
    """A sink whose table can return to the output of a history, and later to that of another one."""

    def returned(self, history: OutputHistory) -> Return | None:
        """Plan the return; None if the table has that output already.

        Raises:
            CheckpointError: another writer has changed the table since, or the output is gone.
        """


@runtime_checkable
class SetsAside(Protocol):
    """A sink that sets output aside for later returns."""

    def discard(self, runs: frozenset[str]) -> None:
        """Remove the output of runs that is set aside; no later return needs it."""


@runtime_checkable
class HoldsRows(Protocol):
    """A sink whose table can be read back; see `SinkSpec.read_back`."""

    def held(self, context: SourceContext) -> RowSource | None:
        """The rows of the table as a source that ends; None if the table does not exist yet.

        Columns that the table does not have yet are null.
        """


@runtime_checkable
class CopiesTable(Protocol):
    """A sink whose table may have a copy without its rows being copied."""

    def copied(self, folder: str) -> RowSink | None:
        """A sink into a new copy of the table; None if there is none.

        Args:
            folder: the folder of the copy.
        """
