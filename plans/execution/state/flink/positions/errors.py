"""Refusals of positions."""

from __future__ import annotations


class PositionError(Exception):
    """A position that cannot be imported or exported; the message is the reason.

    Args:
        remedy: what to do; empty for `--start`.
    """

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy
