"""FROM: bound relations, their context, and the registry of their binders.

`relations` binds tables, queries and functions, `joins` joins.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from compiled_plan.planner.algebra.nodes import Hint, Project, RelNode, Values
from compiled_plan.planner.algebra.rows import identity, named_row
from compiled_plan.planner.functions import plan_literals
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder, Bound, Surroundings
from compiled_plan.planner.sql.binding.scopes import Relation, Scope, ScopeColumn
from compiled_plan.plans.rex import type_of
from compiled_plan.plans.types import INT, RowType, row_of


@dataclass(frozen=True)
class From:
    """A bound relation: its rows, the relations in it, and the columns of `*`, all by index in the row."""

    rel: RelNode
    relations: tuple[Relation, ...]
    visible: tuple[ScopeColumn, ...]

    @property
    def alias(self) -> tuple[str, ...]:
        """The name of the whole relation; empty for a join."""
        return tuple(item.name for item in self.relations) if len(self.relations) == 1 else ()

    def as_query(self) -> Bound:
        """The columns of `*` as a query."""
        scope = self.scope(self.rel.row_type, None, "")
        exprs = tuple(map(scope.reference, self.visible))
        names = tuple(column.name for column in self.visible)
        if exprs == identity(self.rel.row_type):
            return Bound(self.rel, names)
        return Bound(Project(self.rel, exprs, named_row(names, [type_of(rex) for rex in exprs])), names)

    def scope(self, row: RowType, parent: Scope | None, correlation: str) -> Scope:
        """A scope with the names of this relation, over `row`."""
        return Scope(self.relations, self.visible, row, parent, correlation)


@ast.node
class BoundRelation(ast.QueryNode, ast.Relation):
    """An already bound relation, which the Table API puts into a tree; also a query by itself."""

    relation: From
    as_of: ast.Expression | None = None


@dataclass(frozen=True)
class Place:
    """The context of a relation: the query's surroundings, the hints of its block, and the scope of LATERAL.

    `named` and `late` collect the names of its relations, and those to which a LATE_ROWS hint applies.
    """

    around: Surroundings
    hints: tuple[Hint, ...] = ()
    lateral: Scope | None = None
    named: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)

    @property
    def outer(self) -> Scope | None:
        """The scope for names in UNNEST, functions and LATERAL queries."""
        return self.lateral or self.around.parent


def bind_from(binder: Binder, node: ast.Relation | None, place: Place) -> From:
    """The rows of FROM; one row without columns if there is no FROM."""
    if node is None:
        return From(one_row(), (), ())
    return relation(binder, node, place)


def one_row() -> Values:
    """A single row of one constant."""
    return Values(row_of(["ZERO"], [INT.not_null()]), ((plan_literals.integer(0),),))


R = TypeVar("R", bound=ast.Relation)
BindRelation = Callable[[Binder, R, Place], From]
_RELATIONS: dict[type[ast.Relation], BindRelation[Any]] = {}


def binds_relation(kind: type[R]) -> Callable[[BindRelation[R]], BindRelation[R]]:
    """Register the binder of a kind of relation."""

    def register(function: BindRelation[R]) -> BindRelation[R]:
        _RELATIONS[kind] = function
        return function

    return register


def relation(binder: Binder, node: ast.Relation, place: Place) -> From:
    """A relation of FROM.

    Raises:
        ProgramError: names, types or structure are wrong.
        UnsupportedError: a relation that is not supported.
    """
    handler = _RELATIONS.get(type(node))
    if handler is None:
        raise binder.source.unsupported(node, f"{type(node).__name__} in FROM")
    with binder.source.at(node):
        return handler(binder, node, place)
