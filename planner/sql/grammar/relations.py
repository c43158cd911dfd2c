"""Relations in FROM: tables, joins, table functions, UNNEST, MATCH_RECOGNIZE, and hints."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

from compiled_plan.planner.functions.models import REFUSED
from compiled_plan.planner.sql.grammar.expressions import Expressions
from compiled_plan.planner.sql.grammar.primaries import QUERY_STARTS
from compiled_plan.planner.sql.grammar.tokens import NUMBER, WORD
from compiled_plan.planner.sql.nodes import (
    Alias,
    Call,
    HintOption,
    Identifier,
    Join,
    MatchRecognize,
    Subquery,
    Subset,
    TableAlias,
    TableFunction,
    TableHint,
    TableRef,
    Unnest,
)
from compiled_plan.plans.errors import ProgramWarning

if TYPE_CHECKING:
    from compiled_plan.planner.sql.nodes import Expression, Relation

_SIDES = ("LEFT", "RIGHT", "FULL")


class Relations(Expressions):
    """Parser of relations and joins."""

    def parse_from(self) -> Relation:
        """The relations of FROM: commas and joins, from left to right."""
        return self._joined(commas=True)

    def _joined(self, *, commas: bool = False) -> Relation:
        start = self.mark()
        left = self._relation()
        while True:
            if commas and self.take_symbol(","):
                left = self.node(Join(left, self._relation(), "COMMA"), start)
                continue
            natural = self.take("NATURAL")
            kind = self._join_kind()
            if not kind:
                if natural:
                    self.fail_expected("JOIN")
                return left
            token = self.previous
            right = self._relation()
            on: Expression | None = None
            using: tuple[Identifier, ...] = ()
            if self.take("ON"):
                on = self.parse_expression()
            elif self.take("USING"):
                if not self.at_symbol("("):
                    remedy = f"put the columns in parentheses: USING ({self.current.text})"
                    self.fail_expected("'('", remedy=remedy)
                using = self.names()
            elif kind != "CROSS" and not natural:
                self.fail(
                    f"SQL parse failed: {kind} JOIN needs a condition",
                    token=token,
                    remedy="add ON condition or USING (columns), or write CROSS JOIN",
                )
            left = self.node(Join(left, right, kind, natural, on, using), start)

    def _join_kind(self) -> str:
        if self.take("CROSS", "JOIN"):
            return "CROSS"
        if self.take("JOIN") or self.take("INNER", "JOIN"):
            return "INNER"
        side = self.word() if self.at_any(_SIDES) else ""
        if not side or self.following.kind != WORD:
            return ""
        self.advance()
        self.take("OUTER")
        if self.at_any(("SEMI", "ANTI")):
            self.fail(
                f"SQL parse failed: {side} {self.word()} JOIN is not Flink SQL",
                remedy="write WHERE [NOT] EXISTS (SELECT ...) or [NOT] IN (SELECT ...)",
            )
        self.need("JOIN")
        return side

    # --- one relation ---------------------------------------------------------------------------------------------

    def _relation(self) -> Relation:
        start = self.mark()
        relation = self._bare_relation()
        if isinstance(relation, Join):
            return relation
        if self.at("MATCH_RECOGNIZE"):
            relation = self._match_recognize(relation)
        if self.at_any(("PIVOT", "UNPIVOT")):
            self.refuse(self.word())
        relation = replace(relation, alias=self._table_alias())
        self._sample()
        if self.at("MATCH_RECOGNIZE"):
            match = self._match_recognize(self.node(relation, start))
            relation = replace(match, alias=self._table_alias())
        return relation if isinstance(relation, MatchRecognize) else self.node(relation, start)

    def _sample(self) -> None:
        """Read `TABLESAMPLE SUBSTITUTE`, which has no effect, as in Flink; refuse other samples."""
        if self.take("TABLESAMPLE", "SUBSTITUTE"):
            self.open()
            name = self.string()
            self.close()
            message = f"TABLESAMPLE SUBSTITUTE({name!r}) has no effect, as in Flink: all rows of the table are read"
            warnings.warn(message, ProgramWarning, stacklevel=2)
        elif self.at("TABLESAMPLE"):
            self.refuse(self.word())

    def _bare_relation(self) -> Join | MatchRecognize | Subquery | TableFunction | TableRef | Unnest:
        start = self.mark()
        lateral = self.take("LATERAL")
        if self.at("UNNEST"):
            self.advance()
            operands = self._unnest_operands()
            ordinality = self.take("WITH", "ORDINALITY")
            return self.node(Unnest(operands, ordinality), start)
        if self.take("TABLE"):
            self.open("and a table function")
            call = self._table_call()
            self.close()
            return self.node(TableFunction(call), start)
        if self.at_symbol("("):
            return self._parenthesised_relation(start, lateral)
        if lateral and self.word() not in REFUSED:
            self.fail_expected("TABLE(...), UNNEST(...) or a query in parentheses after LATERAL")
        parts = self.dotted("a table name")
        if self.at_symbol("(") or lateral:
            return self.node(TableFunction(self.parse_call(parts, start)), start)
        hints = self.parse_hints()
        as_of = self._sum() if self.take("FOR", "SYSTEM_TIME", "AS", "OF") else None
        return self.node(TableRef(parts, hints, as_of), start)

    def _unnest_operands(self) -> tuple[Expression, ...]:
        if self.peek_word(1) in QUERY_STARTS:
            return (self.parse_parenthesised_query(),)
        return tuple(self.wrapped(self.parse_expression))

    def _table_call(self) -> Call:
        start = self.mark()
        call = self.parse_expression()
        if not isinstance(call, Call):
            span = self.span_from(start)
            self.fail("SQL parse failed: TABLE(...) takes the call of a table function", span=span)
        return call

    def _parenthesised_relation(self, start: int, lateral: bool) -> Join | Subquery:
        if self.at_query():
            subquery = self.parse_parenthesised_query()
            return self.node(replace(subquery, lateral=lateral), start)
        if lateral:
            self.advance()
            self.fail_expected("a query")
        self.open()
        relation = self.parse_from()
        self.close()
        if not isinstance(relation, Join):
            self.fail("SQL parse failed: parentheses in FROM hold a query or a join", span=self.span_from(start))
        return relation

    def _table_alias(self) -> TableAlias | None:
        start = self.mark()
        if not self.take("AS") and not self.at_name():
            return None
        name = self.name("an alias")
        columns = self.names() if self.at_symbol("(") else ()
        return self.node(TableAlias(name, columns), start)

    # --- hints ----------------------------------------------------------------------------------------------------

    def parse_hints(self) -> tuple[TableHint, ...]:
        """Parse `/*+ NAME('k' = 'v'), NAME(a, b) */`, or nothing."""
        if not self.take_symbol("/*+"):
            return ()
        hints = self.listed(self._hint)
        self.need_symbol("*/")
        return tuple(hints)

    def _hint(self) -> TableHint:
        start = self.mark()
        name = self.name("the name of a hint")
        pairs: list[HintOption] = []
        names: list[tuple[Identifier, int]] = []
        if self.take_symbol("(") and not self.take_symbol(")"):
            for place, item in self.listed(lambda: (self.mark(), self._hint_item())):
                if isinstance(item, HintOption):
                    pairs.append(item)
                else:
                    names.append((item, place))
            if pairs and names:
                span = self.span_from(names[0][1])
                self.fail("SQL parse failed: a hint takes options with values, or names, not both", span=span)
            self.close()
        return self.node(TableHint(name, tuple(pairs), tuple(item for item, _ in names)), start)

    def _hint_item(self) -> HintOption | Identifier:
        start = self.mark()
        if self.at_string():
            item = self.node(Identifier(self.string()), start)
        else:
            item = self.identifier() if self.current.kind == NUMBER else self.name("a hint option")
        if self.take_symbol("="):
            return self.node(HintOption(item.name, self.string("the value of the hint option")), start)
        return item

    # --- MATCH_RECOGNIZE ------------------------------------------------------------------------------------------

    def _match_recognize(self, relation: Relation) -> MatchRecognize:
        start = self.mark()
        self.need("MATCH_RECOGNIZE")
        self.open()
        partition = self.listed(self.parse_expression) if self.take("PARTITION", "BY") else []
        order = self.parse_order()
        measures = self.listed(self._measure) if self.take("MEASURES") else []
        all_rows = not self.take("ONE", "ROW", "PER", "MATCH") and self.take("ALL", "ROWS", "PER", "MATCH")
        after, variable = self._after_match() if self.take("AFTER", "MATCH") else (None, None)
        self.need("PATTERN")
        pattern = self._pattern()
        within = self._sum() if self.take("WITHIN") else None
        subsets = self.listed(self._subset) if self.take("SUBSET") else []
        self.need("DEFINE")
        definitions = self.listed(self._definition)
        self.close()
        match = MatchRecognize(
            relation=relation,
            partition_by=tuple(partition),
            order=order,
            measures=tuple(measures),
            all_rows=all_rows,
            after=after,
            after_variable=variable,
            pattern=pattern,
            within=within,
            subsets=tuple(subsets),
            definitions=tuple(definitions),
        )
        return self.node(match, start)

    def _measure(self) -> Alias:
        start = self.mark()
        self.take_any(("FINAL", "RUNNING"))
        value = self.parse_expression()
        self.need("AS")
        return self.node(Alias(value, self.name("the name of a measure")), start)

    def _after_match(self) -> tuple[str, Identifier | None]:
        self.need("SKIP")
        if self.take("PAST", "LAST", "ROW"):
            return "SKIP PAST LAST ROW", None
        if self.take("TO", "NEXT", "ROW"):
            return "SKIP TO NEXT ROW", None
        self.need("TO")
        side = self.take_any(("FIRST", "LAST")) or "LAST"
        return f"SKIP TO {side}", self.name("a pattern variable")

    def _pattern(self) -> str:
        """The text between the balanced parentheses of PATTERN."""
        self.open()
        start, depth = self.mark(), 1
        while depth and not self.at_end():
            if self.at_symbol("("):
                depth += 1
            elif self.at_symbol(")"):
                depth -= 1
                if not depth:
                    break
            self.advance()
        end = self.mark()
        self.close()
        return self.sql[start:end].strip()

    def _subset(self) -> Subset:
        start = self.mark()
        name = self.name("a pattern variable")
        self.need_symbol("=")
        return self.node(Subset(name, self.names("a pattern variable")), start)

    def _definition(self) -> Alias:
        start = self.mark()
        name = self.name("a pattern variable")
        self.need("AS")
        return self.node(Alias(self.parse_expression(), name), start)
