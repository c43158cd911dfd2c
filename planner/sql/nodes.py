"""The vocabulary of a parsed query: every kind of node that the parser gives to the binder.

A query is a tree of sqlglot expressions. Only the classes listed here appear in it; a binder that
dispatches over this list is complete. The parser resolves nothing: names, functions and types are as
written. Parentheses leave no node of their own (the tree has the precedence), except around queries.

**Positions.** Every node has `meta["start"]` and `meta["end"]`: character offsets into the script, from the
first character of the node to one past its last; `meta["line"]` and `meta["col"]`, both from 1, say where it
starts. `planner.sql.position` renders them. Children of a node are in `node.args[...]`, or in the typed
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

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "AllColumns",
    "ArrayValue",
    "BinaryLiteral",
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


class Node(exp.Expression):
    """Base of the nodes that this dialect adds to sqlglot's."""

    arg_types: ClassVar[dict[str, bool]] = {}

    def _node(self, key: str) -> exp.Expr:
        return cast("exp.Expr", self.args[key])

    def _maybe(self, key: str) -> exp.Expr | None:
        return cast("exp.Expr | None", self.args.get(key))

    def _list(self, key: str = "expressions") -> list[exp.Expr]:
        return cast("list[exp.Expr]", self.args.get(key) or [])

    def _str(self, key: str) -> str:
        return cast(str, self.args.get(key) or "")

    def _flag(self, key: str) -> bool:
        return bool(self.args.get(key))


class _Named(Node):
    """A node that holds a dotted name in `parts`."""

    @property
    def parts(self) -> list[exp.Identifier]:
        """The identifiers of the name, as written, outermost first."""
        return cast("list[exp.Identifier]", self._list("parts"))

    @property
    def names(self) -> tuple[str, ...]:
        """The name as strings, case kept."""
        return tuple(part.name for part in self.parts)


# --- names and literals ---------------------------------------------------------------------------------------------


class ColumnRef(_Named):
    """A dotted name in an expression: `a`, `t.a`, `t.row.field`. Args: `parts`."""

    arg_types: ClassVar[dict[str, bool]] = {"parts": True}

    @property
    def name(self) -> str:
        """The last part: the output name of the column when it is selected without alias."""
        return self.parts[-1].name


class AllColumns(_Named):
    """`*`, or `t.*` with the qualifier in `parts`; also the argument of COUNT(*). Args: `parts`."""

    arg_types: ClassVar[dict[str, bool]] = {"parts": False}


class TypedLiteral(Node):
    """DATE '...', TIME '...', TIMESTAMP '...'. Args: `kind` ("DATE" and so on), `value` (the text)."""

    arg_types: ClassVar[dict[str, bool]] = {"kind": True, "value": True}

    @property
    def kind(self) -> str:
        """ "DATE", "TIME" or "TIMESTAMP"."""
        return self._str("kind")

    @property
    def value(self) -> str:
        """The text between the quotes."""
        return self._str("value")


class BinaryLiteral(Node):
    """x'AB01'. Args: `value` (hexadecimal digits, an even number)."""

    arg_types: ClassVar[dict[str, bool]] = {"value": True}

    @property
    def value(self) -> str:
        """The hexadecimal digits."""
        return self._str("value")


class IntervalQualifier(Node):
    """The unit of an interval: DAY, YEAR(4) TO MONTH, DAY(2) TO SECOND(3).

    Args: `start`, `end` (unit names, `end` absent for a single unit), `precision` (of the start unit, int),
    `scale` (of seconds, int).
    """

    arg_types: ClassVar[dict[str, bool]] = {"start": True, "end": False, "precision": False, "scale": False}

    @property
    def start(self) -> str:
        """The first unit, in capitals: YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE, SECOND."""
        return self._str("start")

    @property
    def end(self) -> str | None:
        """The second unit, or None."""
        return cast("str | None", self.args.get("end"))

    @property
    def precision(self) -> int | None:
        """Digits of the first unit, or None when not written."""
        return cast("int | None", self.args.get("precision"))

    @property
    def scale(self) -> int | None:
        """Fractional digits of the seconds, or None when not written."""
        return cast("int | None", self.args.get("scale"))


