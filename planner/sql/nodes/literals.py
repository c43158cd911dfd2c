"""Names, literals and the constructors of rows, arrays and maps."""

from __future__ import annotations

from typing import ClassVar, cast

from sqlglot import exp

from compiled_plan.planner.sql.nodes.base import Named, Node


class ColumnRef(Named):
    """A dotted name in an expression: `a`, `t.a`, `t.row.field`. Args: `parts`."""

    arg_types: ClassVar[dict[str, bool]] = {"parts": True}

    @property
    def name(self) -> str:
        """The last part: the output name of the column when it is selected without alias."""
        return self.parts[-1].name


class AllColumns(Named):
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
