"""Chunks of rows in transit from a run to the program that collects them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Chunk:
    """Rows of a result: their kinds, as bytes of `RowKind`, and their columns of internal values."""

    kinds: Sequence[int]
    columns: Sequence[Sequence[Any]]
