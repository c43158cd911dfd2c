"""Data of decorrelation: the enclosing row, the rewritten query, equalities between both.

If conditions are not equalities, an aggregate is computed over the domain: the distinct values of the enclosing rows,
joined below it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from compiled_plan.planner.algebra.expressions import conjunction, contains, equals, not_distinct, shift
from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.algebra.nodes import Aggregate, Join, Project, RelNode
from compiled_plan.planner.algebra.rex import OuterRef, Subquery
from compiled_plan.planner.algebra.rows import column_names, identity, named_row
from compiled_plan.planner.algebra.traverse import outer_refs
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.rex import Call, InputRef, RexNode, transform, type_of, walk
from compiled_plan.plans.types import row_of


@dataclass(frozen=True, slots=True)
class Outer:
    """The enclosing row: its correlation name and its query."""

    name: str
    rel: RelNode


@dataclass(frozen=True, slots=True)
class Pulled:
    """A query without references to the enclosing row.

    `columns` are the query's columns over those of `rel` (and the enclosing row's, as OuterRef). With `always` there is
    a
    row for every enclosing row, even if `rel` has none; `columns` are then also valid for a row of nulls.
    """

    rel: RelNode
    columns: tuple[RexNode, ...]
    conditions: tuple[RexNode, ...] = ()
    always: bool = False


def with_exprs(below: Pulled, exprs: tuple[RexNode, ...]) -> tuple[RelNode, tuple[RexNode, ...]]:
    """`exprs` as the first columns, followed by those of `below` for its conditions."""
    columns = identity(below.rel.row_type) if below.conditions else ()
    projected = projection(below.rel, (*exprs, *columns))
    return projected, tuple(shift(item, len(exprs)) for item in below.conditions)


@dataclass(frozen=True, slots=True)
class _Domain:
    """The distinct values of some columns of the enclosing rows, and the conditions that match them again."""

    rel: RelNode
    name: str
    place: dict[int, RexNode]
    matches: tuple[RexNode, ...]

    def local(self, rex: RexNode) -> RexNode:
        """Rewrite an expression over some columns and the enclosing row to the domain's columns and those behind."""
        return transform(
            shift(rex, len(self.place)),
            lambda node: self.place[node.index] if isinstance(node, OuterRef) and node.name == self.name else node,
        )


def domain_of(exprs: Sequence[RexNode], outer: Outer) -> _Domain:
    """The distinct values of the enclosing columns that the expressions read."""
    used = {node.index: node for rex in exprs for node in _outer_nodes(rex, outer)}
    indices = sorted(used)
    row = outer.rel.row_type
    own = row_of([row.names[index] for index in indices], [row.types[index] for index in indices])
    columns = tuple(InputRef(index, row.types[index]) for index in indices)
    rel = Aggregate(Project(outer.rel, columns, own), tuple(range(len(indices))), (), own)
    place: dict[int, RexNode] = {index: InputRef(at, row.types[index]) for at, index in enumerate(indices)}
    return _Domain(rel, outer.name, place, tuple(_same(used[index], place[index]) for index in indices))


def over_domain(below: Pulled, outer: Outer) -> Pulled:
    """The query joined with the distinct values of the enclosing columns it reads, and matched by them."""
    domain = domain_of((*below.conditions, *below.columns), outer)
    joined = Join(domain.rel, below.rel, JoinKind.INNER, conjunction(map(domain.local, below.conditions)))
    return Pulled(joined, tuple(map(domain.local, below.columns)), domain.matches)


Pair = tuple[RexNode, RexNode, Callable[[RexNode, RexNode], RexNode]]


def equality(condition: RexNode, outer: Outer) -> Pair | None:
    """The enclosing and the own side of an equality between them, and the constructor of the equality."""
    if isinstance(condition, Call) and condition.name == "$=$1":
        sides = condition.operands
        build: Callable[[RexNode, RexNode], RexNode] = equals
    elif isinstance(condition, Call) and condition.name == "$IS NOT DISTINCT FROM$1":
        sides = condition.operands
        build = _same
    else:
        return None
    for enclosing, own in ((sides[0], sides[1]), (sides[1], sides[0])):
        only_outer = not contains(enclosing, InputRef) and reads(enclosing, outer)
        if only_outer and not reads(own, outer):
            return enclosing, own, build
    return None


def match_with(pair: Pair, column: RexNode) -> RexNode:
    """The equality of a pair, with another column for its own side."""
    return pair[2](pair[0], column)


def _same(left: RexNode, right: RexNode) -> RexNode:
    """Null-safe equality; one call, so that it stays recognizable until it becomes a join key."""
    if not type_of(left).nullable or not type_of(right).nullable:
        return equals(left, right)
    template = not_distinct(left, right)
    return Call("$IS NOT DISTINCT FROM$1", (left, right), type_of(template).with_nullability(False), "BINARY")


def _outer_nodes(rex: RexNode, outer: Outer) -> list[OuterRef]:
    return [node for node in walk(rex) if isinstance(node, OuterRef) and node.name == outer.name]


def reads(rex: RexNode, outer: Outer) -> bool:
    """Return True if the expression refers to the enclosing row."""
    return bool(_outer_nodes(rex, outer))


def refuse_nested(rex: RexNode, outer: Outer) -> None:
    """Raise for an expression with a subquery that reads this enclosing row.

    Raises:
        UnsupportedError: there is one.
    """
    if contains(rex, lambda node: isinstance(node, Subquery) and bool(outer_refs(node.rel, outer.name))):
        raise refused("a subquery that refers to a query two levels out")


def projection(rel: RelNode, exprs: Sequence[RexNode]) -> Project:
    """Project `rel` to expressions; plain columns keep their names."""
    row = named_row(column_names(exprs, rel.row_type), [type_of(rex) for rex in exprs])
    return Project(rel, tuple(exprs), row)


def over_join(rex: RexNode, outer: Outer, width: int) -> RexNode:
    """Rewrite an expression over (enclosing row, own columns) to the joined row with `width` left columns."""
    types = outer.rel.row_type.types
    return transform(
        shift(rex, width),
        lambda node: (
            InputRef(node.index, types[node.index]) if isinstance(node, OuterRef) and node.name == outer.name else node
        ),
    )


def split(parts: Sequence[RexNode], outer: Outer) -> tuple[list[RexNode], list[RexNode]]:
    """Split conditions into those that do not read the enclosing row, and those that do."""
    outward = [part for part in parts if reads(part, outer)]
    return [part for part in parts if part not in outward], outward


def refused(construct: str) -> UnsupportedError:
    """The error for a correlated query without an equivalent join."""
    return UnsupportedError(
        f"{construct} is not supported",
        remedy="write it as a join: aggregate by the compared columns, then JOIN ... ON",
    )
