"""Expansion of aggregates into simpler ones, as in Flink's plans.

Source: Flink 2.3's plans. STDDEV and VAR have no function of their own at run time: they become `$$WELFORD_M2$1$1`
and COUNT. SUM and AVG are expanded only if that saves an aggregate; over windows they always become COUNT and
`$$SUM0$1`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from compiled_plan.planner.algebra.nodes import Aggregate, AggregateCall, Project, RelNode
from compiled_plan.planner.algebra.rex import Over
from compiled_plan.planner.algebra.rows import unique_name
from compiled_plan.planner.algebra.windows import GroupWindowAggregate
from compiled_plan.planner.functions import plan_literals
from compiled_plan.planner.functions.aggregates import sum_type
from compiled_plan.planner.functions.casts import cast, coerce
from compiled_plan.planner.functions.registry import resolve_call
from compiled_plan.plans.rex import Call, InputRef, RexNode, type_of
from compiled_plan.plans.types import BIGINT, BOOLEAN, DOUBLE, DecimalType, Field, IntegerType, LogicalType, RowType

_SUM0 = "$$SUM0$1"
_WELFORD = "$$WELFORD_M2$1$1"
_SPREADS = {
    # name: (sample, square root)
    "$STDDEV_POP$1": (False, True),
    "$STDDEV_SAMP$1": (True, True),
    "$VAR_POP$1": (False, False),
    "$VAR_SAMP$1": (True, False),
}


@dataclass(frozen=True, slots=True)
class Reduction:
    """The replacement of an aggregate: simpler calls, and a projection above them.

    `projection` returns the grouping columns and then the values of the original calls, over the grouping columns and
    the columns of `calls`. A call that is no column of the query has the column name "" (null in a plan).
    """

    calls: tuple[AggregateCall, ...]
    projection: tuple[RexNode, ...]


@dataclass
class _Builder:
    groups: tuple[LogicalType, ...]
    inputs: tuple[LogicalType, ...]
    calls: list[AggregateCall] = field(default_factory=list)
    columns: dict[AggregateCall, RexNode] = field(default_factory=dict)

    def ref(self, call: AggregateCall) -> RexNode:
        """The column of a call, added if it is new; calls are equal regardless of their names."""
        bare = replace(call, column="")
        if bare not in self.columns:
            self.columns[bare] = InputRef(len(self.groups) + len(self.calls), call.type)
            self.calls.append(call)
        return self.columns[bare]

    def count(self, call: AggregateCall) -> RexNode:
        """The number of aggregated values: COUNT of the argument, or COUNT(*) if that is NOT NULL."""
        args = call.args if call.distinct or any(self.inputs[arg].nullable for arg in call.args) else ()
        counted = replace(call, name="$COUNT$1", args=args, type=BIGINT.not_null(), column="", syntax="FUNCTION_STAR")
        return self.ref(counted)


#: Aggregates that ignore DISTINCT.
_INDIFFERENT = frozenset(("$MIN$1", "$MAX$1", "$SINGLE_VALUE$1"))


def plain_call(call: AggregateCall, inputs: Sequence[LogicalType]) -> AggregateCall:
    """The call without a redundant DISTINCT; a count of a NOT NULL column becomes COUNT(*)."""
    if call.name in _INDIFFERENT:
        return replace(call, distinct=False)
    if call.name == "$COUNT$1" and not call.distinct and not any(inputs[arg].nullable for arg in call.args):
        return replace(call, args=())
    return call


def reduce_aggregate(rel: Aggregate | GroupWindowAggregate) -> RelNode:
    """The aggregate with its calls as in Flink's plans; under a projection if calls were expanded."""
    inputs = rel.input.row_type.types
    fields = rel.row_type.fields
    calls = tuple(plain_call(call, inputs) for call in rel.calls)
    count = len(rel.grouping)
    reductions = reduce_aggregates(calls, [field.type for field in fields[:count]], inputs)
    if reductions is None:
        return rel if calls == rel.calls else replace(rel, calls=calls)
    columns = list(fields[:count])
    named: list[AggregateCall] = []
    for call in reductions.calls:
        name = unique_name(call.column or f"$f{len(columns)}", [field.name for field in columns])
        named.append(replace(call, column=name))
        columns.append(Field(name, call.type))
    # The window properties follow the calls.
    behind = fields[count + len(rel.calls) :]
    shown = [InputRef(len(columns) + at, item.type) for at, item in enumerate(behind)]
    reduced = replace(rel, calls=tuple(named), columns=RowType(fields=(*columns, *behind)))
    return Project(reduced, (*reductions.projection, *shown), rel.columns)


