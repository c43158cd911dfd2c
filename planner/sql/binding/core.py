"""What the parts of the binder share: the binder itself, the place in a query, and a bound query."""

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
from compiled_plan.plans.types import LogicalType, RowType


@dataclass(frozen=True)
class Bound:
    """A bound query. `names` are the columns' names in SQL, which may repeat; those of `rel` do not."""

    rel: RelNode
    names: tuple[str, ...]

    @property
    def types(self) -> tuple[LogicalType, ...]:
        """The columns' types."""
        return self.rel.row_type.types


@dataclass(frozen=True)
class Surroundings:
    """What a query sees of the queries around it: the enclosing row, and the names that WITH gave."""

    parent: Scope | None = None
    ctes: Mapping[str, Bound] = field(default_factory=dict)


class BindQuery(Protocol):
    """Binds a query inside its surroundings."""

    def __call__(self, binder: Binder, node: ast.QueryNode, around: Surroundings) -> Bound:
        """The bound query."""
        ...


@dataclass
class Binder:
    """One program being bound. `bind_query` is here so that expressions can bind the queries inside them."""

    source: SourceText
    catalog: Catalog
    bind_query: BindQuery
    names: Names = field(default_factory=Names)

    def scope(self, row: RowType, parent: Scope | None, names: tuple[str, ...] | None = None) -> Scope:
        """A scope over the columns of `row`, without any relation to qualify them by."""
        return Scope((), columns_of(names or row.names), row, parent, self.names.correlation())


@dataclass(frozen=True)
class Context:
    """Where an expression stands.

    Args:
        scope: the row it is over.
        ctes: names that WITH gave.
        clause: its clause, for errors ("WHERE clause").
        aggregates: whether aggregate calls may stand here.
        grouped: whether the query block has a GROUP BY.
        over: whether OVER may stand here.
        windows: the named windows of the query block.
        pattern: whether this is inside MATCH_RECOGNIZE, where columns belong to pattern variables.
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
        """The same place, inside an aggregate's arguments."""
        return replace(self, aggregates=False, over=False, clause=clause)


@dataclass(frozen=True, slots=True)
class AggregateRef(RexNode):
    """An aggregate call in an expression, over the row of FROM, until the Aggregate is built.

    `name` is Flink's internal name; `sql` the name as written, for errors. A plan never holds one.
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
