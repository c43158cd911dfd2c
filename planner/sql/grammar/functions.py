"""Calls: plain ones, and the functions that have a grammar of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import TokenType, exp

from compiled_plan.planner.sql.grammar.jsons import JsonFunctions
from compiled_plan.planner.sql.grammar.reserved_words import BARE_FUNCTIONS, COLUMN_WORDS
from compiled_plan.planner.sql.nodes import (
    AllColumns,
    Call,
    Descriptor,
    Frame,
    FrameBound,
    Keyword,
    NamedArgument,
    TableArgument,
    TableRef,
    WindowSpec,
)

if TYPE_CHECKING:
    from collections.abc import Callable

#: Time units of EXTRACT, FLOOR, CEIL, TIMESTAMPADD and TIMESTAMPDIFF.
TIME_UNITS = frozenset(
    """
    YEAR QUARTER MONTH WEEK DAY HOUR MINUTE SECOND MILLISECOND MICROSECOND NANOSECOND DECADE CENTURY MILLENNIUM
    EPOCH DOW ISODOW DOY ISOYEAR
    """.split()
)
#: Abbreviations and ODBC spellings (Calcite: TimeUnitOrName).
_UNIT_SYNONYMS = {
    "FRAC_SECOND": "MICROSECOND",
    "SQL_TSI_FRAC_SECOND": "NANOSECOND",
    "SQL_TSI_MICROSECOND": "MICROSECOND",
    **{f"SQL_TSI_{unit}": unit for unit in ("SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR")},
}


class Functions(JsonFunctions):
    """Function calls."""

    # --- promises -------------------------------------------------------------------------------------------------

    def at_query(self) -> bool:
        """Whether a query starts here, in parentheses or not."""
        raise NotImplementedError

    def parse_parenthesised_query(self, inner: Callable[[], exp.Expr]) -> exp.Subquery:
        """A query in parentheses (see `grammar.queries`)."""
        raise NotImplementedError

    def parse_order(self) -> exp.Order | None:
        """ORDER BY, or None."""
        raise NotImplementedError

    def parse_ordered(self) -> exp.Ordered:
        """One key of ORDER BY."""
        raise NotImplementedError

    # --- plain calls ----------------------------------------------------------------------------------------------

    def parse_call(self, parts: list[exp.Identifier], start: int) -> exp.Expr:
        """The arguments of a call and what may follow them; the cursor is at the opening parenthesis."""
        call = Call(parts=parts)
        self.open()
        if self.take("DISTINCT"):
            call.set("distinct", True)
        else:
            self.take("ALL")
        star = self.mark()
        if not call.distinct and self.take_symbol(TokenType.STAR):
            call.set("expressions", [self.node(AllColumns(parts=[]), star)])
        elif not self.at_symbol(TokenType.R_PAREN):
            call.set("expressions", self.listed(self.parse_argument))
        # Flink takes this inside the parentheses of ARRAY_AGG alone.
        if call.name == "ARRAY_AGG" and (nulls := self._nulls()):
            call.set("nulls", nulls)
        if order := self.parse_order():
            call.set("order", order)
        if on_null := self._on_null():
            call.set("on_null", on_null)
        self.close()
        return self._call_suffix(call, start)

    def _call_suffix(self, call: Call, start: int) -> exp.Expr:
        if nulls := self._nulls():
            call.set("nulls", nulls)
        if self.take("WITHIN", "GROUP"):
            self.open()
            call.set("within_group", self.parse_order())
            self.close()
        if self.at("FILTER") and self._next.token_type == TokenType.L_PAREN:
            self._advance(2)
            self.need("WHERE")
            call.set("filter", self.parse_expression())
            self.close()
        if self.take("OVER"):
            call.set("over", self.parse_window() if self.at_symbol(TokenType.L_PAREN) else self.name("a window"))
        return self.node(call, start)

    def _nulls(self) -> str:
        if self.at("IGNORE", "NULLS") or self.at("RESPECT", "NULLS"):
            word = self.word()
            self._advance(2)
            return word
        return ""

    def parse_argument(self) -> exp.Expr:
        """One argument: a value, DEFAULT, a named argument, a table, a descriptor, or a query."""
        start = self.mark()
        if self.at_name() and self._next.token_type == TokenType.FARROW:
            name = self.name("an argument name")
            self._advance()
            return self.node(NamedArgument(name_=name, this=self._argument_value()), start)
        return self._argument_value()

    def _argument_value(self) -> exp.Expr:
        start = self.mark()
        if self.at("TABLE") and self._next.token_type != TokenType.L_PAREN:
            self._advance()
            inner = self.mark()
            table = self.node(TableRef(parts=self.dotted("a table name")), inner)
            return self._table_argument(table, start)
        if self.at("TABLE"):
            self._advance()
        if self.at_query():
            if self.at_symbol(TokenType.L_PAREN):
                value = self.parse_expression()
            else:
                value = self.node(exp.Subquery(this=self.parse_query()), start)
            return self._table_argument(value, start) if self.at_any(("PARTITION", "ORDER")) else value
        if self.at("DESCRIPTOR") and self._next.token_type == TokenType.L_PAREN:
            self._advance()
            names = self.wrapped(lambda: self.name("a column name", COLUMN_WORDS | BARE_FUNCTIONS))
            return self.node(Descriptor(expressions=names), start)
        if self.at("MODEL") and self._next.token_type in (TokenType.VAR, TokenType.IDENTIFIER):
            self.refuse("a MODEL argument")
        if self.take("DEFAULT"):
            return self.node(Keyword(this="DEFAULT"), start)
        return self.parse_expression()

    def _table_argument(self, table: exp.Expr, start: int) -> exp.Expr:
        # The next comma starts the next argument: several columns need parentheses.
        partition: list[exp.Expr] = []
        if self.take("PARTITION", "BY"):
            several = self.at_symbol(TokenType.L_PAREN)
            partition = self.wrapped(self.parse_expression) if several else [self.parse_expression()]
        order, inner = None, self.mark()
        if self.take("ORDER", "BY"):
            several = self.at_symbol(TokenType.L_PAREN)
            keys = self.wrapped(self.parse_ordered) if several else [self.parse_ordered()]
            order = self.node(exp.Order(expressions=keys), inner)
        return self.node(TableArgument(this=table, partition_by=partition, order=order), start)

    # --- windows --------------------------------------------------------------------------------------------------

    def parse_window(self) -> WindowSpec:
        """The parenthesised body of OVER and of WINDOW."""
        start = self.mark()
        self.open()
        base = None
        if self.at_name() and not self.at("PARTITION") and not self.at_any(("ROWS", "RANGE")):
            base = self.name("a window")
        partition = self.listed(self.parse_expression) if self.take("PARTITION", "BY") else []
        order = self.parse_order()
        frame = self._frame() if self.at_any(("ROWS", "RANGE")) else None
        self.close()
        return self.node(WindowSpec(base=base, partition_by=partition, order=order, frame=frame), start)

    def _frame(self) -> Frame:
        start = self.mark()
        unit = self.take_any(("ROWS", "RANGE"))
        if self.take("BETWEEN"):
            lower = self._bound()
            self.need("AND")
            return self.node(Frame(unit=unit, start=lower, end=self._bound()), start)
        return self.node(Frame(unit=unit, start=self._bound()), start)

    def _bound(self) -> FrameBound:
        start = self.mark()
        if self.take("CURRENT", "ROW"):
            return self.node(FrameBound(kind="CURRENT ROW"), start)
        if self.take("UNBOUNDED"):
            side = self._side()
            return self.node(FrameBound(kind=f"UNBOUNDED {side}"), start)
        offset = self.parse_expression()
        return self.node(FrameBound(kind=self._side(), this=offset), start)

    def _side(self) -> str:
        side = self.take_any(("PRECEDING", "FOLLOWING"))
        if not side:
            self.fail_expected("PRECEDING or FOLLOWING")
        return side

    # --- special forms --------------------------------------------------------------------------------------------

    def special_form(self, word: str) -> exp.Expr | None:
        """The call at the cursor when its function has a grammar of its own; else None."""
        reader = _SPECIAL.get(word)
        if reader is None:
            return None
        start = self.mark()
        name = self.node(exp.Identifier(this=self._curr.text, quoted=False), start)
        self._advance(2)
        name.meta["end"] = self._tokens[self._index - 2].end + 1
        result = reader(self, name)
        self.close()
        if isinstance(result, Call) and word != "JSON_OBJECTAGG":
            return self._call_suffix(result, start)
        return self.node(result, start)

    def time_unit(self) -> Keyword:
        """A time unit, its ODBC spelling resolved."""
        start = self.mark()
        word = self.word()
        unit = _UNIT_SYNONYMS.get(word, word)
        if unit not in TIME_UNITS:
            self.fail_expected("a time unit such as YEAR, MONTH, DAY, HOUR, MINUTE or SECOND")
        self._advance()
        return self.node(Keyword(this=unit), start)

    def _extract(self, name: exp.Identifier) -> exp.Expr:
        unit = self.time_unit()
        self.need("FROM")
        return Call(parts=[name], expressions=[unit, self.parse_expression()])

    def _rounded(self, name: exp.Identifier) -> exp.Expr:
        value = self.parse_expression()
        if self.take("TO"):
            return Call(parts=[name], expressions=[value, self.time_unit()])
        return Call(parts=[name], expressions=[value])

    def _more(self) -> list[exp.Expr]:
        return self.listed(self.parse_argument) if self.take_symbol(TokenType.COMMA) else []

    def _trim(self, name: exp.Identifier) -> exp.Expr:
        start = self.mark()
        flag = self.take_any(("BOTH", "LEADING", "TRAILING"))
        keyword = self.node(Keyword(this=flag or "BOTH"), start)
        blank: exp.Expr = self.node(exp.Literal(this=" ", is_string=True), start)
        if flag and self.take("FROM"):
            return Call(parts=[name], expressions=[keyword, blank, self.parse_expression()])
        value = self.parse_expression()
        if self.take("FROM"):
            return Call(parts=[name], expressions=[keyword, value, self.parse_expression()])
        return Call(parts=[name], expressions=[keyword, blank, value])

    def _position(self, name: exp.Identifier) -> exp.Expr:
        # The operand binds tighter than IN, which is the keyword here.
        needle = self._sum()
        self.need("IN")
        arguments = [needle, self.parse_expression()]
        if self.take("FROM"):
            arguments.append(self.parse_expression())
        return Call(parts=[name], expressions=arguments)

    def _sum(self) -> exp.Expr:
        """An expression without predicates (see `grammar.expressions`)."""
        raise NotImplementedError

    def _substring(self, name: exp.Identifier) -> exp.Expr:
        arguments = [self.parse_expression()]
        if self.take("FROM"):
            arguments.append(self.parse_expression())
            if self.take("FOR"):
                arguments.append(self.parse_expression())
        else:
            arguments += self._more()
        return Call(parts=[name], expressions=arguments)

    def _overlay(self, name: exp.Identifier) -> exp.Expr:
        arguments = [self.parse_expression()]
        self.need("PLACING", remedy="write OVERLAY(s PLACING r FROM start [FOR length])")
        arguments.append(self.parse_expression())
        self.need("FROM")
        arguments.append(self.parse_expression())
        if self.take("FOR"):
            arguments.append(self.parse_expression())
        return Call(parts=[name], expressions=arguments)

    def _unit_first(self, name: exp.Identifier) -> exp.Expr:
        unit = self.time_unit()
        self.need_symbol(TokenType.COMMA, ",")
        return Call(parts=[name], expressions=[unit, *self.listed(self.parse_argument)])


_SPECIAL: dict[str, Callable[[Functions, exp.Identifier], exp.Expr]] = {
    "EXTRACT": Functions._extract,
    "FLOOR": Functions._rounded,
    "CEIL": Functions._rounded,
    "CEILING": Functions._rounded,
    "TRIM": Functions._trim,
    "POSITION": Functions._position,
    "SUBSTRING": Functions._substring,
    "OVERLAY": Functions._overlay,
    "TIMESTAMPADD": Functions._unit_first,
    "TIMESTAMPDIFF": Functions._unit_first,
    "JSON_VALUE": JsonFunctions.json_value,
    "JSON_QUERY": JsonFunctions.json_query,
    "JSON_EXISTS": JsonFunctions.json_exists,
    "JSON_OBJECT": JsonFunctions.json_object,
    "JSON_ARRAY": JsonFunctions.json_array,
    "JSON_OBJECTAGG": JsonFunctions.json_objectagg,
}