class IntervalLiteral(Node):
    """INTERVAL [+|-] '...' unit. Args: `value` (the text), `negative`, `unit` (`IntervalQualifier`).

    INTERVAL expr unit (a number or an expression in place of the string) has `expression` in place of `value`.
    """

    arg_types: ClassVar[dict[str, bool]] = {
        "value": False,
        "expression": False,
        "negative": False,
        "unit": True,
    }

    @property
    def value(self) -> str:
        """The text between the quotes (it may hold a sign of its own)."""
        return self._str("value")

    @property
    def negative(self) -> bool:
        """Whether a minus stood before the text."""
        return self._flag("negative")

    @property
    def unit(self) -> IntervalQualifier:
        """The unit."""
        return cast(IntervalQualifier, self._node("unit"))


class Keyword(Node):
    """A word that is not a value: a time unit, a trim flag, DEFAULT. Args: `this` (in capitals)."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True}

    @property
    def name(self) -> str:
        """The word in capitals."""
        return self._str("this")


# --- operators and predicates ---------------------------------------------------------------------------------------


class Plus(Node):
    """Unary plus. Args: `this`."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True}


class Overlaps(Node):
    """(a, b) OVERLAPS (c, d) and the other period predicates. Args: `this`, `expression`, `kind`.

    `kind`: "OVERLAPS", "CONTAINS", "EQUALS", "PRECEDES", "SUCCEEDS", "IMMEDIATELY PRECEDES" or
    "IMMEDIATELY SUCCEEDS"; the operands are `RowValue`s of two.
    """

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "expression": True, "kind": True}

    @property
    def kind(self) -> str:
        """The predicate in capitals."""
        return self._str("kind")


class IsPredicate(Node):
    """`this` IS [NOT] `kind`. Args: `this`, `kind`, `negated`.

    `kind`: "NULL", "TRUE", "FALSE", "UNKNOWN", "JSON VALUE", "JSON OBJECT", "JSON ARRAY", "JSON SCALAR"
    (`IS JSON` alone is "JSON VALUE").
    """

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "kind": True, "negated": False}

    @property
    def kind(self) -> str:
        """What is tested, in capitals."""
        return self._str("kind")

    @property
    def negated(self) -> bool:
        """Whether NOT was written."""
        return self._flag("negated")


class IsDistinctFrom(Node):
    """`this` IS [NOT] DISTINCT FROM `expression`. Args: `this`, `expression`, `negated`."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "expression": True, "negated": False}

    @property
    def negated(self) -> bool:
        """Whether NOT was written."""
        return self._flag("negated")


class Like(Node):
    """`this` LIKE|SIMILAR TO `pattern` [ESCAPE `escape`]. Args: `this`, `pattern`, `escape`, `kind`."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "pattern": True, "escape": False, "kind": True}

    @property
    def pattern(self) -> exp.Expr:
        """The pattern."""
        return self._node("pattern")

    @property
    def escape(self) -> exp.Expr | None:
        """The escape character, or None."""
        return self._maybe("escape")

    @property
    def kind(self) -> str:
        """ "LIKE" or "SIMILAR TO"."""
        return self._str("kind")


class Quantified(Node):
    """`this` op ANY|ALL (query or list). Args: `this`, `op`, `quantifier`, `query` or `expressions`."""

    arg_types: ClassVar[dict[str, bool]] = {
        "this": True,
        "op": True,
        "quantifier": True,
        "query": False,
        "expressions": False,
    }

    @property
    def op(self) -> str:
        """ "=", "<>", "<", "<=", ">" or ">="."""
        return self._str("op")

    @property
    def quantifier(self) -> str:
        """ "ANY" (SOME is ANY) or "ALL"."""
        return self._str("quantifier")

    @property
    def query(self) -> exp.Expr | None:
        """The subquery, or None for a list of values."""
        return self._maybe("query")


# --- values ---------------------------------------------------------------------------------------------------------


