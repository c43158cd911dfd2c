"""What stands between operators: literals, names, calls, CASE, CAST, rows, collections; access to their parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import TokenType, exp

from compiled_plan.planner.sql.grammar.functions import Functions
from compiled_plan.planner.sql.grammar.reserved_words import BARE_FUNCTIONS, CALLABLE, COLUMN_WORDS, RESERVED
from compiled_plan.planner.sql.nodes import (
    AllColumns,
    ArrayValue,
    BinaryLiteral,
    Call,
    ColumnRef,
    FieldAccess,
    IntervalLiteral,
    ItemAccess,
    MapValue,
    QueryConstructor,
    RowValue,
    TypedLiteral,
)

if TYPE_CHECKING:
    from collections.abc import Callable

COLLECTIONS = {"ARRAY": ArrayValue, "MAP": MapValue}
QUERY_STARTS = ("SELECT", "WITH", "VALUES", "TABLE")


class Primaries(Functions):
    """Operands, with what follows them in brackets or behind a dot."""

    def _postfix(self) -> exp.Expr:
        start = self.mark()
        node = self._primary()
        while True:
            if self.take_symbol(TokenType.L_BRACKET):
                item = self.parse_expression()
                self.need_symbol(TokenType.R_BRACKET, "]")
                node = self.node(ItemAccess(this=node, item=item), start)
            elif self.at_symbol(TokenType.DOT) and not isinstance(node, AllColumns):
                self._advance()
                inner = self.mark()
                field: exp.Expr
                if self.take_symbol(TokenType.STAR):
                    field = self.node(AllColumns(parts=[]), inner)
                else:
                    field = self.name("a field name")
                node = self.node(FieldAccess(this=node, field=field), start)
            else:
                return node

    # --- primaries ------------------------------------------------------------------------------------------------

    def _primary(self) -> exp.Expr:
        reader = _BY_TOKEN.get(self._curr.token_type)
        if reader is not None:
            return reader(self)
        if self._curr.token_type == TokenType.L_BRACE:
            self.refuse("the JDBC escape {...}", remedy="write the function or the literal without braces")
        if self._curr.token_type == TokenType.PLACEHOLDER:
            self.refuse("a parameter '?'", remedy="write the value")
        self.fail_expected("an expression")

    def _number(self) -> exp.Expr:
        start, token = self.mark(), self._curr
        self._advance()
        return self.node(exp.Literal(this=token.text, is_string=False), start)

    def _decimal_point(self) -> exp.Expr:
        start = self.mark()
        self._advance()
        if self._curr.token_type != TokenType.NUMBER:
            self.fail_expected("digits after the decimal point")
        text = f".{self._curr.text}"
        self._advance()
        return self.node(exp.Literal(this=text, is_string=False), start)

    def _text(self) -> exp.Expr:
        start = self.mark()
        text = self.string()
        if self._curr.token_type == TokenType.STRING:
            self.fail(
                "SQL parse failed: a string literal is continued on the same line",
                remedy="join strings with ||, or double a quote inside a string",
            )
        return self.node(exp.Literal(this=text, is_string=True), start)

    def _binary_string(self) -> exp.Expr:
        start, token = self.mark(), self._curr
        if len(token.text) % 2:
            self.fail("SQL parse failed: a binary literal needs an even number of hexadecimal digits")
        self._advance()
        return self.node(BinaryLiteral(value=token.text), start)

    def _parenthesised(self) -> exp.Expr:
        start = self.mark()
        if self.at_query():
            return self.parse_parenthesised_query(self.parse_query)
        self.open()
        values = self.listed(self.parse_expression)
        self.close()
        if len(values) == 1:
            return self.node(values[0], start)
        return self.node(RowValue(expressions=values), start)

    def _name_or_call(self) -> exp.Expr:
        """A word or a quoted identifier: a keyword's expression, a call, or a column."""
        word = self.word()
        if word == "E" and self._next.token_type == TokenType.STRING and self._next.start == self._curr.end + 1:
            self.refuse("a string with C escapes, E'...'", remedy="write U&'...' with \\ and four hexadecimal digits")
        reader = _BY_WORD.get(word)
        if reader is not None and (node := reader(self)) is not None:
            return node
        if self._next.token_type == TokenType.L_PAREN:
            special = self.special_form(word)
            if special is not None:
                return special
        start = self.mark()
        if word in BARE_FUNCTIONS and self._next.token_type not in (TokenType.L_PAREN, TokenType.DOT):
            return self._bare_call(start)
        if word in COLUMN_WORDS and self._next.token_type != TokenType.L_PAREN:
            return self.node(ColumnRef(parts=[self.name(reserved=COLUMN_WORDS)]), start)
        if word in RESERVED and word in CALLABLE and self._next.token_type == TokenType.L_PAREN:
            token = self._curr
            self._advance()
            return self.parse_call([self.node(exp.Identifier(this=token.text, quoted=False), start)], start)
        if word in RESERVED and self._next.token_type == TokenType.L_PAREN and word not in QUERY_STARTS:
            self.fail(f"SQL parse failed: {word}(...) is no function call that Flink SQL knows here")
        parts = [self.name("an expression")]
        while self.at_symbol(TokenType.DOT):
            self._advance()
            if self.take_symbol(TokenType.STAR):
                return self.node(AllColumns(parts=parts), start)
            parts.append(self.name("a column or field name"))
        if self.at_symbol(TokenType.L_PAREN):
            return self.parse_call(parts, start)
        return self.node(ColumnRef(parts=parts), start)

    def _bare_call(self, start: int) -> exp.Expr:
        token = self._curr
        self._advance()
        name = self.node(exp.Identifier(this=token.text, quoted=False), start)
        return self.node(Call(parts=[name], expressions=[], bare=True), start)

    def _constant(self) -> exp.Expr | None:
        start = self.mark()
        word = self.take_any(("NULL", "TRUE", "FALSE", "UNKNOWN"))
        node: exp.Expr
        if word == "NULL":
            node = exp.Null()
        elif word == "UNKNOWN":
            node = exp.Var(this="UNKNOWN")
        else:
            node = exp.Boolean(this=word == "TRUE")
        return self.node(node, start)

    def _typed_literal(self) -> exp.Expr | None:
        start, kind = self.mark(), self.word()
        local = self.at("TIMESTAMP", "WITH", "LOCAL", "TIME", "ZONE")
        value = self.peek(5 if local else 1)
        if value is None or value.token_type != TokenType.STRING:
            return None
        self._advance(5 if local else 1)
        kind = "TIMESTAMP WITH LOCAL TIME ZONE" if local else kind
        return self.node(TypedLiteral(kind=kind, value=self.string()), start)

    def _interval(self) -> exp.Expr | None:
        start = self.mark()
        self.need("INTERVAL")
        sign = self.take_symbol(TokenType.DASH)
        if not sign:
            self.take_symbol(TokenType.PLUS)
        if self.at_string():
            value = self.string()
            return self.node(IntervalLiteral(value=value, negative=sign, unit=self.parse_interval_qualifier()), start)
        operand = self._postfix()
        if isinstance(operand, Call):
            self.fail("SQL parse failed: INTERVAL takes a call in parentheses only", span=self.span_from(start))
        unit = self.parse_interval_qualifier()
        return self.node(IntervalLiteral(expression=operand, negative=sign, unit=unit), start)

    def _case(self) -> exp.Expr | None:
        start = self.mark()
        self.need("CASE")
        operand = None if self.at("WHEN") else self.parse_expression()
        branches = []
        while self.take("WHEN"):
            inner = self.mark()
            condition = self._case_condition(operand)
            self.need("THEN")
            branches.append(self.node(exp.If(this=condition, true=self.parse_expression()), inner))
        if not branches:
            self.fail_expected("WHEN")
        default = self.parse_expression() if self.take("ELSE") else None
        self.need("END")
        return self.node(exp.Case(ifs=branches, default=default), start)

    def _case_condition(self, operand: exp.Expr | None) -> exp.Expr:
        """The condition of a branch; CASE x WHEN 1, 2 is CASE WHEN x IN (1, 2), as in Calcite's parser."""
        start = self.mark()
        values = self.listed(self.parse_expression)
        if operand is not None and len(values) > 1:
            return self.node(exp.In(this=operand.copy(), expressions=values), start)
        if operand is not None:
            return self.node(exp.EQ(this=operand.copy(), expression=values[0]), start)
        if len(values) > 1:
            span = self.span_from(start)
            self.fail("SQL parse failed: a list of values after WHEN needs CASE with an operand", span=span)
        return values[0]

    def _cast(self) -> exp.Expr | None:
        if self._next.token_type != TokenType.L_PAREN:
            return None
        start = self.mark()
        kind = exp.TryCast if self.word() == "TRY_CAST" else exp.Cast
        self._advance(2)
        operand = self.parse_expression()
        self.need("AS")
        to = self.parse_cast_type()
        self.close()
        return self.node(kind(this=operand, to=to), start)

    def _row(self) -> exp.Expr | None:
        if self._next.token_type != TokenType.L_PAREN:
            return None
        start = self.mark()
        self._advance()
        return self.node(RowValue(expressions=self.wrapped(self.parse_expression), explicit=True), start)

    def _collection(self) -> exp.Expr | None:
        start, word = self.mark(), self.word()
        if self._next.token_type == TokenType.L_PAREN and self.peek_word(2) in QUERY_STARTS:
            self._advance(2)
            query = self.parse_query()
            self.close()
            return self.node(QueryConstructor(kind=word, query=query), start)
        if self._next.token_type != TokenType.L_BRACKET:
            return None
        if word not in COLLECTIONS:
            self.refuse(f"{word}[...]", remedy="use ARRAY[...] or MAP[...]")
        self._advance(2)
        values = [] if self.at_symbol(TokenType.R_BRACKET) else self.listed(self.parse_expression)
        self.need_symbol(TokenType.R_BRACKET, "]")
        return self.node(COLLECTIONS[word](expressions=values), start)

    def _exists(self) -> exp.Expr | None:
        start = self.mark()
        self._advance()
        self.open("and a query")
        query = self.parse_query()
        self.close()
        return self.node(exp.Exists(this=query), start)


