"""Expanded aggregates, against the plans that Flink 2.3 made for the same queries."""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.planner.algebra.nodes import Aggregate, AggregateCall, Project, RelNode, Values
from compiled_plan.planner.algebra.rex import Over
from compiled_plan.planner.functions.aggregates import resolve_aggregate
from compiled_plan.planner.rules.helpers.aggregate_expansion import (
    Reduction,
    expand_over,
    reduce_aggregate,
    reduce_aggregates,
)
from compiled_plan.plans.rex import Call, InputRef, RexNode, Sarg, type_of, walk
from compiled_plan.plans.types import BIGINT, DOUBLE, INT, DecimalType, LogicalType, parse_type, row_of

# columns: i (grouping), j, dc, d, a NOT NULL one
TYPES: list[LogicalType] = [INT, INT, DecimalType(precision=10, scale=2), DOUBLE, INT.not_null()]


def call(name: str, arg: int | None, column: str = "c") -> AggregateCall:
    args = () if arg is None else (arg,)
    resolved = resolve_aggregate(name, [TYPES[index] for index in args])
    return AggregateCall(resolved.internal_name, args, resolved.type, column, syntax=resolved.syntax)


def reduced(*calls: AggregateCall) -> Reduction:
    reduction = reduce_aggregates(calls, [INT], TYPES)
    assert reduction is not None
    return reduction


def names(reduction: Reduction) -> list[tuple[str, tuple[int, ...], str]]:
    return [(item.name, item.args, str(item.type)) for item in reduction.calls]


def shown(rex: RexNode) -> str:
    """An expression as name[syntax](operands):type, columns as #n."""
    if isinstance(rex, InputRef):
        return f"#{rex.index}"
    if isinstance(rex, Call):
        return f"{rex.name[1:-2]}({', '.join(map(shown, rex.operands))}):{rex.type}"
    assert not isinstance(rex, Sarg)
    return f"{getattr(rex, 'value', None)}"


def test_sum_and_average_stay_if_expansion_saves_nothing() -> None:
    assert reduce_aggregates([call("SUM", 1), call("COUNT", 1)], [INT], TYPES) is None
    assert reduce_aggregates([call("AVG", 1), call("SUM", 1)], [INT], TYPES) is None
    assert reduce_aggregates([call("AVG", 2)], [INT], TYPES) is None


def test_sum_average_and_count_of_one_column_share_two_aggregates() -> None:
    reduction = reduced(call("AVG", 1), call("SUM", 1), call("COUNT", 1))
    assert names(reduction) == [("$$SUM0$1", (1,), "INT NOT NULL"), ("$COUNT$1", (1,), "BIGINT NOT NULL")]
    total = "CASE(=(#2, 0):BOOLEAN NOT NULL, None, #1):INT"
    assert [shown(rex) for rex in reduction.projection] == ["#0", f"CAST(/({total}, #2):BIGINT):INT", total, "#2"]


def test_a_column_that_is_never_null_is_counted_by_rows() -> None:
    reduction = reduced(call("AVG", 4), call("SUM", 4), call("COUNT", None))
    assert names(reduction) == [("$$SUM0$1", (4,), "INT NOT NULL"), ("$COUNT$1", (), "BIGINT NOT NULL")]
    assert shown(reduction.projection[1]) == "CAST(/(#1, #2):BIGINT NOT NULL):INT NOT NULL"


def test_standard_deviation_is_the_root_of_squares_by_count() -> None:
    reduction = reduced(call("STDDEV_POP", 2))
    assert names(reduction) == [("$$WELFORD_M2$1$1", (2,), "DOUBLE"), ("$COUNT$1", (2,), "BIGINT NOT NULL")]
    assert shown(reduction.projection[1]) == "CAST(POWER(/(#1, #2):DOUBLE, 0.5):DOUBLE):DECIMAL(38, 6)"


def test_a_sample_divides_by_one_less_and_has_no_spread_of_one_value() -> None:
    reduction = reduced(call("VAR_SAMP", 3))
    less = "CASE(=(#2, 1):BOOLEAN NOT NULL, None, -(#2, 1):BIGINT NOT NULL):BIGINT"
    assert shown(reduction.projection[1]) == f"/(#1, {less}):DOUBLE"


def test_aggregates_beside_a_deviation_are_expanded_too() -> None:
    reduction = reduced(call("AVG", 1), call("STDDEV_POP", 3))
    assert [item.name for item in reduction.calls] == ["$SUM$1", "$COUNT$1", "$$WELFORD_M2$1$1", "$COUNT$1"]
    assert shown(reduction.projection[1]) == "CAST(/(#1, #2):BIGINT):INT"


def test_an_average_of_decimals_divides_decimals() -> None:
    reduction = reduced(call("AVG", 2), call("SUM", 2), call("COUNT", 2))
    total = "CASE(=(#2, 0):BOOLEAN NOT NULL, None, #1):DECIMAL(38, 2)"
    assert shown(reduction.projection[1]) == f"/(CAST({total}):DECIMAL(38, 6), #2):DECIMAL(38, 6)"


def over(name: str, arg: int) -> RexNode:
    operand = InputRef(arg, TYPES[arg])
    resolved = resolve_aggregate(name, [TYPES[arg]], over=True)
    return expand_over(Over(resolved.internal_name, (operand,), (), (), resolved.type))


def inner(rex: RexNode) -> list[tuple[str, str]]:
    return [(node.name, str(node.type)) for node in walk(rex) if isinstance(node, Over)]


def test_sum_over_an_empty_window_is_null() -> None:
    rex = over("SUM", 1)
    assert isinstance(rex, Call) and rex.name == "$CASE$1" and rex.type == INT
    assert inner(rex) == [("$COUNT$1", "BIGINT NOT NULL"), ("$$SUM0$1", "INT NOT NULL")]


def test_sum_of_a_column_that_is_never_null_stays() -> None:
    assert inner(over("SUM", 4)) == [("$SUM$1", "INT NOT NULL")]


def test_average_over_a_window_divides_and_casts_back() -> None:
    rex = over("AVG", 1)
    assert isinstance(rex, Call) and rex.name == "$CAST$1" and rex.type == INT
    assert type_of(rex.operands[0]) == BIGINT


def test_variance_over_a_window_is_of_sums_of_squares() -> None:
    rex = over("VAR_SAMP", 2)
    assert type_of(rex) == parse_type("DECIMAL(38, 6)")
    squares = [
        node
        for node in walk(rex)
        if isinstance(node, Over) and node.name == "$$SUM0$1" and isinstance(node.operands[0], Call)
    ]
    assert any(isinstance(node.operands[0], Call) and node.operands[0].name == "$*$1" for node in squares)


def test_other_window_functions_stay() -> None:
    assert inner(over("MAX", 1)) == [("$MAX$1", "INT")]


def test_a_sample_of_whole_numbers_is_divided_as_bigint_and_cast_back() -> None:
    rex = over("VAR_SAMP", 1)
    assert isinstance(rex, Call) and rex.name == "$CAST$1" and rex.type == INT
    assert type_of(rex.operands[0]) == BIGINT


def aggregate(*calls: AggregateCall) -> RelNode:
    rows = Values(row_of(["i", "j", "dc", "d", "a"], TYPES), ())
    columns = row_of(["i", *(item.column for item in calls)], [INT, *(item.type for item in calls)])
    return reduce_aggregate(Aggregate(rows, (0,), calls, columns))


def test_an_aggregate_that_stays_only_loses_what_makes_no_difference() -> None:
    distinct = replace(call("MAX", 4, "m"), distinct=True)
    actual = aggregate(distinct, call("COUNT", 4, "n"), replace(call("COUNT", 1, "k"), distinct=True))
    assert isinstance(actual, Aggregate)
    assert [(item.name, item.args, item.distinct) for item in actual.calls] == [
        ("$MAX$1", (4,), False),
        ("$COUNT$1", (), False),
        ("$COUNT$1", (1,), True),
    ]


def test_a_reduced_aggregate_has_the_columns_of_the_query_above_it() -> None:
    actual = aggregate(call("STDDEV_SAMP", 3, "s"), call("AVG", 1, "m"))
    assert isinstance(actual, Project)
    assert actual.row_type.names == ("i", "s", "m")
    assert tuple(type_of(rex) for rex in actual.exprs) == actual.row_type.types
    below = actual.input.row_type.names
    assert len(set(below)) == len(below) == 5