def reduce_aggregates(
    calls: Sequence[AggregateCall], groups: Sequence[LogicalType], inputs: Sequence[LogicalType]
) -> Reduction | None:
    """Expand the calls as Flink does; None if none is expanded.

    Args:
        calls: the aggregate's calls.
        groups: types of the grouping columns.
        inputs: types of the input's columns.
    """
    forced = any(call.name in _SPREADS for call in calls)
    once = _reduced(calls, groups, inputs, sums_of_averages=False)
    twice = _reduced(calls, groups, inputs, sums_of_averages=True)
    best = once if len(once.calls) <= len(twice.calls) else twice
    if not forced and len(best.calls) >= len(calls):
        return None
    return best


def _reduced(
    calls: Sequence[AggregateCall],
    groups: Sequence[LogicalType],
    inputs: Sequence[LogicalType],
    *,
    sums_of_averages: bool,
) -> Reduction:
    builder = _Builder(tuple(groups), tuple(inputs))
    values: list[RexNode] = [InputRef(index, type_) for index, type_ in enumerate(groups)]
    for call in calls:
        if call.name in _SPREADS:
            values.append(_spread(builder, call))
        elif call.name == "$SUM$1":
            values.append(_sum(builder, call))
        elif call.name == "$AVG$1":
            values.append(_average(builder, call, sums_of_averages))
        else:
            values.append(builder.ref(call))
    return Reduction(tuple(builder.calls), tuple(values))


def _sum(builder: _Builder, call: AggregateCall) -> RexNode:
    """SUM0, or NULL without values."""
    total = builder.ref(replace(call, name=_SUM0, type=call.type.not_null()))
    if not call.type.nullable:
        return total
    none = Call("$=$1", (builder.count(call), plan_literals.integer(0)), BOOLEAN.not_null(), "BINARY")
    return Call("$CASE$1", (none, plan_literals.null(call.type), total), call.type, "SPECIAL")


def _average(builder: _Builder, call: AggregateCall, reduced: bool) -> RexNode:
    argument = builder.inputs[call.args[0]]
    total_type = sum_type(argument).with_nullability(call.type.nullable)
    summed = replace(call, name="$SUM$1", type=total_type, column="")
    total = _sum(builder, summed) if reduced else builder.ref(summed)
    return _quotient(total, builder.count(call), call.type)


def _quotient(total: RexNode, count: RexNode, type_: LogicalType) -> RexNode:
    """Sum by count, as a value of the average's type."""
    if isinstance(type_, DecimalType):
        return Call("$/$1", (coerce(total, type_), count), type_, "BINARY")
    return _as(resolve_call("/", (total, count)), type_)


def _as(rex: RexNode, type_: LogicalType) -> RexNode:
    """The value cast to `type_`, including nullability."""
    converted = cast(rex, type_)
    if isinstance(converted, Call) and converted.name == "$CAST$1" and converted is not rex:
        return replace(converted, type=type_)
    return converted


def _spread(builder: _Builder, call: AggregateCall) -> RexNode:
    sample, root = _SPREADS[call.name]
    squares = builder.ref(replace(call, name=_WELFORD, type=DOUBLE, column=""))
    count = builder.count(call)
    divisor = _one_less(count, plan_literals.integer(1)) if sample else count
    variance = resolve_call("/", (squares, divisor))
    if root:
        variance = resolve_call("SQRT", (variance,))
    return _as(variance, call.type)