class RowValue(Node):
    """ROW(a, b) or (a, b) or one row of VALUES. Args: `expressions`, `explicit` (ROW was written)."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": False, "explicit": False}


class ArrayValue(Node):
    """ARRAY[a, b]. Args: `expressions`."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": False}


class MapValue(Node):
    """MAP['k', 1, 'l', 2]. Args: `expressions`: keys and values in turn."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": False}


class QueryConstructor(Node):
    """ARRAY(query), MAP(query), MULTISET(query), CURSOR(query). Args: `kind`, `query`."""

    arg_types: ClassVar[dict[str, bool]] = {"kind": True, "query": True}


class ItemAccess(Node):
    """`this`[`item`]. Args: `this`, `item`."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "item": True}

    @property
    def item(self) -> exp.Expr:
        """The key of the map or the position in the array (from 1)."""
        return self._node("item")


class FieldAccess(Node):
    """`this`.`field`, where `this` is no plain name. Args: `this`, `field` (`exp.Identifier` or `AllColumns`)."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "field": True}

    @property
    def field(self) -> exp.Expr:
        """The field's identifier."""
        return self._node("field")


# --- calls ----------------------------------------------------------------------------------------------------------


class Call(_Named):
    """A function call.

    Args: `parts` (name as written, 1 to 3 identifiers), `expressions` (arguments), `distinct`, `bare` (written
    without parentheses), `filter` (expr of FILTER (WHERE ...)), `within_group` (`exp.Order`), `order` (`exp.Order`
    inside the parentheses), `nulls` ("IGNORE" or "RESPECT"), `on_null` ("NULL" or "ABSENT", JSON aggregates),
    `over` (`WindowSpec` or `exp.Identifier` of a named window).
    """

    arg_types: ClassVar[dict[str, bool]] = {
        "parts": True,
        "expressions": False,
        "distinct": False,
        "bare": False,
        "filter": False,
        "within_group": False,
        "order": False,
        "nulls": False,
        "on_null": False,
        "over": False,
    }

    @property
    def name(self) -> str:
        """The last part of the name, in capitals (function names know no case)."""
        return self.parts[-1].name.upper()

    @property
    def arguments(self) -> list[exp.Expr]:
        """The arguments in order."""
        return self._list()

    @property
    def distinct(self) -> bool:
        """Whether DISTINCT stood before the arguments."""
        return self._flag("distinct")

    @property
    def filter(self) -> exp.Expr | None:
        """The condition of FILTER (WHERE ...), or None."""
        return self._maybe("filter")

    @property
    def over(self) -> exp.Expr | None:
        """`WindowSpec`, `exp.Identifier`, or None when this is no window aggregate."""
        return self._maybe("over")


class NamedArgument(Node):
    """`name` => `this`. Args: `name_` (`exp.Identifier`), `this`."""

    arg_types: ClassVar[dict[str, bool]] = {"name_": True, "this": True}

    @property
    def name(self) -> str:
        """The argument's name as written."""
        return self._node("name_").name


class TableArgument(Node):
    """TABLE t, or (query), [PARTITION BY a, b] [ORDER BY c] as an argument of a table function.

    Args: `this` (`TableRef` or `exp.Subquery`), `partition_by` (list), `order` (`exp.Order` or None).
    """

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "partition_by": False, "order": False}

    @property
    def partition_by(self) -> list[exp.Expr]:
        """The partition expressions, or an empty list."""
        return self._list("partition_by")


