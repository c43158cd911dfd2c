"""Subqueries as values: a left join with the rows of the subquery, and an expression over the match.

A scalar subquery yields its column; EXISTS, IN, ANY and ALL a truth value, UNKNOWN included if necessary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compiled_plan.planner.algebra.expressions import (
    FALSE,
    NEGATED,
    TRUE,
    bigint,
    case,
    comparison,
    conjunction,
    contains,
    disjunction,
    equals,
    is_call,
    is_not_null,
    is_null,
    negation,
    null_of,
    retype,
    shift,
)
from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.algebra.nodes import (
    Aggregate,
    AggregateCall,
    Filter,
    Join,
    Project,
    Rank,
    RelNode,
    Sort,
    Values,
)
from compiled_plan.planner.algebra.rex import OuterRef, Subquery, SubqueryKind
from compiled_plan.planner.algebra.rows import column_names, identity, named_row
from compiled_plan.planner.rules.helpers.correlation import (
    Outer,
    Pair,
    Pulled,
    equality,
    over_domain,
    over_join,
    projection,
    reads,
    refused,
)
from compiled_plan.planner.rules.helpers.decorrelation import pull
from compiled_plan.plans.rex import InputRef, RexNode, transform, type_of
from compiled_plan.plans.types import BIGINT, BOOLEAN, RowType, row_of


def pull_subquery(subquery: Subquery, source: RelNode) -> Pulled:
    rel = subquery.rel
    if subquery.kind is SubqueryKind.EXISTS:
        rel = _for_existence(rel)
    return pull(rel, Outer(subquery.name, source))


def _for_existence(rel: RelNode) -> RelNode:
    """The query without parts that do not affect the existence of rows."""
    if isinstance(rel, Sort) and not rel.offset and (rel.fetch is None or rel.fetch > 0):
        return _for_existence(rel.input)
    if isinstance(rel, Project):
        return _for_existence(rel.input) if rel.input.row_type.fields else rel
    if isinstance(rel, Aggregate) and rel.grouping and not rel.grouping_sets:
        return _for_existence(rel.input)
    return rel


def tests_of(subquery: Subquery, columns: Sequence[RexNode], operator: str, *, unknown: bool) -> list[RexNode]:
    """The comparisons of IN, ANY, ALL; with `unknown` a comparison with null counts too."""
    tests: list[RexNode] = []
    for operand, column in zip(subquery.operands, columns, strict=True):
        test = comparison(operator, operand, column)
        nulls = [is_null(item) for item in (operand, column) if type_of(item).nullable] if unknown else []
        tests.append(disjunction([*nulls, test]))
    return tests


def as_value(source: RelNode, rex: RexNode, *, only_true: bool) -> tuple[RelNode, RexNode]:
    """Join `source` with the subqueries in `rex`, and rewrite `rex` over the result, which starts with the old columns.

    With `only_true`, UNKNOWN may be replaced by FALSE, as long as no NOT is above it.
    """
    if isinstance(rex, Subquery):
        operands: list[RexNode] = []
        for operand in rex.operands:
            source, value = as_value(source, operand, only_true=False)
            operands.append(value)
        return _VALUES[rex.kind](source, replace(rex, operands=tuple(operands)), only_true)
    if not contains(rex, Subquery):
        return source, rex
    keeps = only_true and (is_call(rex, "$AND$1") or is_call(rex, "$OR$1"))
    children: list[RexNode] = []
    for child in rex.children():
        source, value = as_value(source, child, only_true=keeps)
        children.append(value)
    return source, rex.with_children(tuple(children))


def _scalar(source: RelNode, subquery: Subquery, only_true: bool) -> tuple[RelNode, RexNode]:
    outer = Outer(subquery.name, source)
    pulled = pull(subquery.rel, outer)
    if not pulled.always and not _single_row(pulled.rel, subquery.rel) and not _top_one(pulled):
        pulled = _single_value(pulled, outer)
    elif not pulled.always and not _plain_columns(pulled):
        pulled = _materialized(pulled, outer)
    joined, values = _looked_up(source, subquery, pulled)
    return joined, values[0]


def _looked_up(source: RelNode, subquery: Subquery, pulled: Pulled) -> tuple[RelNode, list[RexNode]]:
    """`source` with the query's single row per source row, or nulls, and that row's columns."""
    outer, width = Outer(subquery.name, source), len(source.row_type.fields)
    conditions = [over_join(item, outer, width) for item in pulled.conditions]
    joined = Join(source, pulled.rel, JoinKind.LEFT, conjunction(conditions))
    values = [over_join(rex, outer, width) for rex in pulled.columns]
    return joined, [retype(rex, joined.row_type) for rex in values]


def _plain_columns(pulled: Pulled) -> bool:
    return all(isinstance(rex, InputRef) for rex in pulled.columns)


def _materialized(pulled: Pulled, outer: Outer) -> Pulled:
    """The columns computed below the join, so that they are null without a match."""
    if any(reads(rex, outer) for rex in pulled.columns):
        raise refused("a scalar subquery whose value is computed from a column of the enclosing query")
    source = projection(pulled.rel, (*pulled.columns, *identity(pulled.rel.row_type)))
    count = len(pulled.columns)
    return Pulled(source, identity(source.row_type)[:count], tuple(shift(item, count) for item in pulled.conditions))


def _single_row(rel: RelNode, original: RelNode) -> bool:
    """Return True if an uncorrelated query has at most one row."""
    if rel is not original:
        return False
    while isinstance(rel, Project | Filter):
        rel = rel.input
    if isinstance(rel, Values):
        return len(rel.rows) <= 1
    if isinstance(rel, Sort):
        return rel.fetch is not None and rel.fetch <= 1
    return isinstance(rel, Aggregate) and not rel.grouping and not rel.grouping_sets


def _top_one(pulled: Pulled) -> bool:
    """Return True if the query is the first row of each group, grouped by all compared columns."""
    rel = pulled.rel
    return (
        isinstance(rel, Rank)
        and rel.end == rel.start
        and len(rel.partition) == len(pulled.conditions)
        and all(is_call(item, "$=$1") for item in pulled.conditions)
    )


def _single_value(pulled: Pulled, outer: Outer) -> Pulled:
    """The query grouped by its compared columns; a group of two rows is an error at run time."""
    value = _value_first(pulled)
    conditions = tuple(shift(item, 1) for item in pulled.conditions)
    single = AggregateCall("$SINGLE_VALUE$1", (0,), type_of(pulled.columns[0]).with_nullability(True), "$f0")
    row = row_of(("$f0",), (single.type,))
    if reads(pulled.columns[0], outer):
        raise refused("a scalar subquery whose value is computed from a column of the enclosing query")
    if not conditions:
        return Pulled(Aggregate(value, (), (single,), row), identity(row))
    # The conditions return below the aggregate as a filter; pulling them through it groups it.
    grouped = pull(Aggregate(Filter(value, conjunction(conditions)), (), (single,), row), outer)
    return replace(grouped, always=False)


def _value_first(pulled: Pulled) -> Project:
    """The query with its value as the first column."""
    return projection(pulled.rel, (*pulled.columns[:1], *identity(pulled.rel.row_type)))


def _exists(source: RelNode, subquery: Subquery, only_true: bool) -> tuple[RelNode, RexNode]:
    pulled = pull_subquery(subquery, source)
    if pulled.always:
        return source, TRUE
    joined, marker = _marked(source, subquery, pulled, ())
    return joined, marker


def _in(source: RelNode, subquery: Subquery, only_true: bool) -> tuple[RelNode, RexNode]:
    if subquery.kind is SubqueryKind.ALL:
        some = replace(subquery, kind=SubqueryKind.SOME, operator=NEGATED[subquery.operator])
        joined, value = _in(source, some, False)
        return joined, negation(value)
    pulled = pull(subquery.rel, Outer(subquery.name, source))
    if pulled.always:
        # One row per enclosing row: compare with that one.
        joined, values = _looked_up(source, subquery, pulled)
        pairs = zip(subquery.operands, values, strict=False)
        return joined, conjunction(comparison(subquery.operator, operand, column) for operand, column in pairs)
    if subquery.operator != "$=$1" or len(subquery.operands) > 1:
        return _compared(source, subquery, pulled, only_true)
    nullable = any(type_of(rex).nullable for rex in (*subquery.operands, *pulled.columns))
    joined, matched = _marked(source, subquery, pulled, subquery.operands)
    return (joined, matched) if only_true or not nullable else _three_valued(joined, subquery, pulled, matched)


def _compared(source: RelNode, subquery: Subquery, pulled: Pulled, only_true: bool) -> tuple[RelNode, RexNode]:
    """The truth value of the comparison with any row; UNKNOWN if none is true and one compares with null."""
    operands = tuple(
        transform(
            rex, lambda node: OuterRef(subquery.name, node.index, node.type) if isinstance(node, InputRef) else node
        )
        for rex in subquery.operands
    )
    compared = replace(subquery, operands=operands)
    columns: list[RexNode] = []
    joined = source
    nullable = any(type_of(rex).nullable for rex in (*operands, *pulled.columns))
    for unknown in (False,) if only_true or not nullable else (False, True):
        tests = tests_of(compared, pulled.columns, subquery.operator, unknown=unknown)
        more = replace(pulled, conditions=(*pulled.conditions, *tests))
        joined, mark = _marked(joined, subquery, more, ())
        columns.append(mark)
    if len(columns) == 1:
        return joined, columns[0]
    return joined, case([(columns[0], TRUE), (columns[1], null_of(BOOLEAN))], FALSE, BOOLEAN)


def _three_valued(joined: RelNode, subquery: Subquery, pulled: Pulled, matched: RexNode) -> tuple[RelNode, RexNode]:
    """Three-valued IN: UNKNOWN without a match if a null is compared and there is a row at all."""
    operand = subquery.operands[0]
    calls = (
        AggregateCall("$COUNT$1", (), BIGINT.not_null(), "c", syntax="FUNCTION_STAR"),
        AggregateCall("$COUNT$1", (0,), BIGINT.not_null(), "ck", syntax="FUNCTION_STAR"),
    )
    values = _value_first(pulled)
    conditions = [shift(item, 1) for item in pulled.conditions]
    below: RelNode = Filter(values, conjunction(conditions)) if conditions else values
    counted = Aggregate(below, (), calls, row_of(("c", "ck"), (BIGINT.not_null(), BIGINT.not_null())))
    width = len(joined.row_type.fields)
    outer = Outer(subquery.name, joined)
    counts = pull(counted, outer)
    condition = conjunction(over_join(item, outer, width) for item in counts.conditions)
    counted_join = Join(joined, counts.rel, JoinKind.LEFT, condition)
    index = {"c": 0, "ck": 0}
    for at, name in enumerate(counts.rel.row_type.names):
        if name in index:
            index[name] = width + at
    every, known = (InputRef(index[name], counted_join.row_type.types[index[name]]) for name in ("c", "ck"))
    unknown = disjunction(
        [is_null(operand), comparison("$<$1", known, every)]
        if type_of(operand).nullable
        else [comparison("$<$1", known, every)]
    )
    none = comparison("$=$1", every, bigint(0))
    branches = [(matched, TRUE), (is_null(every), FALSE), (none, FALSE), (unknown, null_of(BOOLEAN))]
    return counted_join, case(branches, FALSE, BOOLEAN)


def _marked(
    source: RelNode, subquery: Subquery, pulled: Pulled, operands: Sequence[RexNode]
) -> tuple[RelNode, RexNode]:
    """A left join with the distinct compared values, and a test for a match."""
    outer = Outer(subquery.name, source)
    conditions = [equality(item, outer) for item in pulled.conditions]
    if not all(conditions) or any(reads(rex, outer) for rex in pulled.columns[: len(operands)]):
        pulled = over_domain(pulled, outer)
        conditions = [equality(item, outer) for item in pulled.conditions]
    width = len(source.row_type.fields)
    pairs: list[Pair] = [(operand, column, equals) for operand, column in zip(operands, pulled.columns, strict=False)]
    pairs += [(over_join(pair[0], outer, 0), *pair[1:]) for pair in conditions if pair]
    keys = tuple(column for _, column, _ in pairs)
    row = named_row((*column_names(keys, pulled.rel.row_type), "i"), [*map(type_of, keys), type_of(TRUE)])
    distinct = _marked_rows(pulled.rel, keys, row)
    moved = [InputRef(width + at, row.types[at]) for at in range(len(pairs))]
    tests = [build(operand, column) for (operand, _, build), column in zip(pairs, moved, strict=True)]
    joined = Join(source, distinct, JoinKind.LEFT, conjunction(tests))
    mark = width + len(pairs)
    return joined, is_not_null(InputRef(mark, joined.row_type.types[mark]))


def _marked_rows(rel: RelNode, keys: Sequence[RexNode], row: RowType) -> RelNode:
    """The distinct keys, followed by TRUE."""
    if not keys:
        return Aggregate(Project(rel, (TRUE,), row), (0,), (), row)
    own = RowType(fields=row.fields[:-1])
    distinct = Aggregate(Project(rel, tuple(keys), own), tuple(range(len(keys))), (), own)
    return Project(distinct, (*identity(own), TRUE), row)


_VALUES = {
    SubqueryKind.SCALAR: _scalar,
    SubqueryKind.EXISTS: _exists,
    SubqueryKind.IN: _in,
    SubqueryKind.SOME: _in,
    SubqueryKind.ALL: _in,
}
