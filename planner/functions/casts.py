"""Casts: what may be cast to what, and what is cast without being asked."""

from __future__ import annotations

from collections.abc import Sequence

from plans.rex import RexNode
from plans.types import LogicalType


def cast(rex: RexNode, type_: LogicalType, *, try_: bool = False) -> RexNode:
    """CAST or TRY_CAST; the nullability of `type_` is replaced by what follows from `rex`.

    A cast to the same type gives `rex` itself.

    Raises:
        ProgramError: Flink does not allow the cast; names both types.
    """
    raise NotImplementedError


def implicit_cast(rex: RexNode, type_: LogicalType) -> RexNode:
    """`rex` as Flink casts it into a sink's column of type `type_`.

    Raises:
        ProgramError: not assignable without CAST.
    """
    raise NotImplementedError


def supports_implicit_cast(source: LogicalType, target: LogicalType) -> bool:
    """Whether a query column of type `source` may go into a sink column of type `target`."""
    raise NotImplementedError


def least_restrictive(types: Sequence[LogicalType]) -> LogicalType | None:
    """The common type of set operations, CASE, COALESCE, IN lists, VALUES and ARRAY[]; None when there is none."""
    raise NotImplementedError


def coerce(rex: RexNode, type_: LogicalType) -> RexNode:
    """`rex` cast to `type_` unless it has that type already (nullability of `rex` kept)."""
    raise NotImplementedError
