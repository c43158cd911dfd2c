"""Aggregates and window functions: names, argument types, result types.

Source: Flink docs, "Aggregate Functions"; result types of Flink 2.3's plans.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from compiled_plan.planner.functions.signatures import Documented, plain_times
from compiled_plan.plans.errors import ProgramError, UnsupportedError
from compiled_plan.plans.types import (
    BIGINT,
    BITMAP,
    DOUBLE,
    INT,
    STRING,
    ArrayType,
    BitmapType,
    CharacterType,
    DecimalType,
    IntegerType,
    IntervalType,
    LogicalType,
    MultisetType,
    NullType,
    NumericType,
    RawType,
    VarCharType,
)


@dataclass(frozen=True, slots=True)
class AggregateSignature:
    """A resolved aggregate.

    `internal_name` and `syntax` are those of plans; the arguments must be cast to `arg_types` (nullability unchanged)
    before the call.
    """

    internal_name: str
    type: LogicalType
    syntax: str | None
    arg_types: tuple[LogicalType, ...]


Rule = Callable[[tuple[LogicalType, ...]], LogicalType]


@dataclass(frozen=True, slots=True)
class Aggregate(Documented):
    """An aggregate's entry: number and families of its arguments, result type.

    `group_nullable`: the result is nullable when there is no GROUP BY or a FILTER, else as its argument. `window`: an
    OVER
    clause is required.
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
    coerce: Callable[[tuple[LogicalType, ...]], tuple[LogicalType, ...]] = lambda types: types


def sum_type(type_: LogicalType) -> LogicalType:
    """The type of SUM: decimals get 38 digits, other numbers keep their type."""
    if isinstance(type_, DecimalType):
        return DecimalType(precision=38, scale=type_.scale, nullable=type_.nullable)
    return type_


def average_type(type_: LogicalType) -> LogicalType:
    """The type of AVG: decimals get 38 digits and at least 6 decimals, other numbers keep their type."""
    if isinstance(type_, DecimalType):
        return DecimalType(precision=38, scale=max(6, type_.scale), nullable=type_.nullable)
    return type_


def _first(types: tuple[LogicalType, ...]) -> LogicalType:
    return types[0]


def _const(type_: LogicalType) -> Rule:
    return lambda types: type_


def _number(type_: LogicalType) -> bool:
    return isinstance(type_, NumericType)


_UNORDERED = (
    "ARRAY MAP MULTISET ROW STRUCTURED_TYPE RAW BINARY VARBINARY BITMAP VARIANT INTERVAL_YEAR_MONTH INTERVAL_DAY_TIME"
).split()


def _ordered(type_: LogicalType) -> bool:
    return type_.ROOT not in _UNORDERED


def _text(type_: LogicalType) -> bool:
    return isinstance(type_, CharacterType)


def _array_agg(types: tuple[LogicalType, ...]) -> LogicalType:
    return ArrayType(element=types[0], nullable=types[0].nullable)


def _shifted(types: tuple[LogicalType, ...]) -> LogicalType:
    """LAG and LEAD: nullable if the value or the default is. Flink ignores the value, and null becomes -1."""
    missing = types[2].nullable if len(types) == 3 else True
    return types[0].with_nullability(types[0].nullable or missing)


def _percentile(types: tuple[LogicalType, ...]) -> LogicalType:
    return ArrayType(element=DOUBLE) if isinstance(types[1], ArrayType) else DOUBLE


def _percentile_args(types: tuple[LogicalType, ...]) -> tuple[LogicalType, ...]:
    share = types[1]
    wanted: LogicalType = DOUBLE.with_nullability(share.nullable)
    if isinstance(share, ArrayType):
        element = DOUBLE.with_nullability(share.element.nullable)
        wanted = ArrayType(element=element, nullable=share.nullable)
    return (types[0], wanted, *types[2:])


def _member(type_: LogicalType) -> bool:
    return (isinstance(type_, IntegerType) and type_.BITS <= INT.BITS) or isinstance(type_, IntervalType)


def _bitmap(type_: LogicalType) -> bool:
    return isinstance(type_, BitmapType)


def _bitmaps(operation: str, doc: str) -> tuple[Aggregate, Aggregate]:
    """The aggregate of a bitmap operation, and the one of its cardinality."""
    accepts, family = (_member, "INT") if operation == "BUILD" else (_bitmap, "BITMAP")
    coerce = _ints if operation == "BUILD" else _unchanged
    name, cardinality = f"BITMAP_{operation}_AGG", f"BITMAP_{operation}_CARDINALITY_AGG"
    return (
        Aggregate(name, (1,), _const(BITMAP), accepts, family, coerce=coerce).api(
            f"x.{name.lower()}", f"{name}: the {doc}."
        ),
        Aggregate(cardinality, (1,), _const(BIGINT), accepts, family, coerce=coerce).api(
            f"x.{cardinality.lower()}", "The number of its members."
        ),
    )


