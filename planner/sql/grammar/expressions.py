"""Expressions, by precedence as in Calcite's operator table (lowest first).

OR; AND; NOT; IS ...; comparisons and IS DISTINCT FROM; LIKE, BETWEEN, IN; + and -; *, /, % and ||; signs; element and
field access.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import TokenType, exp

from compiled_plan.planner.sql.grammar.primaries import Primaries
from compiled_plan.planner.sql.nodes import (
    IsDistinctFrom,
    IsPredicate,
    Like,
    Overlaps,
    Plus,
    Quantified,
)

if TYPE_CHECKING:
    from collections.abc import Callable

COMPARISONS: dict[TokenType, tuple[type[exp.Binary], str]] = {
    TokenType.EQ: (exp.EQ, "="),
    TokenType.NEQ: (exp.NEQ, "<>"),
    TokenType.LT: (exp.LT, "<"),
    TokenType.LTE: (exp.LTE, "<="),
    TokenType.GT: (exp.GT, ">"),
    TokenType.GTE: (exp.GTE, ">="),
}
SUMS: dict[TokenType, type[exp.Binary]] = {TokenType.PLUS: exp.Add, TokenType.DASH: exp.Sub}
PRODUCTS: dict[TokenType, type[exp.Binary]] = {
    TokenType.STAR: exp.Mul,
    TokenType.SLASH: exp.Div,
    TokenType.MOD: exp.Mod,
    TokenType.DPIPE: exp.DPipe,
}
QUANTIFIERS = {"ANY": "ANY", "SOME": "ANY", "ALL": "ALL"}
IS_KINDS = ("NULL", "TRUE", "FALSE", "UNKNOWN")
JSON_KINDS = ("VALUE", "OBJECT", "ARRAY", "SCALAR")
PERIOD_PREDICATES = ("OVERLAPS", "CONTAINS", "EQUALS", "PRECEDES", "SUCCEEDS")


class Expressions(Primaries):
    """Everything that has a value."""

    def parse_expression(self) -> exp.Expr:
        """An expression of any kind."""
        start = self.mark()
        left = self._conjunction()
        while self.take("OR"):
            left = self.node(exp.Or(this=left, expression=self._conjunction()), start)
        return left

    def _conjunction(self) -> exp.Expr:
        start = self.mark()
        left = self._negation()
        while self.take("AND"):
            left = self.node(exp.And(this=left, expression=self._negation()), start)
        return left

    def _negation(self) -> exp.Expr:
        start = self.mark()
        if self.take("NOT"):
            return self.node(exp.Not(this=self._negation()), start)
        return self._comparison()

    # --- predicates -----------------------------------------------------------------------------------------------

    def _comparison(self) -> exp.Expr:
        start = self.mark()
        left = self._range()
        while True:
            token = self._curr.token_type
            if token in COMPARISONS:
                left = self._compared(left, start)
            elif self.at("IS"):
                left = self._is(left, start)
            elif period := self._period_predicate():
                left = self.node(Overlaps(this=left, expression=self._range(), kind=period), start)
            else:
                return left

    def _compared(self, left: exp.Expr, start: int) -> exp.Expr:
        kind, op = COMPARISONS[self._curr.token_type]
        if self._curr.text == "!=":
            self.fail("SQL parse failed: '!=' is not an operator of Flink SQL", remedy="write <>")
        self._advance()
        if self.word() in QUANTIFIERS and self._next.token_type == TokenType.L_PAREN:
            quantifier = QUANTIFIERS[self.take_any(QUANTIFIERS)]
            content = self._query_or_list()
            return self.node(Quantified(this=left, op=op, quantifier=quantifier, **content), start)
        return self.node(kind(this=left, expression=self._range()), start)

    def _period_predicate(self) -> str:
        if self.at("IMMEDIATELY", "PRECEDES") or self.at("IMMEDIATELY", "SUCCEEDS"):
            self._advance()
            return f"IMMEDIATELY {self.take_any(('PRECEDES', 'SUCCEEDS'))}"
        return self.take_any(PERIOD_PREDICATES)

    def _is(self, left: exp.Expr, start: int) -> exp.Expr:
        self.need("IS")
        negated = self.take("NOT")
        if self.take("DISTINCT", "FROM"):
            node = IsDistinctFrom(this=left, expression=self._range(), negated=negated)
            return self.node(node, start)
        if self.take("JSON"):
            kind = f"JSON {self.take_any(JSON_KINDS) or 'VALUE'}"
        else:
            kind = self.take_any(IS_KINDS)
            if not kind:
                self.fail_expected("NULL, TRUE, FALSE, UNKNOWN, JSON or DISTINCT FROM after IS")
        return self.node(IsPredicate(this=left, kind=kind, negated=negated), start)

    def _range(self) -> exp.Expr:
        start = self.mark()
        left = self._sum()
        while True:
            negated = self.at("NOT") and self.peek_word(1) in ("BETWEEN", "IN", "LIKE", "SIMILAR")
            if negated:
                self._advance()
            if self.take("BETWEEN"):
                left = self._between(left, start)
            elif self.take("IN"):
                left = self.node(exp.In(this=left, **self._query_or_list()), start)
            elif self.at("LIKE") or self.at("SIMILAR", "TO"):
                left = self._like(left, start)
            else:
                return left
            if negated:
                left = self.node(exp.Not(this=left), start)

    def _between(self, left: exp.Expr, start: int) -> exp.Expr:
        symmetric = self.take_any(("SYMMETRIC", "ASYMMETRIC")) == "SYMMETRIC"
        low = self._sum()
        self.need("AND")
        return self.node(exp.Between(this=left, low=low, high=self._sum(), symmetric=symmetric), start)

    def _like(self, left: exp.Expr, start: int) -> exp.Expr:
        kind = "LIKE" if self.take("LIKE") else "SIMILAR TO"
        if kind == "SIMILAR TO":
            self.need("SIMILAR", "TO")
        pattern = self._sum()
        escape = self._sum() if self.take("ESCAPE") else None
        return self.node(Like(this=left, pattern=pattern, escape=escape, kind=kind), start)

    def _query_or_list(self) -> dict[str, object]:
        """The right side of IN and of quantified comparisons: `query=` or `expressions=`."""
        is_query = self.at_query()
        self.open()
        if is_query:
            query = self.parse_query()
            self.close()
            return {"query": query}
        values = self.listed(self.parse_expression)
        self.close()
        return {"expressions": values}

    # --- arithmetic -----------------------------------------------------------------------------------------------

    def _sum(self) -> exp.Expr:
        return self._binary(self._product, SUMS)

    def _product(self) -> exp.Expr:
        return self._binary(self._signed, PRODUCTS)

    def _binary(self, operand: Callable[[], exp.Expr], ops: dict[TokenType, type[exp.Binary]]) -> exp.Expr:
        start = self.mark()
        left = operand()
        while kind := ops.get(self._curr.token_type):
            self._advance()
            left = self.node(kind(this=left, expression=operand()), start)
        return left

    def _signed(self) -> exp.Expr:
        start = self.mark()
        if self.take_symbol(TokenType.DASH):
            return self.node(exp.Neg(this=self._signed()), start)
        if self.take_symbol(TokenType.PLUS):
            return self.node(Plus(this=self._signed()), start)
        if self.at("NOT"):  # a = NOT b
            return self._negation()
        return self._postfix()