class Descriptor(Node):
    """DESCRIPTOR(a, b). Args: `expressions` (list of `exp.Identifier`)."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": True}


class FrameBound(Node):
    """One end of a frame. Args: `kind`, `this` (offset, or None).

    `kind`: "UNBOUNDED PRECEDING", "PRECEDING", "CURRENT ROW", "FOLLOWING" or "UNBOUNDED FOLLOWING".
    """

    arg_types: ClassVar[dict[str, bool]] = {"kind": True, "this": False}

    @property
    def kind(self) -> str:
        """The bound in capitals."""
        return self._str("kind")


class Frame(Node):
    """ROWS|RANGE BETWEEN `start` AND `end`. Args: `unit` ("ROWS" or "RANGE"), `start`, `end` (None: not written)."""

    arg_types: ClassVar[dict[str, bool]] = {"unit": True, "start": True, "end": False}

    @property
    def unit(self) -> str:
        """ "ROWS" or "RANGE"."""
        return self._str("unit")

    @property
    def start(self) -> FrameBound:
        """The lower end."""
        return cast(FrameBound, self._node("start"))

    @property
    def end(self) -> FrameBound | None:
        """The upper end; None when only one end was written (it is then CURRENT ROW)."""
        return cast("FrameBound | None", self._maybe("end"))


class WindowSpec(Node):
    """OVER (...) or the body of WINDOW w AS (...).

    Args: `base` (`exp.Identifier` of a named window it starts from), `partition_by` (list), `order` (`exp.Order` or
    None), `frame` (`Frame` or None).
    """

    arg_types: ClassVar[dict[str, bool]] = {
        "base": False,
        "partition_by": False,
        "order": False,
        "frame": False,
    }

    @property
    def partition_by(self) -> list[exp.Expr]:
        """The partition expressions."""
        return self._list("partition_by")

    @property
    def frame(self) -> Frame | None:
        """The frame, or None when not written."""
        return cast("Frame | None", self._maybe("frame"))


class NamedWindow(Node):
    """WINDOW `name` AS (`spec`). Args: `this` (`exp.Identifier`), `spec` (`WindowSpec`)."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "spec": True}

    @property
    def spec(self) -> WindowSpec:
        """The window."""
        return cast(WindowSpec, self._node("spec"))


class JsonValue(Node):
    """JSON_VALUE(this, path [RETURNING type] [behaviour ON EMPTY] [behaviour ON ERROR]).

    Args: `this`, `path`, `returning` (`TypeSpec` or None), `on_empty` and `on_error` (None, "NULL", "ERROR", or an
    expression for DEFAULT expr).
    """

    arg_types: ClassVar[dict[str, bool]] = {
        "this": True,
        "path": True,
        "returning": False,
        "on_empty": False,
        "on_error": False,
    }


class JsonQuery(Node):
    """JSON_QUERY. Args: as `JsonValue`, and `wrapper`.

    `wrapper`: None, "WITHOUT ARRAY", "WITH CONDITIONAL ARRAY" or "WITH UNCONDITIONAL ARRAY"; `on_empty`, `on_error`:
    None, "NULL", "ERROR", "EMPTY ARRAY" or "EMPTY OBJECT".
    """

    arg_types: ClassVar[dict[str, bool]] = {
        "this": True,
        "path": True,
        "returning": False,
        "wrapper": False,
        "on_empty": False,
        "on_error": False,
    }


class JsonExists(Node):
    """JSON_EXISTS. Args: `this`, `path`, `on_error` (None, "TRUE", "FALSE", "UNKNOWN" or "ERROR")."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "path": True, "on_error": False}


class JsonPair(Node):
    """KEY `this` VALUE `value` of JSON_OBJECT. Args: `this`, `value`, `format_json`."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "value": True}


class JsonObject(Node):
    """JSON_OBJECT. Args: `expressions` (list of `JsonPair`), `on_null` (None, "NULL" or "ABSENT")."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": False, "on_null": False}


class JsonArray(Node):
    """JSON_ARRAY. Args: `expressions`, `on_null` (None, "NULL" or "ABSENT")."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": False, "on_null": False}


# --- queries --------------------------------------------------------------------------------------------------------


class GroupBy(Node):
    """GROUP BY. Args: `expressions`: expressions, `GroupingSets`, `Rollup`, `Cube`, or `RowValue`.

    A `RowValue` (not `explicit`) among them is a set of columns: `()` the empty set, `(a, b)` the same as `a, b`.
    """

    arg_types: ClassVar[dict[str, bool]] = {"expressions": True, "distinct": False}


class GroupingSets(Node):
    """GROUPING SETS (...). Args: `expressions`: as in `GroupBy`."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": True}


class Rollup(Node):
    """ROLLUP (...). Args: `expressions`: expressions or `RowValue` for a set of columns."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": True}


