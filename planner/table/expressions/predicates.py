"""Operators, comparisons and conditions.

Source: Flink docs, "System (Built-in) Functions", comparison, logical and arithmetic functions of the Table API.
"""

from __future__ import annotations

from typing import Self

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.table.building.nodes import Sum
from compiled_plan.planner.table.building.planned import PlannedTable
from compiled_plan.planner.table.building.python_literals import node_of
from compiled_plan.planner.table.expressions.core import Operand, as_property, refuse, shown_of, text_of
from compiled_plan.planner.table.expressions.units import JsonType, keyword_of


class Predicates(Operand):
    """`==`, `<`, `&`, `+`, `.is_null`, `.between` and the like."""

    __slots__ = ()

    __hash__ = object.__hash__

    # --- comparisons

    def __eq__(self, other: object) -> Self:  # type: ignore[override]
        return self._compared("=", other, sign="==")

    def __ne__(self, other: object) -> Self:  # type: ignore[override]
        return self._compared("<>", other, sign="!=")

    def __lt__(self, other: object) -> Self:
        return self._compared("<", other)

    def __le__(self, other: object) -> Self:
        return self._compared("<=", other)

    def __gt__(self, other: object) -> Self:
        return self._compared(">", other)

    def __ge__(self, other: object) -> Self:
        return self._compared(">=", other)

    def _compared(self, operator: str, right: object, *, sign: str = "") -> Self:
        if right is None:
            remedy = f"write {text_of(self)}.{'is_not_null' if sign == '!=' else 'is_null'}"
            raise refuse(f"{text_of(self)} {sign or operator} None is never true", remedy)
        return self._binary(operator, right, sign=sign)

    def is_equal(self, other: object) -> Self:
        """`=`; the same as `==`."""
        return self == other

    def is_not_equal(self, other: object) -> Self:
        """`<>`; the same as `!=`."""
        return self != other

    def is_less(self, other: object) -> Self:
        """The operator `<`; NULL if a side is NULL."""
        return self < other

    def is_less_or_equal(self, other: object) -> Self:
        """The operator `<=`; NULL if a side is NULL."""
        return self <= other

    def is_greater(self, other: object) -> Self:
        """The operator `>`; NULL if a side is NULL."""
        return self > other

    def is_greater_or_equal(self, other: object) -> Self:
        """The operator `>=`; NULL if a side is NULL."""
        return self >= other

    def is_distinct_from(self, other: object) -> Self:
        """IS DISTINCT FROM: null-safe inequality, in which NULL equals NULL."""
        node = ast.Binary("IS DISTINCT FROM", self._node, node_of(other))
        return self._method(node, "is_distinct_from", other)

    def is_not_distinct_from(self, other: object) -> Self:
        """IS NOT DISTINCT FROM: null-safe equality, in which NULL equals NULL."""
        node = ast.Binary("IS NOT DISTINCT FROM", self._node, node_of(other))
        return self._method(node, "is_not_distinct_from", other)

    def between(self, lower_bound: object, upper_bound: object) -> Self:
        """BETWEEN two bounds, both inclusive."""
        node = ast.Between(self._node, node_of(lower_bound), node_of(upper_bound))
        return self._method(node, "between", lower_bound, upper_bound)

    def not_between(self, lower_bound: object, upper_bound: object) -> Self:
        """NOT BETWEEN two bounds, which are excluded."""
        node = ast.Unary("NOT", ast.Between(self._node, node_of(lower_bound), node_of(upper_bound)))
        return self._method(node, "not_between", lower_bound, upper_bound)

    def in_(self, first: object | PlannedTable, *more: object) -> Self:
        """IN: a member of the values, or of the rows of a table with one column.

        Args:
            first: a value, a list or tuple of values, or a `Table` with one column.
            more: further values.
        """
        if isinstance(first, PlannedTable):
            return self._method(ast.In(self._node, query=first._node()), "in_", first)
        values = list(first) if isinstance(first, list | tuple | set | frozenset) and not more else [first, *more]
        if not values:
            raise refuse(f"{text_of(self)}.in_() has no values", "give at least one value, or a table")
        return self._method(ast.In(self._node, tuple(map(node_of, values))), "in_", *values)

    # --- logic

    def __and__(self, other: object) -> Self:
        return self._binary("AND", other, sign="&")

    def __rand__(self, other: object) -> Self:
        return self._binary("AND", other, sign="&", swapped=True)

    def __or__(self, other: object) -> Self:
        return self._binary("OR", other, sign="|")

    def __ror__(self, other: object) -> Self:
        return self._binary("OR", other, sign="|", swapped=True)

    def __invert__(self) -> Self:
        shown = f"({text_of(self)})" if self._infix else text_of(self)
        return self._new(ast.Unary("NOT", self._node), f"~{shown}")

    def and_(self, other: object) -> Self:
        """AND; the same as `&`."""
        return self & other

    def or_(self, other: object) -> Self:
        """OR; the same as `|`."""
        return self | other

    def not_(self) -> Self:
        """NOT; the same as `~`."""
        return ~self

    @property
    def is_null(self) -> Self:
        """IS NULL: true or false, never NULL."""
        return self._is("NULL", "is_null")

    @property
    def is_not_null(self) -> Self:
        """IS NOT NULL: true or false, never NULL."""
        return self._is("NULL", "is_not_null", negated=True)

    @property
    def is_true(self) -> Self:
        """IS TRUE: false for false and NULL."""
        return self._is("TRUE", "is_true")

    @property
    def is_false(self) -> Self:
        """IS FALSE: false for true and NULL."""
        return self._is("FALSE", "is_false")

    @property
    def is_not_true(self) -> Self:
        """IS NOT TRUE: true for false and NULL."""
        return self._is("TRUE", "is_not_true", negated=True)

    @property
    def is_not_false(self) -> Self:
        """IS NOT FALSE: true for true and NULL."""
        return self._is("FALSE", "is_not_false", negated=True)

    def is_json(self, json_type: JsonType | str | None = None) -> Self:
        """IS JSON; the type is VALUE (default), SCALAR, ARRAY or OBJECT."""
        kind = keyword_of(json_type or JsonType.VALUE, JsonType)
        return self._method(ast.IsPredicate(self._node, f"JSON {kind}"), "is_json", kind)

    def _is(self, kind: str, name: str, *, negated: bool = False) -> Self:
        return as_property(self, ast.IsPredicate(self._node, kind, negated), name)

    def then(self, if_true: object, if_false: object) -> Self:
        """CASE WHEN this THEN `if_true` ELSE `if_false` END."""
        node = ast.Case((ast.When(self._node, node_of(if_true)),), node_of(if_false))
        return self._method(node, "then", if_true, if_false)

    # --- patterns

    def like(self, pattern: object, escape: str | None = None) -> Self:
        """LIKE, with % for any characters and _ for one; `escape` makes the next character literal."""
        return self._pattern("LIKE", "like", pattern, escape)

    def similar(self, pattern: object, escape: str | None = None) -> Self:
        """SIMILAR TO an SQL regular expression."""
        return self._pattern("SIMILAR TO", "similar", pattern, escape)

    def _pattern(self, kind: str, name: str, pattern: object, escape: str | None) -> Self:
        character = None if escape is None else node_of(escape)
        node = ast.Like(self._node, node_of(pattern), character, kind)
        return self._method(node, name, *((pattern,) if escape is None else (pattern, escape)))

    # --- arithmetic

    def __add__(self, other: object) -> Self:
        return self._binary("+", other, class_=Sum)

    def __radd__(self, other: object) -> Self:
        return self._binary("+", other, swapped=True, class_=Sum)

    def __sub__(self, other: object) -> Self:
        return self._binary("-", other)

    def __rsub__(self, other: object) -> Self:
        return self._binary("-", other, swapped=True)

    def __mul__(self, other: object) -> Self:
        return self._binary("*", other)

    def __rmul__(self, other: object) -> Self:
        return self._binary("*", other, swapped=True)

    def __truediv__(self, other: object) -> Self:
        return self._binary("/", other)

    def __rtruediv__(self, other: object) -> Self:
        return self._binary("/", other, swapped=True)

    def __mod__(self, other: object) -> Self:
        return self._binary("%", other)

    def __rmod__(self, other: object) -> Self:
        return self._binary("%", other, swapped=True)

    def __pow__(self, other: object) -> Self:
        return self._call("power", "POWER", other)

    def __neg__(self) -> Self:
        shown = f"({text_of(self)})" if self._infix else text_of(self)
        return self._new(ast.Unary("-", self._node), f"-{shown}")

    def __pos__(self) -> Self:
        return self._new(ast.Unary("+", self._node), f"+{shown_of(self)}")

    def plus(self, other: object) -> Self:
        """The operator `+`, also of times and intervals."""
        return self + other

    def minus(self, other: object) -> Self:
        """The operator `-`, also of times and intervals."""
        return self - other

    def times(self, other: object) -> Self:
        """The operator `*`, also of an interval and a number."""
        return self * other

    def divided_by(self, other: object) -> Self:
        """The operator `/`; whole numbers give a whole number."""
        return self / other

    def mod(self, other: object) -> Self:
        """The operator `%`: the remainder, with the sign of the dividend."""
        return self % other
