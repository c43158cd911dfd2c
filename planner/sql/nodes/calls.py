"""Function calls, their arguments and windows, and the JSON functions."""

from __future__ import annotations

from compiled_plan.planner.sql.nodes.base import Expression, Identifier, Named, Node, Relation, node
from compiled_plan.planner.sql.nodes.clauses import OrderBy
from compiled_plan.planner.sql.nodes.types import TypeSpec


@node
class Call(Named, Expression):
    """A call of a function, built in or not; also of an aggregate or window function.

    Functions with a grammar of their own are plain calls with arguments by position: EXTRACT(unit, x),
    FLOOR(x, unit), TRIM(flag, characters, x), POSITION(a, b), SUBSTRING(s, from, for), OVERLAY(s, r, from, for),
    TIMESTAMPADD(unit, n, t), where units and flags are `Keyword`s.

    Attributes:
        arguments: in order; COUNT(*) has `AllColumns`.
        distinct: DISTINCT before the arguments.
        nulls: "IGNORE" or "RESPECT" of IGNORE NULLS and RESPECT NULLS; else empty.
        order: ORDER BY inside the parentheses.
        on_null: "NULL" or "ABSENT" of JSON aggregates.
        within_group: WITHIN GROUP (ORDER BY ...).
        filter: the condition of FILTER (WHERE ...).
        over: the window, or the name of one.
        bare: written without parentheses.
    """

    arguments: tuple[Expression, ...] = ()
    distinct: bool = False
    nulls: str = ""
    order: OrderBy | None = None
    on_null: str | None = None
    within_group: OrderBy | None = None
    filter: Expression | None = None
    over: WindowSpec | Identifier | None = None
    bare: bool = False

    @property
    def name(self) -> str:
        """The last part of the name, in capitals (function names are case-insensitive)."""
        return self.parts[-1].name.upper()


@node
class NamedArgument(Expression):
    """A named argument of a call: `name` => `value`."""

    identifier: Identifier
    value: Expression

    @property
    def name(self) -> str:
        """The argument's name as written."""
        return self.identifier.name


@node
class TableArgument(Expression):
    """TABLE t, or a query in parentheses, [PARTITION BY a, b] [ORDER BY c] as an argument of a table function."""

    table: Relation | Expression
    partition_by: tuple[Expression, ...] = ()
    order: OrderBy | None = None


@node
class Descriptor(Expression):
    """Columns as an argument of a table function: DESCRIPTOR(a, b)."""

    columns: tuple[Identifier, ...]


@node
class FrameBound(Node):
    """One end of a frame.

    `kind`: "UNBOUNDED PRECEDING", "PRECEDING", "CURRENT ROW", "FOLLOWING" or "UNBOUNDED FOLLOWING"; `offset` of
    PRECEDING and FOLLOWING.
    """

    kind: str
    offset: Expression | None = None


@node
class Frame(Node):
    """ROWS|RANGE BETWEEN `start` AND `end`; the end is None if only one end is written (it is then CURRENT ROW)."""

    unit: str
    start: FrameBound
    end: FrameBound | None = None


@node
class WindowSpec(Node):
    """OVER (...), or the body of WINDOW w AS (...); `base` is the named window that it extends."""

    base: Identifier | None = None
    partition_by: tuple[Expression, ...] = ()
    order: OrderBy | None = None
    frame: Frame | None = None


@node
class NamedWindow(Node):
    """A named window of OVER clauses: WINDOW `name` AS (`spec`)."""

    name: Identifier
    spec: WindowSpec


@node
class JsonBehavior(Node):
    """`value` ON `event` of JSON_VALUE: "NULL", "ERROR", or an expression for DEFAULT, ON EMPTY or ERROR."""

    value: str | Expression
    event: str


@node
class JsonValue(Expression):
    """JSON_VALUE(operand, path [RETURNING type] [behaviors]), the behaviors in the order of the text."""

    operand: Expression
    path: Expression
    returning: TypeSpec | None = None
    behaviors: tuple[JsonBehavior, ...] = ()


@node
class JsonQuery(Expression):
    """JSON_QUERY, with "WITHOUT ARRAY", "WITH CONDITIONAL ARRAY" or "WITH UNCONDITIONAL ARRAY" as wrapper.

    A behaviour is "NULL", "ERROR", "EMPTY ARRAY" or "EMPTY OBJECT".
    """

    operand: Expression
    path: Expression
    returning: TypeSpec | None = None
    wrapper: str | None = None
    on_empty: str | None = None
    on_error: str | None = None


@node
class JsonExists(Expression):
    """JSON_EXISTS; a behaviour is "TRUE", "FALSE", "UNKNOWN" or "ERROR"."""

    operand: Expression
    path: Expression
    on_error: str | None = None


@node
class JsonPair(Node):
    """KEY `key` VALUE `value` of JSON_OBJECT."""

    key: Expression
    value: Expression


@node
class JsonObject(Expression):
    """JSON_OBJECT; `on_null` is "NULL" or "ABSENT"."""

    pairs: tuple[JsonPair, ...]
    on_null: str | None = None


@node
class JsonArray(Expression):
    """JSON_ARRAY; `on_null` is "NULL" or "ABSENT"."""

    items: tuple[Expression, ...]
    on_null: str | None = None
