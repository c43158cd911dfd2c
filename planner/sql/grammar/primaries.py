"""Operands: literals, names, calls, CASE, CAST, rows, collections; element access."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from compiled_plan.planner.diagnostics.foreign import construct_at, function_remedy
from compiled_plan.planner.sql.grammar.functions import Functions
from compiled_plan.planner.sql.grammar.reserved_words import BARE_FUNCTIONS, CALLABLE, COLUMN_WORDS, RESERVED
from compiled_plan.planner.sql.grammar.tokens import BINARY, NUMBER, PREFIXED, QUOTED, STRING, UNICODE, WORD
from compiled_plan.planner.sql.grammar.types import UNITS
from compiled_plan.planner.sql.nodes import (
    AllColumns,
    Binary,
    BinaryLiteral,
    Call,
    Case,
    Cast,
    Collection,
    ColumnRef,
    Constant,
    Difference,
    Exists,
    FieldAccess,
    In,
    IntervalLiteral,
    ItemAccess,
    Null,
    QueryConstructor,
    RowValue,
    Subquery,
    TruthValue,
    TypedLiteral,
    When,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from compiled_plan.planner.sql.nodes import Expression

COLLECTIONS: dict[str, Literal["ARRAY", "MAP"]] = {"ARRAY": "ARRAY", "MAP": "MAP"}
QUERY_STARTS = ("SELECT", "WITH", "VALUES", "TABLE")
#: The value of INTERVAL '1 hour', which other dialects have.
_UNIT_INSIDE = re.compile(rf"\s*(\d+)\s*({'|'.join(sorted(UNITS, reverse=True))})\s*", re.IGNORECASE)


class Primaries(Functions):
    """Parser of operands with brackets or dots after them."""

    def _postfix(self) -> Expression:
        start = self.mark()
        node = self._primary()
        while True:
            if self.take_symbol("["):
                item = self.parse_expression()
                self.need_symbol("]")
                node = self.node(ItemAccess(node, item), start)
            elif self.at_symbol(".") and not isinstance(node, AllColumns):
                self.advance()
                inner = self.mark()
                field = self.node(AllColumns(), inner) if self.take_symbol("*") else self.name("a field name")
                node = self.node(FieldAccess(node, field), start)
            else:
                return node

    # --- primaries ------------------------------------------------------------------------------------------------

    def _primary(self) -> Expression:
        reader = _BY_TOKEN.get(self.current.kind)
        if reader is not None:
            return reader(self)
        if self.current.kind == "{":
            self.refuse("the JDBC escape {...}", remedy="write the function or the literal without braces")
        if self.current.kind == "?":
            self.refuse("a parameter '?'", remedy="write the value")
        self.fail_expected("an expression")

    def _number(self) -> Expression:
        start, token = self.mark(), self.current
        self.advance()
        return self.node(Constant(token.text), start)

    def _decimal_point(self) -> Expression:
        start = self.mark()
        self.advance()
        if self.current.kind != NUMBER:
            self.fail_expected("digits after the decimal point")
        text = f".{self.current.text}"
        self.advance()
        return self.node(Constant(text), start)

    def _text(self) -> Expression:
        start = self.mark()
        text = self.string(on_new_lines=True)
        if self.current.kind == STRING:
            self.fail(
                "SQL parse failed: a string literal is continued on the same line",
                remedy="join strings with ||, or double a quote inside a string",
            )
        return self.node(Constant(text, is_string=True), start)

    def _binary_string(self) -> Expression:
        start, token = self.mark(), self.current
        if len(token.text) % 2:
            self.fail("SQL parse failed: a binary literal needs an even number of hexadecimal digits")
        self.advance()
        return self.node(BinaryLiteral(token.text), start)

    def _parenthesised(self) -> Expression:
        start = self.mark()
        if self.at_query():
            return self.parse_parenthesised_query()
        self.open()
        values = self.listed(self.parse_expression)
        self.close()
        if len(values) > 1:
            return self.node(RowValue(tuple(values)), start)
        (value,) = values
        if isinstance(value, Binary) and value.operator == "-" and self.at_any(_DIFFERENCES):
            return self.node(Difference(value.left, value.right, self.parse_interval_qualifier()), start)
        return self.node(value, start)

    def parse_parenthesised_query(self) -> Subquery:
        start = self.mark()
        self.open()
        query = self.parse_query()
        self.close()
        return self.node(Subquery(query), start)

    def _name_or_call(self) -> Expression:
        """Parse a word or quoted identifier: a keyword's expression, a call, or a column."""
        word = self.word()
        if word == "E" and self.following.kind == STRING and self.following.start == self.current.end:
            self.refuse("a string with C escapes, E'...'", remedy="write U&'...' with \\ and four hexadecimal digits")
        reader = _BY_WORD.get(word)
        if reader is not None and (node := reader(self)) is not None:
            return node
        if self.following.kind == "(":
            special = self.special_form(word)
            if special is not None:
                return special
        start = self.mark()
        if word in BARE_FUNCTIONS and self.following.kind not in ("(", "."):
            return self.node(Call((self.identifier(),), bare=True), start)
        if word in COLUMN_WORDS and self.following.kind != "(":
            return self.node(ColumnRef((self.name(reserved=COLUMN_WORDS),)), start)
        if word in RESERVED and word in CALLABLE and self.following.kind == "(":
            return self.parse_call((self.identifier(),), start)
        if word in RESERVED and self.following.kind == "(" and word not in QUERY_STARTS:
            construct = construct_at(self.tokens, self.index)
            self.fail(
                f"SQL parse failed: {word}(...) is no function call that Flink SQL knows here",
                remedy=construct.remedy if construct else function_remedy(word),
            )
        parts = [self.name("an expression")]
        while self.at_symbol("."):
            self.advance()
            if self.take_symbol("*"):
                return self.node(AllColumns(tuple(parts)), start)
            parts.append(self.name("a column or field name"))
        if self.at_symbol("("):
            return self.parse_call(tuple(parts), start)
        return self.node(ColumnRef(tuple(parts)), start)

    def _constant(self) -> Expression | None:
        start = self.mark()
        if self.take("NULL"):
            return self.node(Null(), start)
        return self.node(TruthValue(_TRUTH_VALUES[self.take_any(_TRUTH_VALUES)]), start)

    def _typed_literal(self) -> Expression | None:
        start, kind = self.mark(), self.word()
        local = self.at("TIMESTAMP", "WITH", "LOCAL", "TIME", "ZONE")
        value = self.peek(5 if local else 1)
        if value.kind != STRING:
            return None
        self.advance(5 if local else 1)
        kind = "TIMESTAMP WITH LOCAL TIME ZONE" if local else kind
        return self.node(TypedLiteral(kind, self.string(on_new_lines=True)), start)

    def _interval(self) -> Expression | None:
        start = self.mark()
        self.need("INTERVAL")
        sign = self.take_symbol("-")
        if not sign:
            self.take_symbol("+")
        if self.at_string():
            value = self.string(on_new_lines=True)
            if not self.at_any(UNITS) and (inside := _UNIT_INSIDE.fullmatch(value)):
                remedy = f"write INTERVAL '{inside[1]}' {inside[2].upper().removesuffix('S')}"
                problem = "SQL parse failed: the unit of an INTERVAL stands after the quotes"
                self.fail(problem, token=self.previous, remedy=remedy)
            return self.node(IntervalLiteral(value, self.parse_interval_qualifier(), sign), start)
        operand = self._postfix()
        if isinstance(operand, Call):
            self.fail("SQL parse failed: INTERVAL takes a call in parentheses only", span=self.span_from(start))
        return self.node(IntervalLiteral(operand, self.parse_interval_qualifier(), sign), start)

    def _case(self) -> Expression | None:
        start = self.mark()
        self.need("CASE")
        operand = None if self.at("WHEN") else self.parse_expression()
        branches = []
        while self.take("WHEN"):
            inner = self.mark()
            condition = self._case_condition(operand)
            self.need("THEN")
            branches.append(self.node(When(condition, self.parse_expression()), inner))
        if not branches:
            self.fail_expected("WHEN")
        default = self.parse_expression() if self.take("ELSE") else None
        self.need("END")
        return self.node(Case(tuple(branches), default), start)

    def _case_condition(self, operand: Expression | None) -> Expression:
        """The condition of a branch; CASE x WHEN 1, 2 is CASE WHEN x IN (1, 2), as in Calcite's parser."""
        start = self.mark()
        values = self.listed(self.parse_expression)
        if operand is not None and len(values) > 1:
            return self.node(In(operand, tuple(values)), start)
        if operand is not None:
            return self.node(Binary("=", operand, values[0]), start)
        if len(values) > 1:
            span = self.span_from(start)
            self.fail("SQL parse failed: a list of values after WHEN needs CASE with an operand", span=span)
        return values[0]

    def _cast(self) -> Expression | None:
        if self.following.kind != "(":
            return None
        start = self.mark()
        safe = self.word() == "TRY_CAST"
        self.advance(2)
        operand = self.parse_expression()
        self.need("AS")
        to = self.parse_cast_type()
        self.close()
        return self.node(Cast(operand, to, safe), start)

    def _row(self) -> Expression | None:
        if self.following.kind != "(":
            return None
        start = self.mark()
        self.advance()
        if self.peek_word(1) in QUERY_STARTS:
            self.open()
            query = self.parse_query()
            self.close()
            return self.node(RowValue((self.node(Subquery(query), start),), explicit=True), start)
        return self.node(RowValue(tuple(self.wrapped(self.parse_expression)), explicit=True), start)

    def _convert(self) -> Expression | None:
        """CONVERT(type, value[, style]), a cast whose style Flink ignores."""
        if self.following.kind != "(":
            return None
        start = self.mark()
        self.advance(2)
        to = self.parse_cast_type()
        self.need_symbol(",")
        operand = self.parse_expression()
        if self.take_symbol(","):
            self.parse_expression()
        self.close()
        return self.node(Cast(operand, to), start)

    def _collection(self) -> Expression | None:
        start, word = self.mark(), self.word()
        if self.following.kind == "(" and self.peek_word(2) in QUERY_STARTS:
            self.advance(2)
            query = self.parse_query()
            self.close()
            return self.node(QueryConstructor(word, query), start)
        if self.following.kind != "[":
            return None
        if word not in COLLECTIONS:
            self.refuse(f"{word}[...]", remedy="use ARRAY[...] or MAP[...]")
        self.advance(2)
        values = [] if self.at_symbol("]") else self.listed(self.parse_expression)
        self.need_symbol("]")
        return self.node(Collection(COLLECTIONS[word], tuple(values)), start)

    def _exists(self) -> Expression | None:
        start = self.mark()
        self.advance()
        self.open("and a query")
        query = self.parse_query()
        self.close()
        return self.node(Exists(query), start)


