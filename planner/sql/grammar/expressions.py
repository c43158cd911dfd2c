"""Expressions, by precedence as in Calcite's operator table (lowest first).

OR; AND; NOT; IS ...; comparisons and IS DISTINCT FROM; LIKE, BETWEEN, IN; + and -; *, /, % and ||; signs; element and
field access.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiled_plan.planner.sql.grammar.primaries import Primaries
from compiled_plan.planner.sql.nodes import Between, Binary, In, IsPredicate, Like, Quantified, Unary

if TYPE_CHECKING:
    from collections.abc import Callable

    from compiled_plan.planner.sql.nodes import Expression, QueryNode

COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
SUMS = ("+", "-")
PRODUCTS = ("*", "/", "%", "||")
QUANTIFIERS = {"ANY": "ANY", "SOME": "ANY", "ALL": "ALL"}
IS_KINDS = ("NULL", "TRUE", "FALSE", "UNKNOWN")
JSON_KINDS = ("VALUE", "OBJECT", "ARRAY", "SCALAR")
PERIOD_PREDICATES = ("OVERLAPS", "CONTAINS", "EQUALS", "PRECEDES", "SUCCEEDS")


class Expressions(Primaries):
    def parse_expression(self) -> Expression:
        """An expression of any kind."""
        start = self.mark()
        left = self._conjunction()
        while self.take("OR"):
            left = self.node(Binary("OR", left, self._conjunction()), start)
        return left

    def _conjunction(self) -> Expression:
        start = self.mark()
        left = self._negation()
        while self.take("AND"):
            left = self.node(Binary("AND", left, self._negation()), start)
        return left

    def _negation(self) -> Expression:
        start = self.mark()
        if self.take("NOT"):
            return self.node(Unary("NOT", self._negation()), start)
        return self._comparison()

    # --- predicates -----------------------------------------------------------------------------------------------

    def _comparison(self) -> Expression:
        start = self.mark()
        left = self._range()
        while True:
            if self.current.kind in COMPARISONS:
                left = self._compared(left, start)
            elif self.at("IS"):
                left = self._is(left, start)
            elif period := self._period_predicate():
                left = self.node(Binary(period, left, self._range()), start)
            else:
                return left

    def _compared(self, left: Expression, start: int) -> Expression:
        operator = self.current.kind
        self.advance()
        if self.word() in QUANTIFIERS and self.following.kind == "(":
            quantifier = QUANTIFIERS[self.take_any(QUANTIFIERS)]
            items, query = self._query_or_list()
            return self.node(Quantified(left, operator, quantifier, items, query), start)
        return self.node(Binary(operator, left, self._range()), start)

    def _period_predicate(self) -> str:
        if self.at("IMMEDIATELY", "PRECEDES") or self.at("IMMEDIATELY", "SUCCEEDS"):
            self.advance()
            return f"IMMEDIATELY {self.take_any(('PRECEDES', 'SUCCEEDS'))}"
        return self.take_any(PERIOD_PREDICATES)

    def _is(self, left: Expression, start: int) -> Expression:
        self.need("IS")
        negated = self.take("NOT")
        if self.take("DISTINCT", "FROM"):
            operator = "IS NOT DISTINCT FROM" if negated else "IS DISTINCT FROM"
            return self.node(Binary(operator, left, self._range()), start)
        if self.take("JSON"):
            kind = f"JSON {self.take_any(JSON_KINDS) or 'VALUE'}"
        else:
            kind = self.take_any(IS_KINDS)
            if not kind:
                self.fail_expected("NULL, TRUE, FALSE, UNKNOWN, JSON or DISTINCT FROM after IS")
        return self.node(IsPredicate(left, kind, negated), start)

    def _range(self) -> Expression:
        start = self.mark()
        left = self._sum()
        while True:
            negated = self.at("NOT") and self.peek_word(1) in ("BETWEEN", "IN", "LIKE", "SIMILAR")
            if negated:
                self.advance()
            if self.take("BETWEEN"):
                left = self._between(left, start)
            elif self.take("IN"):
                left = self.node(In(left, *self._query_or_list()), start)
            elif self.at("LIKE") or self.at("SIMILAR", "TO"):
                left = self._like(left, start)
            else:
                return left
            if negated:
                left = self.node(Unary("NOT", left), start)

    def _between(self, left: Expression, start: int) -> Expression:
        symmetric = self.take_any(("SYMMETRIC", "ASYMMETRIC")) == "SYMMETRIC"
        low = self._sum()
        self.need("AND")
        return self.node(Between(left, low, self._sum(), symmetric), start)

    def _like(self, left: Expression, start: int) -> Expression:
        kind = "LIKE" if self.take("LIKE") else "SIMILAR TO"
        if kind == "SIMILAR TO":
            self.need("SIMILAR", "TO")
        pattern = self._sum()
        escape = self._sum() if self.take("ESCAPE") else None
        return self.node(Like(left, pattern, escape, kind), start)

    def _query_or_list(self) -> tuple[tuple[Expression, ...], QueryNode | None]:
        """The right side of IN and of quantified comparisons: values, or a query."""
        is_query = self.at_query()
        self.open()
        query = self.parse_query() if is_query else None
        values = () if is_query else tuple(self.listed(self.parse_expression))
        self.close()
        return values, query

    # --- arithmetic -----------------------------------------------------------------------------------------------

    def _sum(self) -> Expression:
        return self._binary(self._product, SUMS)

    def _product(self) -> Expression:
        return self._binary(self._signed, PRODUCTS)

    def _binary(self, operand: Callable[[], Expression], operators: tuple[str, ...]) -> Expression:
        start = self.mark()
        left = operand()
        while (operator := self.current.kind) in operators:
            self.advance()
            left = self.node(Binary(operator, left, operand()), start)
        return left

    def _signed(self) -> Expression:
        start = self.mark()
        for sign in SUMS:
            if self.take_symbol(sign):
                return self.node(Unary(sign, self._signed()), start)
        if self.at("NOT"):  # a = NOT b
            return self._negation()
        return self._postfix()
