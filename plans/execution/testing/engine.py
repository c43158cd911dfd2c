"""The interface of the engines that run a test's steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from compiled_plan.plans.execution.chunks import Chunk

if TYPE_CHECKING:
    from compiled_plan.plans.plan import CompiledPlan


QUICK, SPARK = ENGINES = ("quick", "spark")
#: The quick engine that also takes the rows of operators, by the node's id.
WATCHED = "watched"


@dataclass(frozen=True, slots=True)
class TableRows:
    """Rows for a source in one micro-batch.

    Args:
        kinds: bytes of `RowKind`.
        orders: the place of each row among those of all tables.
        values: one sequence of internal values per row: physical columns, then metadata columns by key.
        metadata: the keys of the metadata columns, in the order of their values.
    """

    kinds: Sequence[int]
    orders: Sequence[int]
    values: Sequence[Sequence[Any]]
    metadata: Sequence[str] = ()


class Engine(Protocol):
    """Runs a plan step by step. Times are in ms since 1970.

    `start` is called first, and again after `stop` to continue with the same state.
    """

    def start(
        self,
        plan: CompiledPlan,
        *,
        bounded: bool,
        accepts_partial: bool = False,
        migrates: bool = False,
        reset: Sequence[str] = (),
    ) -> None:
        """Start a plan, on the state that the last one left.

        Args:
            plan: the plan with its own tables.
            bounded: True if the input of the test ends.
            accepts_partial: migrate state that is only partially compatible, too.
            migrates: True if the plan differs from the last one in more than TTLs.
            reset: uids of operators that start empty.

        Raises:
            UpgradeError: the plan cannot continue with the state.
        """

    def look_up(self, table: str, rows: Sequence[Sequence[object]]) -> None:
        """Set the rows of a lookup table, by `table_id`."""

    def feed(self, rows: Mapping[str, TableRows]) -> None:
        """Run a micro-batch over rows by `table_id`, and the timers that become due."""

    def set_clock(self, millis: int) -> None:
        """Set the clock, and fire the timers that become due."""

    def set_watermark(self, millis: int) -> None:
        """Advance the watermark, and fire the timers that become due."""

    def end(self) -> None:
        """End the input: windows close, timers fire."""

    def stop(self, *, kill: bool = False) -> None:
        """Stop the run; with `kill` before the last micro-batch is committed, so that the next start repeats it."""

    def take(self) -> Mapping[str, Sequence[Chunk]]:
        """The rows written since the last call, by `table_id`."""

    def late_rows(self) -> int:
        """The number of rows that operators have dropped as late since the last call."""

    def close(self) -> None:
        """Stop, and release all resources."""


#: Creates the engine of a name for a test that begins at a time.
Engines = Callable[[str, int], Engine]
