"""What stands in FROM: tables, joins, table functions, UNNEST, MATCH_RECOGNIZE, and hints."""

from __future__ import annotations

from sqlglot import TokenType, exp

from compiled_plan.planner.sql.grammar.expressions import Expressions
from compiled_plan.planner.sql.grammar.primaries import QUERY_STARTS
from compiled_plan.planner.sql.nodes import (
    Call,
    HintOption,
    Join,
    MatchRecognize,
    RowValue,
    TableFunction,
    TableHint,
    TableRef,
    Unnest,
)

_SIDES = ("LEFT", "RIGHT", "FULL")


class Relations(Expressions):
    """Relations and joins."""

    def parse_from(self) -> exp.Expr:
        """The relations of FROM: commas and joins, from left to right."""
        return self._joined(commas=True)

    def _joined(self, *, commas: bool = False) -> exp.Expr:
        start = self.mark()
        left = self._relation()
        while True:
            if commas and self.take_symbol(TokenType.COMMA):
                left = self.node(Join(left=left, right=self._relation(), kind="COMMA"), start)
                continue
            natural = self.take("NATURAL")
            kind = self._join_kind()
            if not kind:
                if natural:
                    self.fail_expected("JOIN")
                return left
            token = self._prev
            right = self._relation()
            join = Join(left=left, right=right, kind=kind, natural=natural)
            if self.take("ON"):
                join.set("on", self.parse_expression())
            elif self.take("USING"):
                join.set("using", self.names())
            elif kind != "CROSS" and not natural:
                self.fail(
                    f"SQL parse failed: {kind} JOIN needs a condition",
                    token=token,
                    remedy="add ON condition or USING (columns), or write CROSS JOIN",
                )
            left = self.node(join, start)

    def _join_kind(self) -> str:
        if self.take("CROSS", "JOIN"):
            return "CROSS"
        if self.take("JOIN") or self.take("INNER", "JOIN"):
            return "INNER"
        side = self.word() if self.at_any(_SIDES) else ""
        if not side or self._next.token_type != TokenType.VAR:
            return ""
        self._advance()
        self.take("OUTER")
        if self.at_any(("SEMI", "ANTI")):
            self.fail(
                f"SQL parse failed: {side} {self.word()} JOIN is not Flink SQL",
                remedy="write WHERE [NOT] EXISTS (SELECT ...) or [NOT] IN (SELECT ...)",
            )
        self.need("JOIN")
        return side

    # --- one relation ---------------------------------------------------------------------------------------------

    def _relation(self) -> exp.Expr:
        start = self.mark()
        relation = self._bare_relation()
        if isinstance(relation, Join):
            return relation
        if self.at("MATCH_RECOGNIZE"):
            relation = self._match_recognize(relation, start)
        if self.at_any(("PIVOT", "UNPIVOT", "TABLESAMPLE")):
            self.refuse(self.word())
        alias = self._table_alias()
        if alias is not None:
            relation.set("alias", alias)
        if self.at("MATCH_RECOGNIZE"):
            relation = self._match_recognize(self.node(relation, start), start)
            relation.set("alias", self._table_alias())
        return self.node(relation, start)

    def _bare_relation(self) -> exp.Expr:
        start = self.mark()
        lateral = self.take("LATERAL")
        if self.at("UNNEST"):
            self._advance()
            operands = self._unnest_operands()
            ordinality = self.take("WITH", "ORDINALITY")
            return self.node(Unnest(expressions=operands, ordinality=ordinality, lateral=lateral), start)
        if self.take("TABLE"):
            self.open("and a table function")
            call = self._table_call()
            self.close()
            form = "LATERAL TABLE" if lateral else "TABLE"
            return self.node(TableFunction(call=call, form=form, lateral=lateral), start)
        if self.at_symbol(TokenType.L_PAREN):
            return self._parenthesised_relation(start, lateral)
        if lateral:
            self.fail_expected("TABLE(...), UNNEST(...) or a query in parentheses after LATERAL")
        parts = self.dotted("a table name")
        if self.at_symbol(TokenType.L_PAREN):
            call = self.parse_call(parts, start)
            return self.node(TableFunction(call=call, form="", lateral=False), start)
        table = TableRef(parts=parts, hints=self.parse_hints())
        if self.take("FOR", "SYSTEM_TIME", "AS", "OF"):
            table.set("as_of", self._sum())
        return self.node(table, start)

    def _unnest_operands(self) -> list[exp.Expr]:
        is_query = self._next.token_type == TokenType.VAR and self.peek_word(1) in QUERY_STARTS
        if is_query:
            return [self.parse_parenthesised_query(self.parse_query)]
        return self.wrapped(self.parse_expression)

    def _table_call(self) -> exp.Expr:
        call = self.parse_expression()
        if not isinstance(call, Call):
            span = self.span_from(call.meta["start"])
            self.fail("SQL parse failed: TABLE(...) takes the call of a table function", span=span)
        return call

    def _parenthesised_relation(self, start: int, lateral: bool) -> exp.Expr:
        if self.at_query():
            subquery = self.parse_parenthesised_query(self.parse_query)
            if lateral:
                subquery.set("lateral", True)
            return self.node(subquery, start)
        if lateral:
            self._advance()
            self.fail_expected("a query")
        self.open()
        relation = self.parse_from()
        self.close()
        if not isinstance(relation, Join):
            self.fail("SQL parse failed: parentheses in FROM hold a query or a join", span=self.span_from(start))
        return relation

    def _table_alias(self) -> exp.TableAlias | None:
        start = self.mark()
        if not self.take("AS") and not self.at_name():
            return None
        name = self.name("an alias")
        columns = self.names() if self.at_symbol(TokenType.L_PAREN) else []
        return self.node(exp.TableAlias(this=name, columns=columns), start)

    # --- hints ----------------------------------------------------------------------------------------------------

    def parse_hints(self) -> list[TableHint]:
        """`/*+ NAME('k' = 'v'), NAME(a, b) */`, or an empty list."""
        if not self.take_symbol(TokenType.HINT):
            return []
        hints = self.listed(self._hint)
        self.need_symbol(TokenType.BLOCK_END, "*/")
        return hints

    def _hint(self) -> TableHint:
        start = self.mark()
        name = self.name("the name of a hint")
        options: list[exp.Expr] = []
        arguments: list[exp.Expr] = []
        if self.take_symbol(TokenType.L_PAREN) and not self.take_symbol(TokenType.R_PAREN):
            for item in self.listed(self._hint_item):
                (options if isinstance(item, HintOption) else arguments).append(item)
            if options and arguments:
                span = self.span_from(arguments[0].meta["start"])
                self.fail("SQL parse failed: a hint takes options with values, or names, not both", span=span)
            self.close()
        return self.node(TableHint(this=name, options=options, expressions=arguments), start)

    def _hint_item(self) -> exp.Expr:
        start = self.mark()
        item: exp.Expr
        if self.at_string():
            item = self.node(exp.Literal(this=self.string(), is_string=True), start)
        elif self._curr.token_type == TokenType.NUMBER:
            item = self._number()
        else:
            item = self.name("a hint option")
        if self.take_symbol(TokenType.EQ):
            return self.node(HintOption(key_=item.name, value=self.string("the value of the hint option")), start)
        return item

    # --- MATCH_RECOGNIZE ------------------------------------------------------------------------------------------

    def _match_recognize(self, relation: exp.Expr, start: int) -> exp.Expr:
        self.need("MATCH_RECOGNIZE")
        self.open()
        match = MatchRecognize(this=relation)
        if self.take("PARTITION", "BY"):
            match.set("partition_by", self.listed(self.parse_expression))
        match.set("order", self.parse_order())
        if self.take("MEASURES"):
            match.set("measures", self.listed(self._measure))
        if self.take("ONE", "ROW", "PER", "MATCH"):
            match.set("rows", "ONE ROW PER MATCH")
        elif self.take("ALL", "ROWS", "PER", "MATCH"):
            match.set("rows", "ALL ROWS PER MATCH")
        if self.take("AFTER", "MATCH"):
            self._after_match(match)
        self.need("PATTERN")
        match.set("pattern", self._pattern())
        if self.take("WITHIN"):
            match.set("within", self._sum())
        if self.take("SUBSET"):
            match.set("subset", self.listed(self._subset))
        self.need("DEFINE")
        match.set("define", self.listed(self._definition))
        self.close()
        return self.node(match, start)

    def _measure(self) -> exp.Expr:
        start = self.mark()
        self.take_any(("FINAL", "RUNNING"))
        value = self.parse_expression()
        self.need("AS")
        return self.node(exp.Alias(this=value, alias=self.name("the name of a measure")), start)

    def _after_match(self, match: MatchRecognize) -> None:
        self.need("SKIP")
        if self.take("PAST", "LAST", "ROW"):
            match.set("after", "SKIP PAST LAST ROW")
        elif self.take("TO", "NEXT", "ROW"):
            match.set("after", "SKIP TO NEXT ROW")
        else:
            self.need("TO")
            side = self.take_any(("FIRST", "LAST")) or "LAST"
            match.set("after", f"SKIP TO {side}")
            match.set("after_variable", self.name("a pattern variable"))

    def _pattern(self) -> str:
        """The text between the parentheses of PATTERN, parentheses balanced."""
        self.open()
        start, depth = self.mark(), 1
        while depth and self._curr:
            if self.at_symbol(TokenType.L_PAREN):
                depth += 1
            elif self.at_symbol(TokenType.R_PAREN):
                depth -= 1
                if not depth:
                    break
            self._advance()
        end = self.mark()
        self.close()
        return self.sql[start:end].strip()

    def _subset(self) -> exp.Expr:
        start = self.mark()
        name = self.name("a pattern variable")
        self.need_symbol(TokenType.EQ, "=")
        inner = self.mark()
        members = self.node(RowValue(expressions=self.names("a pattern variable")), inner)
        return self.node(exp.Alias(this=members, alias=name), start)

    def _definition(self) -> exp.Expr:
        start = self.mark()
        name = self.name("a pattern variable")
        self.need("AS")
        return self.node(exp.Alias(this=self.parse_expression(), alias=name), start)
