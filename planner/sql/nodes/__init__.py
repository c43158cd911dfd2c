"""The vocabulary of a parsed query: every kind of node that the parser gives to the binder.

A query is a tree of sqlglot expressions. Only the classes listed here appear in it; a binder that
dispatches over this list is complete. The parser resolves nothing: names, functions and types are as
written. Parentheses leave no node of their own (the tree has the precedence), except around queries.

**Positions.** Every node has `meta["start"]` and `meta["end"]`: character offsets into the script, from the
first character of the node to one past its last; `meta["line"]` and `meta["col"]`, both from 1, say where it
starts. `planner.sql.nodes.position` renders them. Children of a node are in `node.args[...]`, or in the typed
properties below. Absent optional arguments are `None` (`args.get`), absent lists are empty.

Queries
-------
A *query* is `exp.Select`, `exp.Union`, `exp.Intersect`, `exp.Except`, `exp.Values` or `exp.Subquery` (a query
in parentheses). All of them may carry these args:

- `with_`: `exp.With(expressions=[exp.CTE(this=query, alias=exp.TableAlias)], recursive=bool)`
- `order`: `exp.Order(expressions=[exp.Ordered(this=expr, desc=bool, nulls_first=True|False|None)])`
  (`None`: not said)
- `limit`: `exp.Limit(expression=expr)` (of LIMIT and of FETCH NEXT), `offset`: `exp.Offset(expression=expr)`

`exp.Select`
    `hint`: `exp.Hint(expressions=[TableHint, ...])` or None; `distinct`: `exp.Distinct()` or None;
    `expressions`: the projections, each an expression, `exp.Alias(this=expr, alias=exp.Identifier)` or
    `AllColumns`; `from_`: `exp.From(this=relation)` or None; `where`: `exp.Where(this=expr)`;
    `group`: `GroupBy`; `having`: `exp.Having(this=expr)`; `windows`: list of `NamedWindow`;
    `qualify`: `exp.Qualify(this=expr)`. `TABLE t` arrives as `SELECT * FROM t`.
`exp.Union`, `exp.Intersect`, `exp.Except`
    `this` and `expression` are queries; `distinct`: True, or False for ALL.
`exp.Values`
    `expressions`: one `RowValue` a row (a row written without parentheses is a row of one column).
`exp.Subquery`
    `this`: query; `alias`: `exp.TableAlias` or None (relations only). In an expression: a scalar subquery.

Relations (what FROM holds)
---------------------------
`TableRef`, `exp.Subquery`, `Unnest`, `TableFunction`, `MatchRecognize`, `Join`. All but `Join` have `alias`:
`exp.TableAlias(this=exp.Identifier, columns=[exp.Identifier, ...])` or None. `(VALUES ...) AS t(a, b)` is an
`exp.Subquery` over `exp.Values`. `exp.Subquery`, `Unnest` and `TableFunction` have the arg `lateral`: True when
LATERAL was written (`UNNEST` and table functions see the left side without it).

`Join`
    A tree, left-deep as written: `left`, `right`: relations; `kind`: "INNER", "LEFT", "RIGHT", "FULL", "CROSS",
    "COMMA" (FROM a, b), "LEFT SEMI" or "LEFT ANTI"; `natural`: bool; `on`: expr or None; `using`: list of
    `exp.Identifier` or None.
`TableRef`
    `parts`: the name, 1 to 3 `exp.Identifier`; `hints`: list of `TableHint`; `as_of`: expr of
    FOR SYSTEM_TIME AS OF, or None; `sample` is refused.
`BoundRelation`
    a relation that is bound already, which the Table API puts into a tree; also a query by itself.
`Unnest`
    `expressions`: operands; `ordinality`: bool.
`TableFunction`
    `call`: `Call`; `form`: "LATERAL TABLE", "TABLE" or "" (written without a wrapper). Window table functions are
    `Call` TUMBLE, HOP, CUMULATE, SESSION with `TableArgument`, `Descriptor` and intervals, by position
    or inside `NamedArgument`.
`MatchRecognize`
    see the class.

Expressions
-----------
Names and literals:
    `ColumnRef` (a dotted name, any number of parts: `t.a`, `a.b.c`; which parts are tables, columns, fields is the
    binder's to say), `AllColumns` (`*`, `t.*`), `exp.Literal` (string or number: `is_string`, `this` is the text),
    `exp.Boolean(this=bool)`, `exp.Null`, `exp.Var("UNKNOWN")` (the literal), `TypedLiteral` (DATE, TIME,
    TIMESTAMP), `BinaryLiteral`, `IntervalLiteral`, `Keyword` (a unit or flag as argument of a special form).
Operators, `this` and `expression` (sqlglot classes):
    `exp.And`, `exp.Or`, `exp.EQ`, `exp.NEQ`, `exp.LT`, `exp.LTE`, `exp.GT`, `exp.GTE`, `exp.Add`, `exp.Sub`,
    `exp.Mul`, `exp.Div`, `exp.Mod`, `exp.DPipe` (`||`), `Overlaps`; `this` only: `exp.Not`, `exp.Neg` (a minus
    sign before a number is `exp.Neg` over `exp.Literal`), `Plus` (unary). AND and OR are binary, left-deep.
Predicates:
    `IsPredicate` (IS [NOT] NULL, TRUE, FALSE, UNKNOWN, JSON ...), `IsDistinctFrom`, `exp.Between(this, low, high,
    symmetric=bool)`, `exp.In(this, expressions=[...])` or `exp.In(this, query=query)`, `Like`, `exp.Exists(this=
    query)`, `Quantified`. NOT BETWEEN, NOT IN, NOT LIKE, NOT SIMILAR TO, NOT EXISTS are `exp.Not` around them.
Values:
    `exp.Case(ifs=[exp.If(this=condition, true=then)], default=None or expr)` (CASE x WHEN v comes as CASE WHEN x = v),
    `exp.Cast(this, to=TypeSpec)`, `exp.TryCast(this, to=TypeSpec)`, `RowValue` (`ROW(a, b)`, `(a, b)`), `ArrayValue`,
    `MapValue`, `QueryConstructor` (ARRAY(SELECT ..)), `ItemAccess` (`a[1]`), `FieldAccess` (`(expr).f`, `a[1].f`).
Calls:
    `Call`: every function, built in or not, with the name as written; also aggregates (`distinct`, `filter`,
    `within_group`, `on_null`) and window aggregates (`over`). Special forms of functions come as plain calls with
    positional arguments:

    - `EXTRACT(u FROM x)`: EXTRACT(Keyword u, x); `FLOOR(x TO u)`, `CEIL(x TO u)`: FLOOR(x, Keyword u)
    - `TRIM([BOTH|LEADING|TRAILING] [c] FROM s)`, `TRIM(s)`: TRIM(Keyword BOTH|LEADING|TRAILING, c, s), always
      three arguments, c is `' '` when not written
    - `POSITION(a IN b)`: POSITION(a, b); `SUBSTRING(s FROM a FOR b)`: SUBSTRING(s, a, b);
      `OVERLAY(s PLACING r FROM a FOR b)`: OVERLAY(s, r, a, b)
    - `TIMESTAMPADD(u, n, t)`, `TIMESTAMPDIFF(u, a, b)`: first argument `Keyword` u
    - `CURRENT_TIMESTAMP`, `LOCALTIME` and the like, without parentheses: `Call` with `bare=True`
    - `COUNT(*)`: COUNT(AllColumns without qualifier); `GROUP_ID()`, `GROUPING(a, b)`: calls
    - an argument `f(x => 1)` is `NamedArgument`; `f(DEFAULT)` is `Keyword("DEFAULT")`; `TABLE t` is `TableArgument`,
      `DESCRIPTOR(a)` is `Descriptor`; a subquery as an argument is `exp.Subquery`

    `JsonValue`, `JsonQuery`, `JsonExists`, `JsonObject`, `JsonArray` have nodes of their own for their clauses;
    JSON_OBJECTAGG and JSON_ARRAYAGG are `Call` with `on_null`.
Types:
    `TypeSpec`.
"""