class Cube(Node):
    """CUBE (...). Args: `expressions`: expressions or `RowValue` for a set of columns."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": True}


class HintOption(Node):
    """'key' = 'value' in a hint. Args: `key_`, `value` (text)."""

    arg_types: ClassVar[dict[str, bool]] = {"key_": True, "value": True}

    @property
    def option(self) -> str:
        """The key as written."""
        return self._str("key_")

    @property
    def value(self) -> str:
        """The value as written."""
        return self._str("value")


class TableHint(Node):
    """One hint of `/*+ ... */`. Args: `this` (`exp.Identifier`), `options` (list of `HintOption`), `expressions`.

    `options` of STATE_TTL('a'='1s'), OPTIONS('k'='v'), LOOKUP(...); `expressions`: the names of BROADCAST(a, b),
    each an `exp.Identifier` or `exp.Literal`.
    """

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "options": False, "expressions": False}

    @property
    def name(self) -> str:
        """The hint's name in capitals."""
        return self._node("this").name.upper()

    @property
    def options(self) -> dict[str, str]:
        """The key-value options; the last of equal keys wins."""
        options = cast("Sequence[HintOption]", self._list("options"))
        return {option.option: option.value for option in options}

    @property
    def arguments(self) -> list[str]:
        """The names of a hint without values."""
        return [argument.name for argument in self._list()]


# --- relations ------------------------------------------------------------------------------------------------------


class _Aliased(Node):
    """A relation that may have an alias."""

    @property
    def table_alias(self) -> exp.TableAlias | None:
        """The alias with its columns, or None."""
        return cast("exp.TableAlias | None", self._maybe("alias"))

    @property
    def lateral(self) -> bool:
        """Whether LATERAL was written."""
        return self._flag("lateral")


class TableRef(_Aliased, _Named):
    """A table or view by name. Args: `parts`, `hints`, `as_of`, `alias`."""

    arg_types: ClassVar[dict[str, bool]] = {"parts": True, "hints": False, "as_of": False, "alias": False}

    @property
    def hints(self) -> list[TableHint]:
        """The hints after the name."""
        return cast("list[TableHint]", self._list("hints"))

    @property
    def as_of(self) -> exp.Expr | None:
        """The expression of FOR SYSTEM_TIME AS OF, or None."""
        return self._maybe("as_of")


class Unnest(_Aliased):
    """UNNEST(...) [WITH ORDINALITY]. Args: `expressions`, `ordinality`, `lateral`, `alias`."""

    arg_types: ClassVar[dict[str, bool]] = {
        "expressions": True,
        "ordinality": False,
        "lateral": False,
        "alias": False,
    }

    @property
    def ordinality(self) -> bool:
        """Whether WITH ORDINALITY was written."""
        return self._flag("ordinality")


class TableFunction(_Aliased):
    """A table function in FROM. Args: `call`, `form`, `lateral`, `alias`, `hints`."""

    arg_types: ClassVar[dict[str, bool]] = {
        "call": True,
        "form": False,
        "lateral": False,
        "alias": False,
        "hints": False,
    }

    @property
    def call(self) -> Call:
        """The call."""
        return cast(Call, self._node("call"))

    @property
    def form(self) -> str:
        """ "LATERAL TABLE", "TABLE" or ""."""
        return self._str("form")


class Join(Node):
    """Two relations joined. Args: `left`, `right`, `kind`, `natural`, `on`, `using` (see the module)."""

    arg_types: ClassVar[dict[str, bool]] = {
        "left": True,
        "right": True,
        "kind": True,
        "natural": False,
        "on": False,
        "using": False,
    }

    @property
    def left(self) -> exp.Expr:
        """The left relation."""
        return self._node("left")

    @property
    def right(self) -> exp.Expr:
        """The right relation."""
        return self._node("right")

    @property
    def kind(self) -> str:
        """ "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "COMMA", "LEFT SEMI" or "LEFT ANTI"."""
        return self._str("kind")

    @property
    def natural(self) -> bool:
        """Whether NATURAL was written."""
        return self._flag("natural")

    @property
    def on(self) -> exp.Expr | None:
        """The condition, or None."""
        return self._maybe("on")

    @property
    def using(self) -> list[exp.Identifier]:
        """The columns of USING, or an empty list."""
        return cast("list[exp.Identifier]", self._list("using"))


