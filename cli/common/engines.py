"""Option `--for`: the engine that a command prepares for or judges."""

from __future__ import annotations

from enum import Enum


class Engine(Enum):
    """Engines other than this one that read plans."""

    FLINK = "flink"
