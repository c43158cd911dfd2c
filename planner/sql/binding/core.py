"""Shared types of the binder: the binder itself, the context of an expression, a bound query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from compiled_plan.planner.algebra.nodes import RelNode
from compiled_plan.planner.catalog.memory import Catalog
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.scopes import Names, Scope, columns_of
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.plans.rex import RexNode
from compiled_plan.plans.text.position import Span
from compiled_plan.plans.types import LogicalType, RowType


@dataclass(frozen=True)
class Bound:
    """A bound query. `names` are the columns' SQL names, which may repeat; those of `rel` do not."""

    rel: RelNode
    names: tuple[str, ...]

    @property
    def types(self) -> tuple[LogicalType, ...]:
        return self.rel.row_type.types


@dataclass(frozen=True)
class Surroundings:
    """The visible surroundings of a query: the enclosing row, and the names declared by WITH."""

    parent: Scope | None = None
    ctes: Mapping[str, Bound] = field(default_factory=dict)


#: A column of a star: the path of its relation, if the star covers several, and its name.
StarColumn = tuple[tuple[str, ...], str]
#: The columns of the stars of a query, by the star's position.
Stars = dict[Span, tuple[StarColumn, ...]]


class BindQuery(Protocol):
    """Binds a query inside its surroundings."""

    def __call__(self, binder: Binder, node: ast.QueryNode, around: Surroundings) -> Bound: ...


@dataclass
class Binder:
    """The binder of one program.

    Args:
        source: the program.
        catalog: its tables, views and functions.
        bind_query: lets expressions bind their subqueries.
        names: the names of correlation variables.
        stars: of a view: the columns that its stars had when it was created; receives those of new stars.
    """

    source: SourceText
    catalog: Catalog
    bind_query: BindQuery
    names: Names = field(default_factory=Names)
    stars: Stars | None = None

    def scope(self, row: RowType, parent: Scope | None, names: tuple[str, ...] | None = None) -> Scope:
        """A scope over the columns of `row`, without a relation to qualify them."""
        return Scope((), columns_of(names or row.names), row, parent, self.names.correlation())


@dataclass(frozen=True)
class Context:
    """The context of an expression.

    Args:
        scope: the row it is over.
        ctes: names declared by WITH.
        clause: its clause, for errors ("WHERE clause").
        aggregates: aggregate calls are allowed.
        grouped: the query block has a GROUP BY.
        over: OVER is allowed.
        windows: the named windows of the query block.
        pattern: inside MATCH_RECOGNIZE, where columns belong to pattern variables.
    """

    scope: Scope
    ctes: Mapping[str, Bound] = field(default_factory=dict)
    clause: str = "expression"
    aggregates: bool = False
    grouped: bool = False
    over: bool = False
    windows: Mapping[str, ast.WindowSpec] = field(default_factory=dict)
    pattern: bool = False

    def inside(self) -> Surroundings:
        """The surroundings of a query inside this expression."""
        return Surroundings(self.scope, self.ctes)

    def without_aggregates(self, clause: str) -> Context:
        """The same context inside an aggregate's arguments."""
        return replace(self, aggregates=False, over=False, clause=clause)


@dataclass(frozen=True, slots=True)
class AggregateRef(RexNode):
    """An aggregate call over the row of FROM, replaced when the Aggregate is built.

    `name` is Flink's internal name; `sql` the name as written, for errors. Plans contain none.
    """

    name: str
    operands: tuple[RexNode, ...]
    type: LogicalType
    distinct: bool = False
    filter: RexNode | None = None
    syntax: str | None = None
    ignore_nulls: bool = False
    sql: str = field(default="", compare=False)

    def children(self) -> tuple[RexNode, ...]:
        return self.operands if self.filter is None else (*self.operands, self.filter)

    def with_children(self, children: tuple[RexNode, ...]) -> RexNode:
        if self.filter is None:
            return replace(self, operands=children)
        return replace(self, operands=children[:-1], filter=children[-1])