class MatchRecognize(_Aliased):
    """`this` MATCH_RECOGNIZE (...).

    Args: `this` (relation), `partition_by` (list), `order` (`exp.Order`), `measures` (list of `exp.Alias`), `rows`
    ("ONE ROW PER MATCH", "ALL ROWS PER MATCH" or None), `after` (text of AFTER MATCH in capitals, or None),
    `after_variable` (`exp.Identifier` or None), `pattern` (text of the pattern), `pattern_strict_start`, `within`
    (expr or None), `subset` (list of `exp.Alias` over `RowValue`), `define` (list of `exp.Alias`), `alias`.
    """

    arg_types: ClassVar[dict[str, bool]] = {
        "this": True,
        "partition_by": False,
        "order": False,
        "measures": False,
        "rows": False,
        "after": False,
        "after_variable": False,
        "pattern": True,
        "within": False,
        "subset": False,
        "define": True,
        "alias": False,
    }


# --- types ----------------------------------------------------------------------------------------------------------


class TypeField(Node):
    """A field of ROW<...> or STRUCTURED<...>. Args: `this` (`exp.Identifier`), `kind` (`TypeSpec`), `comment`."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "kind": True, "comment": False}

    @property
    def kind(self) -> TypeSpec:
        """The field's type."""
        return cast(TypeSpec, self._node("kind"))

    @property
    def comment(self) -> str | None:
        """The comment, or None."""
        return cast("str | None", self.args.get("comment"))


class TypeSpec(Node):
    """A data type as written, its synonyms made one.

    Args:
        `root`: CHAR, VARCHAR, STRING, BOOLEAN, BINARY, VARBINARY, BYTES, DECIMAL, TINYINT, SMALLINT, INT, BIGINT,
            FLOAT, DOUBLE, DATE, TIME, TIMESTAMP, TIMESTAMP_LTZ, INTERVAL, ARRAY, MULTISET, MAP, ROW, STRUCTURED,
            RAW, NULL, VARIANT, BITMAP, DESCRIPTOR, or USER (a type by name, in `parts`).
        `parameters`: list of int: length, precision, scale; empty when not written.
        `expressions`: children: the element of ARRAY and MULTISET, key and value of MAP.
        `fields`: list of `TypeField` of ROW and STRUCTURED.
        `unit`: `IntervalQualifier` of INTERVAL.
        `class_name`, `snapshot`: texts of STRUCTURED and RAW.
        `parts`: identifiers of a USER type.
        `nullable`: False after NOT NULL, True after NULL, None when neither was written (then it is nullable).
    """

    arg_types: ClassVar[dict[str, bool]] = {
        "root": True,
        "parameters": False,
        "expressions": False,
        "fields": False,
        "unit": False,
        "class_name": False,
        "snapshot": False,
        "parts": False,
        "nullable": False,
    }

    @property
    def root(self) -> str:  # type: ignore[override]
        """The type's root, in capitals."""
        return self._str("root")

    @property
    def parameters(self) -> list[int]:
        """Length, or precision and scale, as written."""
        return cast("list[int]", self.args.get("parameters") or [])

    @property
    def children(self) -> list[TypeSpec]:
        """Element, or key and value."""
        return cast("list[TypeSpec]", self._list())

    @property
    def fields(self) -> list[TypeField]:
        """The fields of ROW and STRUCTURED."""
        return cast("list[TypeField]", self._list("fields"))

    @property
    def unit(self) -> IntervalQualifier | None:
        """The unit of INTERVAL."""
        return cast("IntervalQualifier | None", self._maybe("unit"))

    @property
    def class_name(self) -> str:
        """The class name of STRUCTURED and RAW."""
        return self._str("class_name")

    @property
    def nullable(self) -> bool | None:
        """False after NOT NULL, True after NULL, None when neither was written."""
        return cast("bool | None", self.args.get("nullable"))
