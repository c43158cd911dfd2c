"""Taps: rows that enter a sink, shown on request while a run continues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from compiled_plan.plans.types import RowType


class TapRequest(Protocol):
    """An open request."""

    node: int
    """The id of the sink node."""

    @property
    def left(self) -> int:
        """The number of rows that are still missing."""

    def take(self, row_type: RowType, kinds: Sequence[int], columns: Sequence[Sequence[Any]]) -> None:
        """Show rows of a micro-batch: the bytes of their `RowKind`, and their columns of internal values."""

    def fail(self, fault: Exception) -> None:
        """Show why there are no rows."""


class Tap(Protocol):
    """Requests for rows."""

    def request(self) -> TapRequest | None:
        """The open request; called once per micro-batch."""