_BY_TOKEN: dict[TokenType, Callable[[Primaries], exp.Expr]] = {
    TokenType.NUMBER: Primaries._number,
    TokenType.DOT: Primaries._decimal_point,
    TokenType.STRING: Primaries._text,
    TokenType.NATIONAL_STRING: Primaries._text,
    TokenType.BYTE_STRING: Primaries._text,
    TokenType.UNICODE_STRING: Primaries._text,
    TokenType.HEX_STRING: Primaries._binary_string,
    TokenType.L_PAREN: Primaries._parenthesised,
    TokenType.VAR: Primaries._name_or_call,
    TokenType.IDENTIFIER: Primaries._name_or_call,
}
_BY_WORD: dict[str, Callable[[Primaries], exp.Expr | None]] = {
    "CASE": Primaries._case,
    "CAST": Primaries._cast,
    "TRY_CAST": Primaries._cast,
    "ROW": Primaries._row,
    "PERIOD": Primaries._row,
    "EXISTS": Primaries._exists,
    "INTERVAL": Primaries._interval,
    **dict.fromkeys(("NULL", "TRUE", "FALSE", "UNKNOWN"), Primaries._constant),
    **dict.fromkeys(("DATE", "TIME", "TIMESTAMP"), Primaries._typed_literal),
    **dict.fromkeys(("ARRAY", "MAP", "MULTISET"), Primaries._collection),
}
