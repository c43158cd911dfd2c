"""Queries: WITH, SELECT, set operations, VALUES, ORDER BY and LIMIT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import TokenType, exp

from compiled_plan.planner.sql.grammar.primaries import QUERY_STARTS
from compiled_plan.planner.sql.grammar.relations import Relations
from compiled_plan.planner.sql.nodes import (
    AllColumns,
    Cube,
    GroupBy,
    GroupingSets,
    NamedWindow,
    Rollup,
    RowValue,
    TableRef,
)

if TYPE_CHECKING:
    from collections.abc import Callable

_SETS: dict[str, type[exp.SetOperation]] = {"UNION": exp.Union, "EXCEPT": exp.Except}
_QUERY_CONTINUES = ("UNION", "EXCEPT", "INTERSECT", "MINUS", "ORDER", "LIMIT", "OFFSET", "FETCH")
_GROUPINGS = {"ROLLUP": Rollup, "CUBE": Cube}


class Queries(Relations):
    """Everything that gives rows."""

    def at_query(self) -> bool:
        """Whether a query starts here, in any number of parentheses."""
        ahead = self.parentheses_ahead()
        word = self.peek_word(ahead)
        if word == "TABLE":
            following = self.peek(ahead + 1)
            return following is not None and following.token_type != TokenType.L_PAREN
        if word not in QUERY_STARTS:
            return False
        # ((SELECT ...) + 1) is an expression: the query must end before the parenthesis it started in does.
        return ahead < 2 or self._closes_together(ahead)

    def _closes_together(self, depth: int) -> bool:
        """Whether `depth` opening parentheses hold nothing but a query and set operations over queries."""
        level = 0
        for index in range(self._index, self._tokens_size):
            token = self._tokens[index]
            if token.token_type == TokenType.L_PAREN:
                level += 1
            elif token.token_type == TokenType.R_PAREN:
                level -= 1
                if level == 0:
                    return True
                after = self._tokens[index + 1].text.upper() if index + 1 < self._tokens_size else ""
                if level < depth and after in _QUERY_CONTINUES:
                    return True
                if level < depth and after != ")":
                    return False
        return True

    def parse_query(self) -> exp.Expr:
        """A query with its WITH, ORDER BY, LIMIT and OFFSET."""
        start = self.mark()
        with_ = self._with()
        query = self._set_operations()
        order = self.parse_order()
        limit, offset = self._limits()
        if with_ is not None:
            if query.args.get("with_"):
                query = self.node(exp.Subquery(this=query), start)
            query.set("with_", with_)
        if order or limit or offset:
            if any(query.args.get(key) for key in ("order", "limit", "offset")):
                query = self.node(exp.Subquery(this=query), start)
            query.set("order", order)
            query.set("limit", limit)
            query.set("offset", offset)
        return self.node(query, start)

    def parse_parenthesised_query(self, inner: Callable[[], exp.Expr]) -> exp.Subquery:
        """A query in parentheses."""
        start = self.mark()
        self.open()
        query = inner()
        self.close()
        return self.node(exp.Subquery(this=query), start)

    # --- WITH -----------------------------------------------------------------------------------------------------

    def _with(self) -> exp.With | None:
        start = self.mark()
        if not self.take("WITH"):
            return None
        recursive = self.take("RECURSIVE")
        return self.node(exp.With(expressions=self.listed(self._cte), recursive=recursive), start)

    def _cte(self) -> exp.CTE:
        start = self.mark()
        name = self.name("the name of a WITH query")
        columns = self.names() if self.at_symbol(TokenType.L_PAREN) else []
        alias = self.node(exp.TableAlias(this=name, columns=columns), start)
        self.need("AS")
        self.open("and a query")
        query = self.parse_query()
        self.close()
        return self.node(exp.CTE(this=query, alias=alias), start)

    # --- set operations -------------------------------------------------------------------------------------------

    def _set_operations(self) -> exp.Expr:
        start = self.mark()
        left = self._intersections()
        while word := self.take_any(_SETS):
            distinct = self._distinct_set()
            right = self._intersections()
            left = self.node(_SETS[word](this=left, expression=right, distinct=distinct), start)
        if self.at("MINUS"):
            self.fail("SQL parse failed: MINUS is not an operator of Flink SQL", remedy="write EXCEPT")
        return left

    def _intersections(self) -> exp.Expr:
        start = self.mark()
        left = self._leaf()
        while self.take("INTERSECT"):
            distinct = self._distinct_set()
            left = self.node(exp.Intersect(this=left, expression=self._leaf(), distinct=distinct), start)
        return left

    def _distinct_set(self) -> bool:
        if self.take("ALL"):
            return False
        self.take("DISTINCT")
        return True

    def _leaf(self) -> exp.Expr:
        if self.at("SELECT"):
            return self._select()
        if self.at("VALUES"):
            return self._values()
        if self.at("TABLE"):
            return self._explicit_table()
        if self.at_symbol(TokenType.L_PAREN):
            return self.parse_parenthesised_query(self.parse_query)
        self.fail_expected("a query (SELECT, VALUES, WITH or TABLE)")

    def _values(self) -> exp.Expr:
        start = self.mark()
        self.need("VALUES")
        return self.node(exp.Values(expressions=self.listed(self._row_of_values)), start)

    def _row_of_values(self) -> RowValue:
        start = self.mark()
        if self.at("ROW") and self._next.token_type == TokenType.L_PAREN:
            self._advance()
            return self.node(RowValue(expressions=self.wrapped(self.parse_expression)), start)
        if self.at_symbol(TokenType.L_PAREN) and self.peek_word(1) == "ROW" and self._is_call(2):
            # Flink's parser takes (ROW(...)) for the row itself; a row as the first of several values is an error.
            self.open()
            row = self._row_of_values()
            self.close()
            return row
        value = self.parse_expression()
        if isinstance(value, RowValue) and not value.args.get("explicit"):
            return value
        return self.node(RowValue(expressions=[value]), start)

    def _is_call(self, ahead: int) -> bool:
        token = self.peek(ahead)
        return token is not None and token.token_type == TokenType.L_PAREN

    def _explicit_table(self) -> exp.Expr:
        start = self.mark()
        self.need("TABLE")
        inner = self.mark()
        table = self.node(TableRef(parts=self.dotted("a table name")), inner)
        source = self.node(exp.From(this=table), inner)
        every = self.node(AllColumns(parts=[]), start)
        return self.node(exp.Select(expressions=[every], from_=source), start)

    # --- SELECT ---------------------------------------------------------------------------------------------------

    def _select(self) -> exp.Expr:
        start = self.mark()
        self.need("SELECT")
        select = exp.Select()
        hint_start = self.mark()
        if hints := self.parse_hints():
            select.set("hint", self.node(exp.Hint(expressions=hints), hint_start))
        if self.at("STREAM") and self._next.token_type != TokenType.L_PAREN:
            self.fail("SELECT STREAM is not supported", remedy="leave STREAM out: every table here is a stream")
        if self.at("DISTINCT"):
            inner = self.mark()
            self.take("DISTINCT")
            select.set("distinct", self.node(exp.Distinct(), inner))
        else:
            self.take("ALL")
        select.set("expressions", self.listed(self._select_item))
        clause = self.mark()
        if self.take("FROM"):
            relation = self.parse_from()
            select.set("from_", self.node(exp.From(this=relation), clause))
            self._select_clauses(select)
        return self.node(select, start)

    def _select_clauses(self, select: exp.Select) -> None:
        start = self.mark()
        if self.take("WHERE"):
            select.set("where", self.node(exp.Where(this=self.parse_expression()), start))
        start = self.mark()
        if self.take("GROUP", "BY"):
            distinct = self.take("DISTINCT")
            if not distinct:
                self.take("ALL")
            items = self.listed(self._group_item)
            select.set("group", self.node(GroupBy(expressions=items, distinct=distinct), start))
        start = self.mark()
        if self.take("HAVING"):
            select.set("having", self.node(exp.Having(this=self.parse_expression()), start))
        if self.take("WINDOW"):
            select.set("windows", self.listed(self._named_window))
        start = self.mark()
        if self.take("QUALIFY"):
            select.set("qualify", self.node(exp.Qualify(this=self.parse_expression()), start))

    def _select_item(self) -> exp.Expr:
        start = self.mark()
        if self.take_symbol(TokenType.STAR):
            return self.node(AllColumns(parts=[]), start)
        value = self.parse_expression()
        if isinstance(value, AllColumns):
            return value
        if self.take("AS") or self.at_name():
            return self.node(exp.Alias(this=value, alias=self._alias_name()), start)
        if self.at_string():
            self._alias_name()
        return value

    def _alias_name(self) -> exp.Identifier:
        if self.at_string():
            self.fail("SQL parse failed: an alias is a name, not a string", remedy="put the alias in backticks")
        return self.name("an alias")

    def _group_item(self) -> exp.Expr:
        start = self.mark()
        if self.take("GROUPING", "SETS"):
            return self.node(GroupingSets(expressions=self.wrapped(self._group_item)), start)
        if self.word() in _GROUPINGS and self._next.token_type == TokenType.L_PAREN:
            kind = _GROUPINGS[self.take_any(_GROUPINGS)]
            return self.node(kind(expressions=self.wrapped(self._group_item)), start)
        if self.at_symbol(TokenType.L_PAREN) and self._next.token_type == TokenType.R_PAREN:
            self._advance(2)
            return self.node(RowValue(expressions=[]), start)
        return self.parse_expression()

    def _named_window(self) -> NamedWindow:
        start = self.mark()
        name = self.name("a window name")
        self.need("AS")
        return self.node(NamedWindow(this=name, spec=self.parse_window()), start)

    # --- ORDER BY and LIMIT ---------------------------------------------------------------------------------------

    def parse_order(self) -> exp.Order | None:
        """ORDER BY, or None."""
        start = self.mark()
        if not self.take("ORDER", "BY"):
            return None
        return self.node(exp.Order(expressions=self.listed(self.parse_ordered)), start)

    def parse_ordered(self) -> exp.Ordered:
        """One key of ORDER BY with its direction and its place for nulls."""
        start = self.mark()
        value = self.parse_expression()
        descending = self.take_any(("ASC", "DESC")) == "DESC"
        nulls_first = None
        if self.take("NULLS"):
            side = self.take_any(("FIRST", "LAST"))
            if not side:
                self.fail_expected("FIRST or LAST")
            nulls_first = side == "FIRST"
        return self.node(exp.Ordered(this=value, desc=descending, nulls_first=nulls_first), start)

    def _limits(self) -> tuple[exp.Limit | None, exp.Offset | None]:
        limit: exp.Limit | None = None
        offset: exp.Offset | None = None
        start = self.mark()
        if self.take("LIMIT"):
            if not self.take("ALL"):
                limit = self.node(exp.Limit(expression=self._count()), start)
            if self.at_symbol(TokenType.COMMA):
                self.fail("SQL parse failed: 'LIMIT start, count' is not Flink SQL", remedy="write LIMIT n OFFSET m")
        start = self.mark()
        if self.take("OFFSET"):
            offset = self.node(exp.Offset(expression=self._count()), start)
            self.take_any(("ROW", "ROWS"))
        if self.at("LIMIT"):
            self.fail("SQL parse failed: LIMIT comes before OFFSET", remedy="write LIMIT n OFFSET m")
        start = self.mark()
        if limit is None and self.take("FETCH"):
            if not self.take_any(("FIRST", "NEXT")):
                self.fail_expected("FIRST or NEXT")
            count = self._count()
            if not self.take_any(("ROW", "ROWS")):
                self.fail_expected("ROW or ROWS")
            self.need("ONLY")
            limit = self.node(exp.Limit(expression=count), start)
        return limit, offset

    def _count(self) -> exp.Expr:
        start = self.mark()
        value = self.integer("a number of rows")
        return self.node(exp.Literal(this=str(value), is_string=False), start)