def _ints(types: tuple[LogicalType, ...]) -> tuple[LogicalType, ...]:
    return (INT.with_nullability(types[0].nullable),)


def _unchanged(types: tuple[LogicalType, ...]) -> tuple[LogicalType, ...]:
    return types


def _listagg(types: tuple[LogicalType, ...]) -> LogicalType:
    return STRING.with_nullability(types[0].nullable)


_JSON = VarCharType(length=2000, nullable=False)
_VARIANCES = (
    ("STDDEV_POP", (), "the standard deviation of the population."),
    ("STDDEV_SAMP", ("STDDEV",), "the standard deviation of the sample."),
    ("VAR_POP", (), "the variance of the population."),
    ("VAR_SAMP", ("VARIANCE",), "the variance of the sample."),
)


def _rank(name: str, type_: LogicalType) -> Aggregate:
    return Aggregate(name, (0,), _const(type_.not_null()), group_nullable=False, window=True)


#: All aggregates, by one of their names.
AGGREGATES: tuple[Aggregate, ...] = (
    Aggregate("COUNT", (0, 1), _const(BIGINT.not_null()), group_nullable=False, syntax="FUNCTION_STAR").api(
        "x.count", "COUNT of the rows where this is not NULL."
    ),
    Aggregate("SUM", (1,), lambda types: sum_type(types[0]), _number, "NUMERIC").api(
        "x.sum", "SUM: NULL without rows."
    ),
    Aggregate("$SUM0", (1,), lambda types: sum_type(types[0]).not_null(), _number, "NUMERIC", group_nullable=False).api(
        "x.sum0", "SUM, but 0 instead of NULL: `$SUM0` in SQL."
    ),
    Aggregate("AVG", (1,), lambda types: average_type(types[0]), _number, "NUMERIC").api("x.avg", "AVG: the average."),
    Aggregate("MIN", (1,), _first, _ordered, "COMPARABLE").api("x.min", "MIN: the least value."),
    Aggregate("MAX", (1,), _first, _ordered, "COMPARABLE").api("x.max", "MAX: the greatest value."),
    *(
        Aggregate(name, (1,), lambda types: average_type(types[0]), _number, "NUMERIC", aliases=aliases).api(
            f"x.{name.lower()}", f"{name}: {doc}"
        )
        for name, aliases, doc in _VARIANCES
    ),
    Aggregate("SINGLE_VALUE", (1,), _first),
    Aggregate("FIRST_VALUE", (1,), _first).api("x.first_value", "FIRST_VALUE: the value of the first row."),
    Aggregate("LAST_VALUE", (1,), _first).api("x.last_value", "LAST_VALUE: the value of the last row."),
    Aggregate("LISTAGG", (1, 2), _listagg, _text, "CHARACTER", group_nullable=False),
    Aggregate("COLLECT", (1,), lambda t: MultisetType(element=t[0], nullable=False), group_nullable=False).api(
        "x.collect", "COLLECT: the values as a MULTISET."
    ),
    Aggregate("ARRAY_AGG", (1,), _array_agg, group_nullable=False).api(
        "x.array_agg", "ARRAY_AGG: the values as an ARRAY."
    ),
    Aggregate("PERCENTILE", (2, 3), _percentile, _number, "NUMERIC", coerce=_percentile_args).api(
        "x.percentile(percentage, frequency=None)",
        "PERCENTILE: the value at a share (0 to 1) of the sorted values, each counted `frequency` times.",
    ),
    Aggregate("JSON_OBJECTAGG_NULL_ON_NULL", (2,), _const(_JSON), _text, "CHARACTER", group_nullable=False),
    Aggregate("JSON_OBJECTAGG_ABSENT_ON_NULL", (2,), _const(_JSON), _text, "CHARACTER", group_nullable=False),
    Aggregate("JSON_ARRAYAGG_NULL_ON_NULL", (1,), _const(_JSON), group_nullable=False),
    Aggregate("JSON_ARRAYAGG_ABSENT_ON_NULL", (1,), _const(_JSON), group_nullable=False),
    *_bitmaps("BUILD", "bitmap of the values"),
    *_bitmaps("AND", "intersection"),
    *_bitmaps("OR", "union"),
    *_bitmaps("XOR", "symmetric difference"),
    _rank("ROW_NUMBER", BIGINT).api(
        "row_number()",
        "ROW_NUMBER(), for an over window.",
        '>>> over = cp.Over.partition_by("item").order_by("price").alias("w")',
        '>>> items.over_window(over).select(cp.row_number().over(cp.col("w")).alias("x"))',
        "Table(x BIGINT NOT NULL)",
    ),
    _rank("RANK", BIGINT).api(
        "rank()",
        "RANK(), for an over window.",
        '>>> over = cp.Over.partition_by("item").order_by("price").alias("w")',
        '>>> items.over_window(over).select(cp.rank().over(cp.col("w")).alias("x"))',
        "Table(x BIGINT NOT NULL)",
    ),
    _rank("DENSE_RANK", BIGINT).api(
        "dense_rank()",
        "DENSE_RANK(), for an over window.",
        '>>> over = cp.Over.partition_by("item").order_by("price").alias("w")',
        '>>> items.over_window(over).select(cp.dense_rank().over(cp.col("w")).alias("x"))',
        "Table(x BIGINT NOT NULL)",
    ),
    _rank("PERCENT_RANK", DOUBLE),
    _rank("CUME_DIST", DOUBLE),
    Aggregate("NTILE", (1,), _const(BIGINT.not_null()), group_nullable=False, window=True),
    Aggregate("LAG", (1, 2, 3), _shifted, window=True).api(
        "x.lag(offset: int = 1, default=None)", "LAG over a window: the value `offset` rows before."
    ),
    Aggregate("LEAD", (1, 2, 3), _shifted, window=True).api(
        "x.lead(offset: int = 1, default=None)", "LEAD over a window: the value `offset` rows after."
    ),
)

