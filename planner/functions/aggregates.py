"""Aggregates and window functions: names, argument types, result types.

Source: Flink docs, "Aggregate Functions"; result types as Flink 2.3's plans have them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from planner.functions.arithmetic import adjusted
from plans.errors import ProgramError, UnsupportedError
from plans.types import (
    BIGINT,
    DOUBLE,
    INT,
    STRING,
    ArrayType,
    CharacterType,
    DecimalType,
    FloatType,
    IntegerType,
    LogicalType,
    MultisetType,
    NullType,
    NumericType,
)


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


Rule = Callable[[tuple[LogicalType, ...]], LogicalType]


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregate's entry: how many arguments of which kind it takes and what it gives.

    `group_nullable`: the result is nullable when there is no GROUP BY or a FILTER, else as its argument. `window`:
    needs an OVER clause.
    """

    name: str
    counts: tuple[int, ...]
    returns: Rule
    accepts: Callable[[LogicalType], bool] = lambda type_: True
    family: str = "ANY"
    group_nullable: bool = True
    window: bool = False
    aliases: tuple[str, ...] = ()
    internal: str = ""
    syntax: str | None = None


def _sum(types: tuple[LogicalType, ...]) -> LogicalType:
    type_ = types[0]
    if isinstance(type_, DecimalType):
        return DecimalType(precision=38, scale=type_.scale, nullable=type_.nullable)
    return type_


def average_type(type_: LogicalType) -> LogicalType:
    """The type of AVG: decimals get 38 digits and at least 6 decimals, other numbers keep their type."""
    if isinstance(type_, DecimalType):
        return DecimalType(precision=38, scale=max(6, type_.scale), nullable=type_.nullable)
    return type_


def variance_type(type_: LogicalType) -> LogicalType:
    """The type of STDDEV and VAR: as AVG, but FLOAT becomes DOUBLE nowhere."""
    return average_type(type_)


def _first(types: tuple[LogicalType, ...]) -> LogicalType:
    return types[0]


def _const(type_: LogicalType) -> Rule:
    return lambda types: type_


def _number(type_: LogicalType) -> bool:
    return isinstance(type_, NumericType)


def _ordered(type_: LogicalType) -> bool:
    return type_.ROOT not in ("ARRAY", "MAP", "MULTISET", "ROW", "STRUCTURED_TYPE", "RAW")


def _text(type_: LogicalType) -> bool:
    return isinstance(type_, CharacterType)


_VARIANCES = (("STDDEV_POP", ()), ("STDDEV_SAMP", ("STDDEV",)), ("VAR_POP", ()), ("VAR_SAMP", ("VARIANCE",)))

_ENTRIES: tuple[Aggregate, ...] = (
    Aggregate("COUNT", (0, 1), _const(BIGINT.not_null()), group_nullable=False, syntax="FUNCTION_STAR"),
    Aggregate("SUM", (1,), _sum, _number, "NUMERIC"),
    Aggregate("AVG", (1,), lambda types: average_type(types[0]), _number, "NUMERIC"),
    Aggregate("MIN", (1,), _first, _ordered, "COMPARABLE"),
    Aggregate("MAX", (1,), _first, _ordered, "COMPARABLE"),
    *(
        Aggregate(name, (1,), lambda types: variance_type(types[0]), _number, "NUMERIC", aliases=aliases)
        for name, aliases in _VARIANCES
    ),
    Aggregate("SINGLE_VALUE", (1,), _first),
    Aggregate("FIRST_VALUE", (1,), _first),
    Aggregate("LAST_VALUE", (1,), _first),
    Aggregate("LISTAGG", (1, 2), _const(STRING), _text, "CHARACTER"),
    Aggregate("COLLECT", (1,), lambda t: MultisetType(element=t[0], nullable=False), group_nullable=False),
    Aggregate("ARRAY_AGG", (1,), lambda types: ArrayType(element=types[0])),
    Aggregate("ROW_NUMBER", (0,), _const(BIGINT.not_null()), group_nullable=False, window=True),
    Aggregate("RANK", (0,), _const(BIGINT.not_null()), group_nullable=False, window=True),
    Aggregate("DENSE_RANK", (0,), _const(BIGINT.not_null()), group_nullable=False, window=True),
    Aggregate("PERCENT_RANK", (0,), _const(DOUBLE.not_null()), group_nullable=False, window=True),
    Aggregate("CUME_DIST", (0,), _const(DOUBLE.not_null()), group_nullable=False, window=True),
    Aggregate("NTILE", (1,), _const(BIGINT.not_null()), group_nullable=False, window=True),
    Aggregate("LAG", (1, 2, 3), _first, window=True),
    Aggregate("LEAD", (1, 2, 3), _first, window=True),
)


@lru_cache(maxsize=1)
def _table() -> dict[str, Aggregate]:
    return {name: entry for entry in _ENTRIES for name in (entry.name, *entry.aliases)}


_REFUSED = {
    "APPROX_COUNT_DISTINCT": "write COUNT(DISTINCT ...)",
}


@lru_cache(maxsize=1)
def aggregate_names() -> frozenset[str]:
    """All names of aggregates and window functions."""
    return frozenset((*_table(), *_REFUSED))


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
        ProgramError: unknown, or wrong arguments.
        UnsupportedError: not supported in streaming.
    """
    upper = name.upper()
    if upper in _REFUSED:
        raise UnsupportedError(f"{upper} is not supported in streaming", remedy=_REFUSED[upper])
    entry = _table().get(upper)
    if entry is None:
        raise ProgramError(f"no aggregate function is named {name}", remedy=f"known: {', '.join(sorted(_table()))}")
    types = tuple(arg_types)
    if len(types) not in entry.counts:
        wanted = " or ".join(map(str, entry.counts))
        raise ProgramError(f"invalid number of arguments to {upper}: {len(types)} given, {wanted} expected")
    if entry.window and not over:
        raise ProgramError(f"{upper} needs an OVER clause", remedy=f"write {upper}(...) OVER (ORDER BY ...)")
    if types and (isinstance(types[0], NullType) or not entry.accepts(types[0])):
        raise ProgramError(
            f"cannot apply {upper} to an argument of type {types[0].with_nullability(True)}",
            remedy=f"supported: {upper}(<{entry.family}>)",
        )
    found = entry.returns(types)
    if entry.group_nullable and (group_by_empty or has_filter):
        found = found.with_nullability(True)
    syntax = entry.syntax
    internal = entry.internal or f"${entry.name}$1"
    return AggregateSignature(internal, found, syntax, types)


__all__ = [
    "INT",
    "Aggregate",
    "AggregateSignature",
    "FloatType",
    "IntegerType",
    "adjusted",
    "aggregate_names",
    "average_type",
    "resolve_aggregate",
    "variance_type",
]
