"""Clauses of queries, and the base of queries."""

from __future__ import annotations

from dataclasses import KW_ONLY

from compiled_plan.planner.sql.nodes.base import Expression, Identifier, Node, node


@node
class Alias(Expression):
    """A value with a name in SELECT: `value` AS `name`."""

    value: Expression
    name: Identifier


@node
class TableAlias(Node):
    """AS name (columns) of a relation or of a query of WITH; only the Table API omits the name."""

    identifier: Identifier | None = None
    columns: tuple[Identifier, ...] = ()

    @property
    def name(self) -> str:
        """The name, or an empty string."""
        return "" if self.identifier is None else self.identifier.name


@node
class Ordered(Expression):
    """A key of ORDER BY. `nulls_first` is None if not written."""

    operand: Expression
    descending: bool = False
    nulls_first: bool | None = None


@node
class OrderBy(Node):
    keys: tuple[Ordered, ...]


@node
class QueryNode(Expression):
    """A query with its surrounding clauses. As an expression it is a scalar subquery."""

    _: KW_ONLY
    with_: With | None = None
    order: OrderBy | None = None
    limit: int | None = None
    offset: int | None = None


@node
class WithQuery(Node):
    """name (columns) AS (query) of WITH."""

    alias: TableAlias
    query: QueryNode


@node
class With(Node):
    """Named queries before a query: WITH [RECURSIVE] queries."""

    queries: tuple[WithQuery, ...]
    recursive: bool = False


@node
class HintOption(Node):
    """'key' = 'value' in a hint."""

    key: str
    value: str


@node
class TableHint(Node):
    """One hint of `/*+ ... */`: with pairs (`STATE_TTL('a'='1s')`), or with names (`BROADCAST(a, b)`)."""

    identifier: Identifier
    pairs: tuple[HintOption, ...] = ()
    names: tuple[Identifier, ...] = ()

    @property
    def name(self) -> str:
        """The hint's name in capitals."""
        return self.identifier.name.upper()

    @property
    def options(self) -> dict[str, str]:
        """The key-value options; the last of equal keys wins."""
        return {pair.key: pair.value for pair in self.pairs}

    @property
    def arguments(self) -> list[str]:
        """The names of a hint without values."""
        return [argument.name for argument in self.names]


@node
class GroupBy(Node):
    """GROUP BY [DISTINCT] of expressions, GROUPING SETS, ROLLUP, CUBE, and sets of columns."""

    items: tuple[Expression, ...]
    distinct: bool = False


@node
class GroupingSets(Expression):
    """GROUPING SETS (...), of the items of GROUP BY."""

    items: tuple[Expression, ...]


@node
class Rollup(Expression):
    """ROLLUP (...), of expressions and sets of columns."""

    items: tuple[Expression, ...]


@node
class Cube(Expression):
    """CUBE (...), of expressions and sets of columns."""

    items: tuple[Expression, ...]