def _one_less(count: RexNode, one: RexNode) -> RexNode:
    """count - 1, or NULL for a single value."""
    alone = Call("$=$1", (count, one), BOOLEAN.with_nullability(type_of(count).nullable), "BINARY")
    less = Call("$-$1", (count, plan_literals.integer(1)), type_of(count), "BINARY")
    return Call("$CASE$1", (alone, plan_literals.null(BIGINT), less), BIGINT, "SPECIAL")


def expand_over(over: Over) -> RexNode:
    """Expand SUM, AVG, STDDEV and VAR over a window into COUNT and SUM0 over it; return others unchanged.

    Args:
        over: `name` is the internal name (`$SUM$1`).
    """
    writer = _OVER.get(over.name)
    return over if writer is None else writer(over)


def _count_over(over: Over, operand: RexNode) -> RexNode:
    return replace(over, name="$COUNT$1", operands=(operand,), type=BIGINT.not_null())


def _sum_over(over: Over) -> RexNode:
    operand = over.operands[0]
    if not type_of(operand).nullable:
        return over
    return _guarded_sum(over, operand, over.type)


def _guarded_sum(over: Over, operand: RexNode, type_: LogicalType) -> RexNode:
    some = Call(
        "$>$1", (_count_over(over, operand), coerce(plan_literals.integer(0), BIGINT)), BOOLEAN.not_null(), "BINARY"
    )
    total = replace(over, name=_SUM0, operands=(operand,), type=type_.not_null())
    return Call("$CASE$1", (some, total, plan_literals.null(type_)), type_.with_nullability(True), "SPECIAL")


def _total_over(over: Over, operand: RexNode) -> RexNode:
    type_ = sum_type(type_of(operand))
    if not type_.nullable:
        return replace(over, name="$SUM$1", operands=(operand,), type=type_)
    return _guarded_sum(over, operand, type_)


def _average_over(over: Over) -> RexNode:
    operand = over.operands[0]
    return _quotient(_total_over(over, operand), _count_over(over, operand), over.type)


def _spread_over(over: Over) -> RexNode:
    """(sum of squares - square of sum / count) / count, or by count - 1 for a sample."""
    sample, root = _SPREADS[over.name]
    operand = coerce(over.operands[0], over.type)
    of = over.type.with_nullability(type_of(operand).nullable)
    square = Call("$*$1", (operand, operand), of, "BINARY")

    def total(rex: RexNode) -> RexNode:
        if not type_of(rex).nullable:
            return replace(over, name="$SUM$1", operands=(rex,), type=type_of(rex))
        return _guarded_sum(over, rex, type_of(rex))

    count = _count_over(over, operand)
    plain = of.with_nullability(True) if type_of(operand).nullable else of
    counted = coerce(count, of)
    squared = Call("$*$1", (total(operand), total(operand)), plain, "BINARY")
    mean = Call("$/$1", (squared, counted), plain, "BINARY")
    gap = Call("$-$1", (total(square), mean), plain, "BINARY")
    divisor = _one_less(count, coerce(plan_literals.integer(1), BIGINT)) if sample else counted
    # COUNT is BIGINT, so a sample of integers is divided as BIGINT and cast back
    quotient = BIGINT if sample and isinstance(of, IntegerType) else plain
    missing = sample or plain.nullable
    variance: RexNode = Call("$/$1", (gap, divisor), quotient.with_nullability(missing), "BINARY")
    variance = coerce(variance, of)
    if root:
        variance = resolve_call("SQRT", (variance,))
    return _as(variance, over.type)


_OVER = {
    "$SUM$1": _sum_over,
    "$AVG$1": _average_over,
    **dict.fromkeys(_SPREADS, _spread_over),
}