_BY_TOKEN: dict[str, Callable[[Primaries], Expression]] = {
    NUMBER: Primaries._number,
    ".": Primaries._decimal_point,
    STRING: Primaries._text,
    PREFIXED: Primaries._text,
    UNICODE: Primaries._text,
    BINARY: Primaries._binary_string,
    "(": Primaries._parenthesised,
    WORD: Primaries._name_or_call,
    QUOTED: Primaries._name_or_call,
}
#: Units behind a difference in parentheses; plural forms are names there.
_DIFFERENCES = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")
_TRUTH_VALUES = {"TRUE": True, "FALSE": False, "UNKNOWN": None}
_BY_WORD: dict[str, Callable[[Primaries], Expression | None]] = {
    "CASE": Primaries._case,
    "CAST": Primaries._cast,
    "TRY_CAST": Primaries._cast,
    "CONVERT": Primaries._convert,
    "ROW": Primaries._row,
    "PERIOD": Primaries._row,
    "EXISTS": Primaries._exists,
    "INTERVAL": Primaries._interval,
    **dict.fromkeys(("NULL", "TRUE", "FALSE", "UNKNOWN"), Primaries._constant),
    **dict.fromkeys(("DATE", "TIME", "TIMESTAMP"), Primaries._typed_literal),
    **dict.fromkeys(("ARRAY", "MAP", "MULTISET"), Primaries._collection),
}