from compiled_plan.planner.sql.nodes.base import Node
from compiled_plan.planner.sql.nodes.calls import (
    Call,
    Descriptor,
    Frame,
    FrameBound,
    JsonArray,
    JsonExists,
    JsonObject,
    JsonPair,
    JsonQuery,
    JsonValue,
    NamedArgument,
    NamedWindow,
    TableArgument,
    WindowSpec,
)
from compiled_plan.planner.sql.nodes.literals import (
    AllColumns,
    ArrayValue,
    BinaryLiteral,
    ColumnRef,
    FieldAccess,
    IntervalLiteral,
    IntervalQualifier,
    ItemAccess,
    Keyword,
    MapValue,
    QueryConstructor,
    RowValue,
    TypedLiteral,
)
from compiled_plan.planner.sql.nodes.operators import IsDistinctFrom, IsPredicate, Like, Overlaps, Plus, Quantified
from compiled_plan.planner.sql.nodes.queries import Cube, GroupBy, GroupingSets, HintOption, Rollup, TableHint
from compiled_plan.planner.sql.nodes.relations import (
    BoundRelation,
    Join,
    MatchRecognize,
    TableFunction,
    TableRef,
    Unnest,
)
from compiled_plan.planner.sql.nodes.types import TypeField, TypeSpec

__all__ = [
    "AllColumns",
    "ArrayValue",
    "BinaryLiteral",
    "BoundRelation",
    "Call",
    "ColumnRef",
    "Cube",
    "Descriptor",
    "FieldAccess",
    "Frame",
    "FrameBound",
    "GroupBy",
    "GroupingSets",
    "HintOption",
    "IntervalLiteral",
    "IntervalQualifier",
    "IsDistinctFrom",
    "IsPredicate",
    "ItemAccess",
    "Join",
    "JsonArray",
    "JsonExists",
    "JsonObject",
    "JsonPair",
    "JsonQuery",
    "JsonValue",
    "Keyword",
    "Like",
    "MapValue",
    "MatchRecognize",
    "NamedArgument",
    "NamedWindow",
    "Node",
    "Overlaps",
    "Plus",
    "Quantified",
    "QueryConstructor",
    "Rollup",
    "RowValue",
    "TableArgument",
    "TableFunction",
    "TableHint",
    "TableRef",
    "TypeField",
    "TypeSpec",
    "TypedLiteral",
    "Unnest",
    "WindowSpec",
]