#: SQL names that stand for a variant; JSON_ARRAYAGG omits NULLs unless NULL ON NULL is written.
_VARIANTS = {"JSON_OBJECTAGG": "JSON_OBJECTAGG_NULL_ON_NULL", "JSON_ARRAYAGG": "JSON_ARRAYAGG_ABSENT_ON_NULL"}


@lru_cache(maxsize=1)
def _table() -> dict[str, Aggregate]:
    table = {name: entry for entry in AGGREGATES for name in (entry.name, *entry.aliases)}
    return table | {name: table[variant] for name, variant in _VARIANTS.items()}


#: Aggregates that Flink rejects over a stream, and their alternatives.
REFUSED = {
    "APPROX_COUNT_DISTINCT": "write COUNT(DISTINCT ...)",
}


@lru_cache(maxsize=1)
def aggregate_names() -> frozenset[str]:
    return frozenset((*_table(), *REFUSED))


def aggregate_text(name: str) -> str:
    """The signature of an aggregate as text."""
    aggregate = _table()[name.upper()]
    return f"{name}({', '.join([f'<{aggregate.family}>'] * max(aggregate.counts))})"


def resolve_aggregate(
    name: str,
    arg_types: Sequence[LogicalType],
    *,
    distinct: bool = False,
    group_by_empty: bool = False,
    has_filter: bool = False,
    over: bool = False,
) -> AggregateSignature:
    """Resolve the aggregate or window function `name` for argument types.

    JSON_OBJECTAGG and JSON_ARRAYAGG have names such as `JSON_OBJECTAGG_ABSENT_ON_NULL` if ON NULL is written; the
    caller
    wraps their value argument in JSON_STRING. The caller casts PERCENTILE's share to DOUBLE.

    Args:
        name: the SQL name, in any case. COUNT(*) has no arguments.
        arg_types: types of the arguments, constants included (LAG's offset, LISTAGG's separator).
        distinct: DISTINCT was written (the signature does not depend on it; MIN and MAX ignore it).
        group_by_empty: no GROUP BY (or the empty set): SUM and the like are nullable.
        has_filter: a FILTER clause: likewise.
        over: called with an OVER clause.

    Raises:
        ProgramError: unknown, or wrong arguments.
        UnsupportedError: not supported in streaming.
    """
    upper = name.upper()
    if upper in REFUSED:
        raise UnsupportedError(f"{upper} is not supported in streaming", remedy=REFUSED[upper])
    entry = _table().get(upper)
    if entry is None:
        raise ProgramError(f"no aggregate function is named {name}", remedy=f"known: {', '.join(sorted(_table()))}")
    types = tuple(map(plain_times, arg_types))
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
    if distinct and any(isinstance(type_, RawType) for type_ in types):
        raise ProgramError(
            f"{upper}(DISTINCT ...) does not support the type {types[0].with_nullability(True)}",
            remedy="take what is distinct out of it with a function",
        )
    result = entry.returns(types)
    if entry.group_nullable and (group_by_empty or has_filter):
        result = result.with_nullability(True)
    syntax = entry.syntax
    internal = entry.internal or f"${entry.name}$1"
    return AggregateSignature(internal, result, syntax, entry.coerce(types))
