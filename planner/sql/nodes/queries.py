"""Queries, and the relations in FROM."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Literal

from compiled_plan.planner.sql.nodes.base import Expression, Identifier, Named, Node, Relation, node
from compiled_plan.planner.sql.nodes.calls import Call, NamedWindow
from compiled_plan.planner.sql.nodes.clauses import Alias, GroupBy, OrderBy, QueryNode, TableAlias, TableHint
from compiled_plan.planner.sql.nodes.literals import RowValue


@node
class Select(QueryNode):
    """SELECT. `TABLE t` is parsed as `SELECT * FROM t`.

    Attributes:
        items: the SELECT list: expressions, `Alias`, `AllColumns`.
        source: the relation of FROM.
    """

    _: KW_ONLY
    hints: tuple[TableHint, ...] = ()
    distinct: bool = False
    items: tuple[Expression, ...]
    source: Relation | None = None
    where: Expression | None = None
    group: GroupBy | None = None
    having: Expression | None = None
    windows: tuple[NamedWindow, ...] = ()
    qualify: Expression | None = None


@node
class SetOperation(QueryNode):
    """`left` UNION|INTERSECT|EXCEPT [ALL] `right`; ALL is not `distinct`."""

    operator: Literal["UNION", "INTERSECT", "EXCEPT"]
    left: QueryNode
    right: QueryNode
    distinct: bool = True


@node
class Values(QueryNode):
    """VALUES; a row without parentheses is a row of one column."""

    rows: tuple[RowValue, ...]


@node
class Subquery(QueryNode, Relation):
    """A query in parentheses: in FROM, in an expression, or as a query. `lateral`: LATERAL was written."""

    query: QueryNode
    alias: TableAlias | None = None
    lateral: bool = False


@node
class TableRef(Named, Relation):
    """A table or view by name, of one to three parts; `as_of` is the time of FOR SYSTEM_TIME AS OF."""

    hints: tuple[TableHint, ...] = ()
    as_of: Expression | None = None
    alias: TableAlias | None = None


@node
class Unnest(Relation):
    """UNNEST(...) [WITH ORDINALITY], with or without LATERAL."""

    operands: tuple[Expression, ...]
    ordinality: bool = False
    alias: TableAlias | None = None


@node
class TableFunction(Relation):
    """A call in FROM, with or without TABLE(...) and LATERAL around it."""

    call: Call
    alias: TableAlias | None = None


@node
class Join(Relation):
    """Two relations joined.

    `kind`: "INNER", "LEFT", "RIGHT", "FULL", "CROSS", or "COMMA" (FROM a, b). The tree is left-deep as written.
    """

    left: Relation
    right: Relation
    kind: str
    natural: bool = False
    on: Expression | None = None
    using: tuple[Identifier, ...] = ()


@node
class Subset(Node):
    """`name` = (members) of SUBSET."""

    name: Identifier
    members: tuple[Identifier, ...]


@node
class MatchRecognize(Relation):
    """`relation` MATCH_RECOGNIZE (...).

    Attributes:
        all_rows: ALL ROWS PER MATCH.
        after: "SKIP PAST LAST ROW", "SKIP TO NEXT ROW", "SKIP TO FIRST" or "SKIP TO LAST"; None if not written.
        after_variable: the variable to skip to.
        pattern: the text between the parentheses of PATTERN.
    """

    _: KW_ONLY
    relation: Relation
    partition_by: tuple[Expression, ...] = ()
    order: OrderBy | None = None
    measures: tuple[Alias, ...] = ()
    all_rows: bool = False
    after: str | None = None
    after_variable: Identifier | None = None
    pattern: str
    within: Expression | None = None
    subsets: tuple[Subset, ...] = ()
    definitions: tuple[Alias, ...]
    alias: TableAlias | None = None
