"""The kinds of joins and set operations."""

from __future__ import annotations

from enum import Enum


class JoinKind(Enum):
    """Join kinds; SEMI and ANTI return the left columns only."""

    INNER = "INNER"
    LEFT = "LEFT"
    RIGHT = "RIGHT"
    FULL = "FULL"
    SEMI = "SEMI"
    ANTI = "ANTI"


class SetKind(Enum):
    UNION = "UNION"
    INTERSECT = "INTERSECT"
    MINUS = "MINUS"
