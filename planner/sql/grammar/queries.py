"""Queries: WITH, SELECT, set operations, VALUES, ORDER BY and LIMIT."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from compiled_plan.planner.sql.grammar.primaries import QUERY_STARTS
from compiled_plan.planner.sql.grammar.relations import Relations
from compiled_plan.planner.sql.grammar.tokens import END
from compiled_plan.planner.sql.nodes import (
    Alias,
    AllColumns,
    Cube,
    GroupBy,
    GroupingSets,
    NamedWindow,
    Rollup,
    RowValue,
    Select,
    SetOperation,
    TableAlias,
    TableRef,
    Values,
    With,
    WithQuery,
)

if TYPE_CHECKING:
    from compiled_plan.planner.sql.nodes import Expression, Identifier, QueryNode

_QUERY_CONTINUES = ("UNION", "EXCEPT", "INTERSECT", "MINUS", "ORDER", "LIMIT", "OFFSET", "FETCH")
_GROUPINGS = {"ROLLUP": Rollup, "CUBE": Cube}


class Queries(Relations):
    def at_query(self) -> bool:
        """Return True if a query starts here, in any number of parentheses."""
        ahead = self.parentheses_ahead()
        word = self.peek_word(ahead)
        if word == "TABLE":
            return self.peek(ahead + 1).kind not in ("(", END)
        if word not in QUERY_STARTS:
            return False
        # ((SELECT ...) + 1) is an expression: a query must end before its opening parenthesis closes.
        return ahead < 2 or self._closes_together(ahead)

    def _closes_together(self, depth: int) -> bool:
        """Return True if `depth` opening parentheses contain only a query and set operations over queries."""
        level = 0
        for index in range(self.index, len(self.tokens)):
            token = self.tokens[index]
            if token.kind == "(":
                level += 1
            elif token.kind == ")":
                level -= 1
                if level == 0:
                    return True
                after = self.tokens[index + 1].text.upper()
                if level < depth and after in _QUERY_CONTINUES:
                    return True
                if level < depth and after != ")":
                    return False
        return True

    def parse_query(self) -> QueryNode:
        """A query with its WITH, ORDER BY, LIMIT and OFFSET."""
        start = self.mark()
        with_ = self._with()
        query = self._set_operations()
        order = self.parse_order()
        limit, offset = self._limits()
        if with_ is not None:
            query = replace(query, with_=with_)
        if order is not None or limit is not None or offset is not None:
            query = replace(query, order=order, limit=limit, offset=offset)
        return self.node(query, start)

    # --- WITH -----------------------------------------------------------------------------------------------------

    def _with(self) -> With | None:
        start = self.mark()
        if not self.take("WITH"):
            return None
        recursive = self.take("RECURSIVE")
        return self.node(With(tuple(self.listed(self._with_query)), recursive), start)

    def _with_query(self) -> WithQuery:
        start = self.mark()
        name = self.name("the name of a WITH query")
        columns = self.names() if self.at_symbol("(") else ()
        alias = self.node(TableAlias(name, columns), start)
        self.need("AS")
        self.open("and a query")
        query = self.parse_query()
        self.close()
        return self.node(WithQuery(alias, query), start)

    # --- set operations -------------------------------------------------------------------------------------------

    def _set_operations(self) -> QueryNode:
        start = self.mark()
        left = self._intersections()
        while word := self.take_any(("UNION", "EXCEPT")):
            operator: Literal["UNION", "EXCEPT"] = "UNION" if word == "UNION" else "EXCEPT"
            distinct = self._distinct_set()
            left = self.node(SetOperation(operator, left, self._intersections(), distinct), start)
        return left

    def _intersections(self) -> QueryNode:
        start = self.mark()
        left = self._leaf()
        while self.take("INTERSECT"):
            distinct = self._distinct_set()
            left = self.node(SetOperation("INTERSECT", left, self._leaf(), distinct), start)
        return left

    def _distinct_set(self) -> bool:
        if self.take("ALL"):
            return False
        self.take("DISTINCT")
        return True

    def _leaf(self) -> QueryNode:
        if self.at("SELECT"):
            return self._select()
        if self.at("VALUES"):
            return self._values()
        if self.at("TABLE"):
            return self._explicit_table()
        if self.at_symbol("("):
            return self.parse_parenthesised_query()
        self.fail_expected("a query (SELECT, VALUES, WITH or TABLE)")

    def _values(self) -> QueryNode:
        start = self.mark()
        self.need("VALUES")
        return self.node(Values(tuple(self.listed(self._row_of_values))), start)

    def _row_of_values(self) -> RowValue:
        start = self.mark()
        if self.at("ROW") and self.following.kind == "(":
            self.advance()
            return self.node(RowValue(tuple(self.wrapped(self.parse_expression))), start)
        if self.at_symbol("(") and self.peek_word(1) == "ROW" and self.peek(2).kind == "(":
            # Flink's parser reads (ROW(...)) as the row itself; a row as the first of several values is an error.
            self.open()
            row = self._row_of_values()
            self.close()
            return row
        value = self.parse_expression()
        if isinstance(value, RowValue) and not value.explicit:
            return value
        return self.node(RowValue((value,)), start)

    def _explicit_table(self) -> QueryNode:
        start = self.mark()
        self.need("TABLE")
        inner = self.mark()
        table = self.node(TableRef(self.dotted("a table name")), inner)
        every = self.node(AllColumns(), start)
        return self.node(Select(items=(every,), source=table), start)

    # --- SELECT ---------------------------------------------------------------------------------------------------

    def _select(self) -> QueryNode:
        start = self.mark()
        self.need("SELECT")
        hints = self.parse_hints()
        if self.at("STREAM") and self.following.kind != "(":
            self.fail("SELECT STREAM is not supported", remedy="leave STREAM out: every table here is a stream")
        distinct = self._distinct()
        items = tuple(self.listed(self._select_item))
        clauses = self._select_clauses() if self.take("FROM") else {}
        return self.node(Select(hints=hints, distinct=distinct, items=items, **clauses), start)

    def _distinct(self) -> bool:
        if self.take("DISTINCT"):
            return True
        self.take("ALL")
        return False

    def _select_clauses(self) -> dict[str, Any]:
        """Parse FROM after the word itself, and the clauses after it, by the fields of `Select`."""
        return {
            "source": self.parse_from(),
            "where": self.parse_expression() if self.take("WHERE") else None,
            "group": self._group(),
            "having": self.parse_expression() if self.take("HAVING") else None,
            "windows": tuple(self.listed(self._named_window)) if self.take("WINDOW") else (),
            "qualify": self.parse_expression() if self.take("QUALIFY") else None,
        }

    def _group(self) -> GroupBy | None:
        start = self.mark()
        if not self.take("GROUP", "BY"):
            return None
        distinct = self._distinct()
        return self.node(GroupBy(tuple(self.listed(self._group_item)), distinct), start)

    def _select_item(self) -> Expression:
        start = self.mark()
        if self.take_symbol("*"):
            return self.node(AllColumns(), start)
        value = self.parse_expression()
        if isinstance(value, AllColumns):
            return value
        if self.take("AS") or self.at_name():
            return self.node(Alias(value, self._alias_name()), start)
        if self.at_string():
            self._alias_name()
        return value

    def _alias_name(self) -> Identifier:
        if self.at_string():
            self.fail("SQL parse failed: an alias is a name, not a string", remedy="put the alias in backticks")
        return self.name("an alias")

    def _group_item(self) -> Expression:
        start = self.mark()
        if self.take("GROUPING", "SETS"):
            return self.node(GroupingSets(tuple(self.wrapped(self._group_item))), start)
        if self.word() in _GROUPINGS and self.following.kind == "(":
            kind = _GROUPINGS[self.take_any(_GROUPINGS)]
            return self.node(kind(tuple(self.wrapped(self._group_item))), start)
        if self.at_symbol("(") and self.following.kind == ")":
            self.advance(2)
            return self.node(RowValue(()), start)
        return self.parse_expression()

    def _named_window(self) -> NamedWindow:
        start = self.mark()
        name = self.name("a window name")
        self.need("AS")
        return self.node(NamedWindow(name, self.parse_window()), start)

    # --- LIMIT ----------------------------------------------------------------------------------------------------

    def _limits(self) -> tuple[int | None, int | None]:
        limit = offset = None
        if self.take("LIMIT"):
            if not self.take("ALL"):
                limit = self._count()
            if self.at_symbol(","):
                self.fail("SQL parse failed: 'LIMIT start, count' is not Flink SQL", remedy="write LIMIT n OFFSET m")
        if self.take("OFFSET"):
            offset = self._count()
            self.take_any(("ROW", "ROWS"))
        if self.at("LIMIT"):
            self.fail("SQL parse failed: LIMIT comes before OFFSET", remedy="write LIMIT n OFFSET m")
        if limit is None and self.take("FETCH"):
            if not self.take_any(("FIRST", "NEXT")):
                self.fail_expected("FIRST or NEXT")
            limit = self._count()
            if not self.take_any(("ROW", "ROWS")):
                self.fail_expected("ROW or ROWS")
            self.need("ONLY")
        return limit, offset

    def _count(self) -> int:
        return self.integer("a number of rows")
