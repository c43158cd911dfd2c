"""Decorrelation: references to the enclosing row become conditions of a join with it.

`pull` turns a query that refers to columns of an enclosing row (OuterRef) into one that does not, with conditions over
the enclosing row and its own columns. Only rows that satisfy the conditions belong to that enclosing row.

An aggregate is grouped by the columns that its conditions compare with the enclosing row. If these are not equalities,
it is computed over the distinct values of the enclosing rows, joined below it.

Source: Galindo-Legaria and Joshi, "Orthogonal Optimization of Subqueries and Aggregation"; Neumann and Kemper,
"Unnesting Arbitrary Queries".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import singledispatch

from compiled_plan.planner.algebra.expressions import (
    case,
    conjunction,
    conjuncts,
    contains,
    is_false,
    is_null,
    null_of,
    retype,
    shift,
    stays_small,
    substitute,
)
from compiled_plan.planner.algebra.kinds import JoinKind, SetKind
from compiled_plan.planner.algebra.nodes import Aggregate, Correlate, Filter, Join, Project, Rank, RelNode, SetOp, Sort
from compiled_plan.planner.algebra.rex import Over
from compiled_plan.planner.algebra.rows import identity, named_row
from compiled_plan.planner.algebra.traverse import outer_refs
from compiled_plan.planner.functions.fold import simplify
from compiled_plan.planner.rules.helpers.correlation import (
    Outer,
    Pulled,
    domain_of,
    equality,
    match_with,
    over_domain,
    projection,
    reads,
    refuse_nested,
    refused,
    split,
    with_exprs,
)
from compiled_plan.planner.rules.helpers.factors import factored
from compiled_plan.plans.rex import InputRef, Literal, RexNode, transform, type_of
from compiled_plan.plans.types import RowType

_COUNTS = frozenset(("$COUNT$1", "$$SUM0$1"))


def pull(rel: RelNode, outer: Outer) -> Pulled:
    """Remove a query's references to the enclosing row.

    Raises:
        UnsupportedError: the position of a reference does not allow that.
    """
    if not outer_refs(rel, outer.name):
        # Without correlation a global aggregate is one row, or none while its input is empty.
        return Pulled(rel, identity(rel.row_type))
    return _pull(rel, outer)


@singledispatch
def _pull(rel: RelNode, outer: Outer) -> Pulled:
    raise refused(f"a correlated {type(rel).__name__.lower()}")


@_pull.register
def _filter(rel: Filter, outer: Outer) -> Pulled:
    below = pull(rel.input, outer)
    parts = [substitute(part, below.columns) for part in conjuncts(factored(rel.condition))]
    if below.always:
        return _filtered_always(below, parts, outer)
    for part in parts:
        refuse_nested(part, outer)
    inner, outward = split(parts, outer)
    source = Filter(below.rel, conjunction(inner)) if inner else below.rel
    return Pulled(source, below.columns, (*below.conditions, *outward))


def _filtered_always(below: Pulled, parts: Sequence[RexNode], outer: Outer) -> Pulled:
    """A HAVING over the single row of an aggregate: it may drop that row, unless the row exists for matches only."""
    nothing = tuple(null_of(type_) for type_ in below.rel.row_type.types)
    inner, outward = split(parts, outer)
    for part in inner:
        if is_false(simplify(substitute(part, nothing))):
            source = Filter(below.rel, conjunction(inner))
            return Pulled(source, below.columns, (*below.conditions, *outward))
    raise refused("a condition over a correlated aggregate that may hold where there are no rows")


@_pull.register
def _project(rel: Project, outer: Outer) -> Pulled:
    below = pull(rel.input, outer)
    if not stays_small(rel.exprs, below.columns):
        raise refused("a correlated subquery whose columns become too large when they are written into each other")
    exprs = tuple(substitute(rex, below.columns) for rex in rel.exprs)
    if any(contains(rex, Over) for rex in exprs):
        return _windowed(rel, below, exprs, outer)
    for rex in exprs:
        refuse_nested(rex, outer)
    if below.always or any(reads(rex, outer) for rex in exprs):
        return replace(below, columns=exprs)
    rel_, conditions = with_exprs(below, exprs)
    return Pulled(rel_, identity(rel_.row_type)[: len(exprs)], conditions)


def _windowed(rel: Project, below: Pulled, exprs: tuple[RexNode, ...], outer: Outer) -> Pulled:
    """Window functions, partitioned by the columns that the conditions compare with the enclosing row."""
    pairs = [equality(item, outer) for item in below.conditions]
    if any(reads(rex, outer) for rex in exprs) or not all(pairs):
        raise refused("a window function in a correlated subquery that is not joined by equality")
    keys = tuple(pair[1] for pair in pairs if pair)

    def partition(node: RexNode) -> RexNode:
        return replace(node, partition=(*keys, *node.partition)) if isinstance(node, Over) else node

    rel_, conditions = with_exprs(below, tuple(transform(rex, partition) for rex in exprs))
    return Pulled(rel_, identity(rel_.row_type)[: len(exprs)], conditions)


@_pull.register
def _join(rel: Join, outer: Outer) -> Pulled:
    left = pull(rel.left, outer)
    right = pull(rel.right, outer)
    width = len(left.rel.row_type.fields)
    moved = tuple(shift(rex, width) for rex in right.columns)
    if rel.kind in (JoinKind.SEMI, JoinKind.ANTI):
        columns: tuple[RexNode, ...] = left.columns
    else:
        columns = (*left.columns, *moved)
    parts = [substitute(part, (*left.columns, *moved)) for part in conjuncts(factored(rel.condition))]
    inner, outward = split(parts, outer)
    preserved = {
        JoinKind.INNER: (True, True, True),
        JoinKind.LEFT: (True, False, False),
        JoinKind.RIGHT: (False, True, False),
        JoinKind.SEMI: (True, False, False),
        JoinKind.ANTI: (True, False, False),
        JoinKind.FULL: (False, False, False),
    }[rel.kind]
    if left.always or right.always:
        raise refused("a join with a correlated aggregate inside a correlated subquery")
    correlated = (left.conditions, right.conditions, outward)
    if any(conditions and not allowed for allowed, conditions in zip(preserved, correlated, strict=True)):
        return _join_over_domain(rel, left, right, parts, outer)
    conditions = (*left.conditions, *(shift(item, width) for item in right.conditions), *outward)
    joined = replace(rel, left=left.rel, right=right.rel, condition=conjunction(inner))
    return Pulled(joined, _over(joined, columns), conditions)


def _over(rel: RelNode, columns: Sequence[RexNode]) -> tuple[RexNode, ...]:
    """The expressions with the column types of `rel`: an outer join may make them nullable."""
    return tuple(retype(rex, rel.row_type) for rex in columns)


@_pull.register
def _correlate(rel: Correlate, outer: Outer) -> Pulled:
    if outer_refs(rel.right, outer.name):
        raise refused("a table function over a column of an enclosing query")
    left = pull(rel.left, outer)
    old_width = len(rel.left.row_type.fields)
    if left.always or left.columns != identity(rel.left.row_type):
        raise refused("a table function inside a correlated subquery over computed columns")
    width = len(left.rel.row_type.fields)
    if width != old_width:
        raise refused("a table function inside a correlated subquery")
    joined = replace(rel, left=left.rel)
    return Pulled(joined, identity(joined.row_type), left.conditions)


@_pull.register
def _aggregate(rel: Aggregate, outer: Outer) -> Pulled:
    if rel.grouping_sets:
        raise refused("GROUPING SETS in a correlated subquery")
    below = pull(rel.input, outer)
    if below.always:
        raise refused("an aggregate over a correlated aggregate")
    if any(reads(rex, outer) for rex in below.columns) or not all(equality(item, outer) for item in below.conditions):
        below = over_domain(below, outer)
    pairs = [pair for item in below.conditions if (pair := equality(item, outer))]
    exprs = (*below.columns, *(pair[1] for pair in pairs))
    source = projection(below.rel, exprs)
    keys = tuple(range(len(below.columns), len(exprs)))
    grouping = (*rel.grouping, *keys)
    own = rel.row_type.fields
    count = len(rel.grouping)
    names = [*(item.name for item in own), *(source.row_type.names[key] for key in keys)]
    types = [*(item.type for item in own), *(type_of(exprs[key]) for key in keys)]
    order = [*range(count), *range(len(own), len(names)), *range(count, len(own))]
    row = named_row([names[at] for at in order], [types[at] for at in order])
    aggregate = Aggregate(source, grouping, rel.calls, row, (), rel.hints)
    where = [InputRef(index, aggregate.row_type.types[index]) for index in range(len(aggregate.row_type.fields))]
    conditions = tuple(match_with(pair, where[count + at]) for at, pair in enumerate(pairs))
    columns: list[RexNode] = [*where[:count], *where[count + len(keys) :]]
    always = not rel.grouping
    if always:
        columns = [_or_zero(call.name, rex) for call, rex in zip(rel.calls, columns, strict=True)]
    return Pulled(aggregate, tuple(columns), conditions, always)


def _or_zero(name: str, rex: RexNode) -> RexNode:
    """The value of an aggregate for a row of nulls, which stands for no rows: a count becomes 0."""
    if name not in _COUNTS:
        return rex if type_of(rex).nullable else _nullable(rex)
    known = _nullable(rex)
    return case([(is_null(known), Literal(0, type_of(rex).not_null()))], known)


def _nullable(rex: RexNode) -> RexNode:
    return replace(rex, type=rex.type.with_nullability(True)) if isinstance(rex, InputRef) else rex


def _join_over_domain(rel: Join, left: Pulled, right: Pulled, parts: Sequence[RexNode], outer: Outer) -> Pulled:
    """A join evaluated per enclosing row: its left side is first joined with the distinct enclosing values."""
    plain = all(isinstance(rex, InputRef) for rex in right.columns)
    if rel.kind not in (JoinKind.SEMI, JoinKind.ANTI) and not (rel.kind is JoinKind.LEFT and plain):
        raise refused(f"a correlated condition inside a {rel.kind.value} join")
    width = len(left.rel.row_type.fields)
    moved = tuple(shift(rex, width) for rex in (*right.conditions, *right.columns))
    domain = domain_of((*left.conditions, *left.columns, *parts, *moved), outer)
    source = Join(domain.rel, left.rel, JoinKind.INNER, conjunction(map(domain.local, left.conditions)))
    count = len(right.conditions)
    condition = conjunction(map(domain.local, (*parts, *moved[:count])))
    columns = left.columns if rel.kind is not JoinKind.LEFT else (*left.columns, *moved[count:])
    joined = replace(rel, left=source, right=right.rel, condition=condition)
    return Pulled(joined, _over(joined, tuple(map(domain.local, columns))), domain.matches)


@_pull.register
def _sort(rel: Sort, outer: Outer) -> Pulled:
    below = pull(rel.input, outer)
    if rel.fetch is None and not rel.offset:
        return below
    pairs = [equality(item, outer) for item in below.conditions]
    if below.always or not all(pairs) or below.columns != identity(rel.input.row_type)[: len(below.columns)]:
        raise refused("LIMIT in a correlated subquery that is not joined by equality")
    exprs = (*identity(below.rel.row_type), *(pair[1] for pair in pairs if pair))
    source = projection(below.rel, exprs)
    keys = tuple(range(len(exprs) - len(pairs), len(exprs)))
    end = None if rel.fetch is None else rel.offset + rel.fetch
    ranked = Rank(source, keys, rel.keys, rel.offset + 1, end, None, None, source.row_type)
    return Pulled(ranked, below.columns, below.conditions)


@_pull.register
def _set_operation(rel: SetOp, outer: Outer) -> Pulled:
    if rel.kind is not SetKind.UNION:
        raise refused(f"{rel.kind.value} in a correlated subquery")
    branches = [pull(source, outer) for source in rel.sources]
    if any(item.always or any(reads(rex, outer) for rex in item.columns) for item in branches):
        branches = [over_domain(item, outer) if not item.always else item for item in branches]
    keys = [[equality(item, outer) for item in branch.conditions] for branch in branches]
    if any(branch.always for branch in branches) or not all(all(row) for row in keys):
        raise refused("UNION of correlated aggregates")
    sides = [tuple(pair[0] for pair in row if pair) for row in keys]
    if len(set(sides)) > 1:
        branches = [over_domain(item, outer) for item in branches]
        keys = [[equality(item, outer) for item in branch.conditions] for branch in branches]
        sides = [tuple(pair[0] for pair in row if pair) for row in keys]
        if len(set(sides)) > 1:
            raise refused("UNION of subqueries that are correlated by different columns")
    sources: list[RelNode] = []
    for branch, row in zip(branches, keys, strict=True):
        exprs = (*branch.columns, *(pair[1] for pair in row if pair))
        sources.append(projection(branch.rel, exprs))
    combined = replace(rel, sources=tuple(sources), columns=_widest([source.row_type for source in sources]))
    width = len(rel.row_type.fields)
    refs = identity(combined.row_type)
    first = [pair for pair in keys[0] if pair]
    conditions = tuple(match_with(pair, refs[width + at]) for at, pair in enumerate(first))
    return Pulled(combined, refs[:width], conditions)


def _widest(rows: Sequence[RowType]) -> RowType:
    """The first row, with columns nullable if they are in any of the rows."""
    fields = tuple(
        replace(item, type=item.type.with_nullability(any(row.types[at].nullable for row in rows)))
        for at, item in enumerate(rows[0].fields)
    )
    return RowType(fields=fields)
