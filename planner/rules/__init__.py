"""Rewrites of relational trees, one a file, in one order."""

from __future__ import annotations

from collections.abc import Sequence

from planner.algebra.nodes import Sink
from planner.settings import Settings


def optimize(sinks: Sequence[Sink], settings: Settings) -> list[Sink]:
    """The trees after all rewrites."""
    return list(sinks)
