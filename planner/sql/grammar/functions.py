"""Calls: plain ones, and functions with a grammar of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from compiled_plan.planner.diagnostics.foreign import function_remedy
from compiled_plan.planner.functions.models import MODEL_REMEDY, REFUSED
from compiled_plan.planner.sql.grammar.jsons import JsonFunctions
from compiled_plan.planner.sql.grammar.reserved_words import BARE_FUNCTIONS, CALLABLE, COLUMN_WORDS, RESERVED
from compiled_plan.planner.sql.grammar.tokens import QUOTED, WORD
from compiled_plan.planner.sql.nodes import (
    AllColumns,
    Call,
    Constant,
    Descriptor,
    Frame,
    FrameBound,
    Keyword,
    NamedArgument,
    OrderBy,
    Ordered,
    Subquery,
    TableArgument,
    TableRef,
    WindowSpec,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from compiled_plan.planner.sql.nodes import Expression, Identifier

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
    # --- plain calls ----------------------------------------------------------------------------------------------

    def parse_call(self, parts: tuple[Identifier, ...], start: int) -> Call:
        """Parse the arguments of a call and the clauses after them; the cursor is at the opening parenthesis."""
        name = parts[0].name.upper() if len(parts) == 1 else ""
        if name in REFUSED:
            self.refuse(f"the function {name}", token=self.previous, remedy=REFUSED[name])
        self.open()
        distinct = self.take("DISTINCT")
        if not distinct:
            self.take("ALL")
        star = self.mark()
        arguments: list[Expression] = []
        if not distinct and self.take_symbol("*"):
            arguments = [self.node(AllColumns(), star)]
        elif not self.at_symbol(")"):
            arguments = self.listed(lambda: self._argument_of(name))
        # Flink allows this inside the parentheses of ARRAY_AGG only.
        nulls = self._nulls() if parts[-1].name.upper() == "ARRAY_AGG" else ""
        order, on_null = self.parse_order(), self._on_null()
        self.close()
        return self._call_suffix(Call(parts, tuple(arguments), distinct, nulls, order, on_null), start)

    def _argument_of(self, name: str) -> Expression:
        """An argument; DAY in DATEADD(DAY, 1, ts) is none, and its function belongs to another dialect."""
        alone = self.word() in RESERVED and self.following.kind in (",", ")")
        if alone and (self.word() not in CALLABLE or self.word() in TIME_UNITS) and (remedy := function_remedy(name)):
            self.fail(f"no function is named {name!r}", token=self.current, remedy=remedy)
        return self.parse_argument()

    def _call_suffix(self, call: Call, start: int) -> Call:
        nulls = self._nulls() or call.nulls
        within_group = condition = over = None
        if self.take("WITHIN", "GROUP"):
            self.open()
            within_group = self.parse_order()
            self.close()
        if self.at("FILTER") and self.following.kind == "(":
            self.advance(2)
            self.need("WHERE")
            condition = self.parse_expression()
            self.close()
        if self.take("OVER"):
            over = self.parse_window() if self.at_symbol("(") else self.name("a window")
        return self.node(replace(call, nulls=nulls, within_group=within_group, filter=condition, over=over), start)

    def _nulls(self) -> str:
        if self.at("IGNORE", "NULLS") or self.at("RESPECT", "NULLS"):
            word = self.word()
            self.advance(2)
            return word
        return ""

    def parse_argument(self) -> Expression:
        """One argument: a value, DEFAULT, a named argument, a table, a descriptor, or a query."""
        start = self.mark()
        if self.at_name() and self.following.kind == "=>":
            name = self.name("an argument name")
            self.advance()
            return self.node(NamedArgument(name, self._argument_value()), start)
        return self._argument_value()

    def _argument_value(self) -> Expression:
        start = self.mark()
        if self.at("TABLE") and self.following.kind != "(":
            self.advance()
            inner = self.mark()
            table = self.node(TableRef(self.dotted("a table name")), inner)
            return self._table_argument(table, start)
        if self.at("TABLE"):
            self.advance()
        if self.at_query():
            value = self.parse_expression() if self.at_symbol("(") else self.node(Subquery(self.parse_query()), start)
            return self._table_argument(value, start) if self.at_any(("PARTITION", "ORDER")) else value
        if self.at("DESCRIPTOR") and self.following.kind == "(":
            self.advance()
            names = self.wrapped(lambda: self.name("a column name", COLUMN_WORDS | BARE_FUNCTIONS))
            return self.node(Descriptor(tuple(names)), start)
        if self.at("MODEL") and self.following.kind in (WORD, QUOTED):
            self.refuse("a MODEL argument", remedy=MODEL_REMEDY)
        if self.take("DEFAULT"):
            return self.node(Keyword("DEFAULT"), start)
        return self.parse_expression()

    def _table_argument(self, table: TableRef | Expression, start: int) -> TableArgument:
        # The next comma starts the next argument: several columns need parentheses.
        partition: list[Expression] = []
        if self.take("PARTITION", "BY"):
            several = self.at_symbol("(")
            partition = self.wrapped(self.parse_expression) if several else [self.parse_expression()]
        order, inner = None, self.mark()
        if self.take("ORDER", "BY"):
            several = self.at_symbol("(")
            keys = self.wrapped(self.parse_ordered) if several else [self.parse_ordered()]
            order = self.node(OrderBy(tuple(keys)), inner)
        return self.node(TableArgument(table, tuple(partition), order), start)

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
        if self.at("DISALLOW", "PARTIAL"):
            self.refuse("DISALLOW PARTIAL", remedy="filter by COUNT(*) over the same window")
        self.take("ALLOW", "PARTIAL")
        self.close()
        return self.node(WindowSpec(base, tuple(partition), order, frame), start)

    def _frame(self) -> Frame:
        start = self.mark()
        unit = self.take_any(("ROWS", "RANGE"))
        if self.take("BETWEEN"):
            lower = self._bound()
            self.need("AND")
            return self.node(Frame(unit, lower, self._bound()), start)
        return self.node(Frame(unit, self._bound()), start)

    def _bound(self) -> FrameBound:
        start = self.mark()
        if self.take("CURRENT", "ROW"):
            return self.node(FrameBound("CURRENT ROW"), start)
        if self.take("UNBOUNDED"):
            side = self._side()
            return self.node(FrameBound(f"UNBOUNDED {side}"), start)
        offset = self.parse_expression()
        return self.node(FrameBound(self._side(), offset), start)

    def _side(self) -> str:
        side = self.take_any(("PRECEDING", "FOLLOWING"))
        if not side:
            self.fail_expected("PRECEDING or FOLLOWING")
        return side

    # --- ORDER BY -------------------------------------------------------------------------------------------------

    def parse_order(self) -> OrderBy | None:
        start = self.mark()
        if not self.take("ORDER", "BY"):
            return None
        return self.node(OrderBy(tuple(self.listed(self.parse_ordered))), start)

    def parse_ordered(self) -> Ordered:
        """Parse a key of ORDER BY with its direction and position of nulls."""
        start = self.mark()
        value = self.parse_expression()
        descending = self.take_any(("ASC", "DESC")) == "DESC"
        nulls_first = None
        if self.take("NULLS"):
            side = self.take_any(("FIRST", "LAST"))
            if not side:
                self.fail_expected("FIRST or LAST")
            nulls_first = side == "FIRST"
        return self.node(Ordered(value, descending, nulls_first), start)

    # --- special forms --------------------------------------------------------------------------------------------

    def special_form(self, word: str) -> Expression | None:
        """The call at the cursor if its function has a grammar of its own; else None."""
        reader = _SPECIAL.get(word)
        if reader is None:
            return None
        start = self.mark()
        name = self.identifier()
        self.open()
        result = reader(self, name)
        self.close()
        if isinstance(result, Call) and word != "JSON_OBJECTAGG":
            return self._call_suffix(result, start)
        return self.node(result, start)

    def time_unit(self) -> Keyword:
        """Parse a time unit, and resolve its ODBC spelling."""
        start = self.mark()
        word = self.word()
        unit = _UNIT_SYNONYMS.get(word, word)
        if unit not in TIME_UNITS:
            quoted = self.at_string() and self.current.text.upper() in TIME_UNITS
            remedy = f"write the unit without quotes: {self.current.text.upper()}" if quoted else ""
            self.fail_expected("a time unit such as YEAR, MONTH, DAY, HOUR, MINUTE or SECOND", remedy=remedy)
        self.advance()
        return self.node(Keyword(unit), start)

    def _extract(self, name: Identifier) -> Call:
        unit = self.time_unit()
        self.need("FROM")
        return Call((name,), (unit, self.parse_expression()))

    def _rounded(self, name: Identifier) -> Call:
        value = self.parse_expression()
        if self.take("TO"):
            return Call((name,), (value, self.time_unit()))
        return Call((name,), (value,))

    def _more(self) -> list[Expression]:
        return self.listed(self.parse_argument) if self.take_symbol(",") else []

    def _trim(self, name: Identifier) -> Call:
        start = self.mark()
        flag = self.take_any(("BOTH", "LEADING", "TRAILING"))
        keyword = self.node(Keyword(flag or "BOTH"), start)
        blank = self.node(Constant(" ", is_string=True), start)
        if flag and self.take("FROM"):
            return Call((name,), (keyword, blank, self.parse_expression()))
        value = self.parse_expression()
        if self.take("FROM"):
            return Call((name,), (keyword, value, self.parse_expression()))
        return Call((name,), (keyword, blank, value))

    def _position(self, name: Identifier) -> Call:
        # The operand binds tighter than IN, which is the keyword here.
        needle = self._sum()
        self.need("IN")
        arguments = [needle, self.parse_expression()]
        if self.take("FROM"):
            arguments.append(self.parse_expression())
        return Call((name,), tuple(arguments))

    def _substring(self, name: Identifier) -> Call:
        arguments = [self.parse_expression()]
        for word in ("FROM", "FOR"):
            if not self.take(word) and not self.take_symbol(","):
                break
            arguments.append(self.parse_expression())
        return Call((name,), tuple(arguments))

    def _overlay(self, name: Identifier) -> Call:
        arguments = [self.parse_expression()]
        self.need("PLACING", remedy="write OVERLAY(s PLACING r FROM start [FOR length])")
        arguments.append(self.parse_expression())
        self.need("FROM")
        arguments.append(self.parse_expression())
        if self.take("FOR"):
            arguments.append(self.parse_expression())
        return Call((name,), tuple(arguments))

    def _unit_first(self, name: Identifier) -> Call:
        unit = self.time_unit()
        self.need_symbol(",")
        return Call((name,), (unit, *self.listed(self.parse_argument)))


_SPECIAL: dict[str, Callable[[Functions, Identifier], Expression]] = {
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
