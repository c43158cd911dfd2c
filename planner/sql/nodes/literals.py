"""Names, literals and the constructors of rows, arrays and maps."""

from __future__ import annotations

from typing import Literal

from compiled_plan.planner.sql.nodes.base import Expression, Identifier, Named, Node, node
from compiled_plan.planner.sql.nodes.clauses import QueryNode


@node
class ColumnRef(Named, Expression):
    """A dotted name in an expression: `a`, `t.a`, `t.row.field`.

    The binder decides which parts are tables, columns and fields.
    """

    @property
    def name(self) -> str:
        """The last part: the output name of the column if it is selected without alias."""
        return self.parts[-1].name


@node
class AllColumns(Named, Expression):
    """`*`, or `t.*` with the qualifier in `parts`; also the argument of COUNT(*)."""

    parts: tuple[Identifier, ...] = ()


@node
class Constant(Expression):
    """A character string, its escapes resolved, or a number as written."""

    text: str
    is_string: bool = False


@node
class TruthValue(Expression):
    """TRUE, FALSE or UNKNOWN (None)."""

    value: bool | None


@node
class Null(Expression):
    """The literal NULL, without a type."""


@node
class TypedLiteral(Expression):
    """DATE '...', TIME '...', TIMESTAMP [WITH LOCAL TIME ZONE] '...': the words before the quotes, the text in them."""

    kind: str
    value: str


@node
class BinaryLiteral(Expression):
    """x'AB01': an even number of hexadecimal digits."""

    value: str


@node
class IntervalQualifier(Node):
    """The unit of an interval: DAY, YEAR(4) TO MONTH, DAY(2) TO SECOND(3).

    Attributes:
        start: the first unit, in capitals and singular.
        end: the second unit, or None.
        precision: digits of the first unit, or None when not written.
        scale: fractional digits of the seconds, or None when not written.
    """

    start: str
    end: str | None = None
    precision: int | None = None
    scale: int | None = None


@node
class IntervalLiteral(Expression):
    """INTERVAL [+|-] amount unit. The amount is the text in quotes (with a sign of its own), or an expression."""

    amount: str | Expression
    unit: IntervalQualifier
    negative: bool = False


@node
class Difference(Expression):
    """(`left` - `right`) `unit`: the interval between two points in time."""

    left: Expression
    right: Expression
    unit: IntervalQualifier


@node
class Keyword(Expression):
    """A word in capitals that is an argument but no value: a time unit, a trim flag, DEFAULT."""

    word: str


@node
class RowValue(Expression):
    """ROW(a, b) (`explicit`), (a, b), or one row of VALUES. In GROUP BY (a, b) and () are sets of columns."""

    items: tuple[Expression, ...]
    explicit: bool = False


@node
class Collection(Expression):
    """ARRAY[a, b], or MAP['k', 1, 'l', 2] with keys and values in turn."""

    kind: Literal["ARRAY", "MAP"]
    items: tuple[Expression, ...]


@node
class QueryConstructor(Expression):
    """A collection of a query's rows: ARRAY(query), MAP(query), MULTISET(query)."""

    kind: str
    query: QueryNode


@node
class ItemAccess(Expression):
    """`operand`[`item`]: a key of a map, a position in an array (from 1), a place or name in a row."""

    operand: Expression
    item: Expression


@node
class FieldAccess(Expression):
    """`operand`.`field` of an operand other than a plain name; `(r).*` with `AllColumns`."""

    operand: Expression
    field: Identifier | AllColumns
