"""Aggregates and window functions: names, argument types, result types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plans.types import LogicalType


@dataclass(frozen=True, slots=True)
class AggregateSignature:
    """A resolved aggregate.

    `internal_name` and `syntax` are as plans have them; `arg_types` the types that the arguments must be cast to
    (nullability kept) before the call.
    """

    internal_name: str
    type: LogicalType
    syntax: str | None
    arg_types: tuple[LogicalType, ...]


def resolve_aggregate(
    name: str,
    arg_types: Sequence[LogicalType],
    *,
    distinct: bool = False,
    group_by_empty: bool = False,
    has_filter: bool = False,
    over: bool = False,
) -> AggregateSignature:
    """The aggregate or window function `name` over arguments of these types.

    Args:
        name: as in SQL, any case. COUNT(*) has no arguments.
        arg_types: types of the arguments, constants included (LAG's offset, LISTAGG's separator).
        distinct: DISTINCT was written.
        group_by_empty: no GROUP BY (or the empty set): SUM and the like are nullable.
        has_filter: a FILTER clause: likewise.
        over: called with an OVER clause.

    Raises:
        ProgramError: unknown, wrong arguments, or not supported in streaming.
    """
    raise NotImplementedError
