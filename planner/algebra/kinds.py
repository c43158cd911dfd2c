"""The kinds of joins and set operations."""

from __future__ import annotations

from enum import Enum


class JoinKind(Enum):
    """The joins; SEMI and ANTI give the left columns only."""

    INNER = "INNER"
    LEFT = "LEFT"
    RIGHT = "RIGHT"
    FULL = "FULL"
    SEMI = "SEMI"
    ANTI = "ANTI"


class SetKind(Enum):
    """The set operations."""

    UNION = "UNION"
    INTERSECT = "INTERSECT"
    MINUS = "MINUS"
