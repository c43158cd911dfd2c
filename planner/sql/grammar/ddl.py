"""CREATE and DROP (Flink docs, "CREATE Statements", "DROP Statements")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiled_plan.planner.sql.grammar.columns import Body
from compiled_plan.planner.sql.grammar.cursor import all_texts
from compiled_plan.planner.sql.grammar.models import Models
from compiled_plan.planner.sql.nodes import IntervalLiteral
from compiled_plan.planner.sql.nodes.statements import (
    CreateFunction,
    CreateTable,
    CreateView,
    Drop,
    LikeClause,
    LikeOption,
    Materialized,
    NamedClause,
    Statement,
)

if TYPE_CHECKING:
    from compiled_plan.planner.sql.nodes import Expression
    from compiled_plan.plans.text.position import Span

_LIKE_STRATEGIES = ("INCLUDING", "EXCLUDING", "OVERWRITING")
_LIKE_FEATURES = ("ALL", "CONSTRAINTS", "DISTRIBUTION", "GENERATED", "METADATA", "OPTIONS", "PARTITIONS", "WATERMARKS")
_START_MODES = (
    "FROM_BEGINNING",
    "FROM_NOW",
    "FROM_TIMESTAMP",
    "RESUME_OR_FROM_BEGINNING",
    "RESUME_OR_FROM_NOW",
    "RESUME_OR_FROM_TIMESTAMP",
)
_DROP_KINDS = ("TABLE", "VIEW", "FUNCTION", "DATABASE", "CATALOG", "MODEL")


class Ddl(Models):
    """Parser of CREATE and DROP."""

    def create(self, start: int) -> Statement:
        """CREATE ..., the word itself already read."""
        if self.at("OR", "ALTER", "MATERIALIZED") or self.at("MATERIALIZED"):
            return self._create_materialized(start)
        or_replace = self.take("OR", "REPLACE")
        temporary = self.take("TEMPORARY")
        system = self.take("SYSTEM")
        if system and not (temporary and self.at("FUNCTION")):
            self.fail(
                "SQL parse failed: SYSTEM is for temporary functions only",
                token=self.previous,
                remedy="write CREATE TEMPORARY SYSTEM FUNCTION",
            )
        if self.take("TABLE"):
            return self._create_table(start, temporary, or_replace)
        if self.take("VIEW"):
            return self._create_view(start, temporary, or_replace)
        if self.take("FUNCTION"):
            return self._create_function(start, temporary, system)
        if self.take("DATABASE"):
            return self.create_database(start)
        if self.take("CATALOG"):
            return self.create_catalog(start)
        if self.at_model():
            # As in Flink, OR REPLACE replaces no model: the name has to be free.
            self.advance()
            return self.create_model(start, temporary=temporary)
        if self.at("CONNECTION"):
            self.refuse("CREATE CONNECTION")
        self.fail_expected("TABLE, VIEW, FUNCTION, DATABASE, CATALOG or MODEL")

    # --- tables ---------------------------------------------------------------------------------------------------

    def replace_table(self, start: int) -> CreateTable:
        """REPLACE TABLE ... AS, the word itself already read."""
        temporary = self.take("TEMPORARY")
        self.need("TABLE")
        return self._create_table(start, temporary, or_replace=True, replace_only=True)

    def _create_table(
        self,
        start: int,
        temporary: bool,
        or_replace: bool,
        *,
        replace_only: bool = False,
        or_alter: bool | None = None,
    ) -> CreateTable:
        """Parse a CREATE TABLE after its name's keyword; `or_alter` is None unless the table is materialized."""
        if_not_exists = self.if_not_exists()
        name = self.table_name()
        body = self.table_body() if self.at_symbol("(") else Body()
        comment = self.comment()
        distribution = self.distribution() if self.take("DISTRIBUTED") else None
        partitioned = all_texts(self.names()) if self.take("PARTITIONED", "BY") else ()
        spans: dict[str, Span] = {}
        options = self.properties(spans=spans) if self.take("WITH") else {}
        refresh = self._refresh_clauses() if or_alter is not None else None
        like = self._like_clause() if refresh is None else None
        query_start = self.following.start
        query = self.parse_query() if like is None and self.take("AS") else None
        if (replace_only or refresh is not None) and query is None:
            self.fail_expected("AS")
        materialized = None
        if refresh is not None:
            freshness, mode, start_mode = refresh
            materialized = Materialized(
                or_alter=bool(or_alter),
                freshness=freshness,
                mode=mode,
                start=start_mode,
                query_text=self.text_from(query_start),
            )
        named_only = all(isinstance(column, NamedClause) for column in body.columns)
        if query is None or not (named_only and not body.keys and not body.watermarks):
            for column in body.columns:
                self.check_typed(column)
        return CreateTable(
            name=name,
            temporary=temporary,
            if_not_exists=if_not_exists,
            or_replace=or_replace,
            columns=tuple(body.columns),
            watermarks=tuple(body.watermarks),
            primary_key=body.keys[0] if body.keys else None,
            comment=comment,
            distribution=distribution,
            partitioned_by=partitioned,
            options=options,
            option_spans=spans,
            like=like,
            query=query,
            replace_only=replace_only,
            materialized=materialized,
            **self.place(start),
        )

    def _create_materialized(self, start: int) -> CreateTable:
        or_alter = self.take("OR", "ALTER")
        self.need("MATERIALIZED", "TABLE")
        if self.at("IF", "NOT", "EXISTS"):
            self.fail_expected("a table name", remedy="write CREATE OR ALTER MATERIALIZED TABLE")
        return self._create_table(start, temporary=False, or_replace=False, or_alter=or_alter)

    def _refresh_clauses(self) -> tuple[Expression | None, str, str]:
        """START_MODE, FRESHNESS and REFRESH_MODE in this order, each optional."""
        start = ""
        if self.take("START_MODE"):
            self.need_symbol("=")
            start = self.take_any(_START_MODES)
            if not start:
                self.fail_expected(", ".join(_START_MODES[:-1]) + f" or {_START_MODES[-1]}")
            if self.at_symbol("("):
                self.wrapped(self.parse_expression)
        freshness = self.freshness() if self.take("FRESHNESS") else None
        mode = self.refresh_mode() if self.take("REFRESH_MODE") else ""
        if self.at_any(("START_MODE", "FRESHNESS")):
            self.fail_expected("AS", remedy="write START_MODE, FRESHNESS and REFRESH_MODE in this order")
        return freshness, mode, start

    def freshness(self) -> Expression:
        """= INTERVAL ... behind FRESHNESS."""
        self.need_symbol("=")
        begin = self.mark()
        freshness = self.parse_expression()
        if not isinstance(freshness, IntervalLiteral):
            span = self.span_from(begin)
            self.fail("SQL parse failed: FRESHNESS is an interval", span=span, remedy="INTERVAL '1' MINUTE")
        return freshness

    def refresh_mode(self) -> str:
        """= CONTINUOUS or FULL behind REFRESH_MODE."""
        self.need_symbol("=")
        mode = self.take_any(("CONTINUOUS", "FULL"))
        if not mode:
            self.fail_expected("CONTINUOUS or FULL")
        return mode

    def _like_clause(self) -> LikeClause | None:
        start = self.mark()
        if not self.take("LIKE"):
            return None
        source = self.table_name()
        options: list[LikeOption] = []
        if self.take_symbol("("):
            while strategy := self.take_any(_LIKE_STRATEGIES):
                feature = self.take_any(_LIKE_FEATURES)
                if not feature:
                    self.fail_expected(", ".join(_LIKE_FEATURES[:-1]) + f" or {_LIKE_FEATURES[-1]}")
                options.append(LikeOption(strategy=strategy, feature=feature))
            if not options:
                self.fail_expected("INCLUDING, EXCLUDING or OVERWRITING")
            self.close()
        return LikeClause(source=source, options=tuple(options), span=self.span_from(start))

    # --- views and functions ---------------------------------------------------------------------------------------

    def _create_view(self, start: int, temporary: bool, or_replace: bool) -> CreateView:
        if_not_exists = self.if_not_exists()
        name = self.table_name("a view name")
        columns = all_texts(self.names()) if self.at_symbol("(") else ()
        comment = self.comment()
        self.need("AS")
        query_start = self.mark()
        query = self.parse_query()
        return CreateView(
            name=name,
            temporary=temporary,
            if_not_exists=if_not_exists,
            or_replace=or_replace,
            columns=columns,
            comment=comment,
            query=query,
            query_text=self.text_from(query_start),
            **self.place(start),
        )

    def _create_function(self, start: int, temporary: bool, system: bool) -> CreateFunction:
        if_not_exists = self.if_not_exists()
        name = (self.name("a function name").name,) if system else self.table_name("a function name")
        identifier, language = self.implementation()
        resources = tuple(self.listed(self._resource)) if self.take("USING") else ()
        options = self.properties() if self.take("WITH") else {}
        return CreateFunction(
            name=name,
            temporary=temporary,
            system=system,
            if_not_exists=if_not_exists,
            identifier=identifier,
            language=language,
            resources=resources,
            options=options,
            **self.place(start),
        )

    def implementation(self) -> tuple[str, str | None]:
        """AS 'identifier' [LANGUAGE l] of a function."""
        self.need("AS")
        identifier = self.string("the function's class or module name")
        language = self.take_any(("JAVA", "SCALA", "PYTHON", "SQL")) if self.take("LANGUAGE") else None
        if language == "":
            self.fail_expected("JAVA, SCALA or PYTHON")
        return identifier, language

    def _resource(self) -> str:
        if not self.take_any(("JAR", "ARTIFACT")):
            self.fail_expected("JAR")
        return self.string("a path")

    def drop(self, start: int) -> Statement:
        """DROP ..., the word itself already read."""
        temporary = self.take("TEMPORARY")
        system = self.take("SYSTEM")
        kind = "MATERIALIZED TABLE" if self.take("MATERIALIZED", "TABLE") else self.take_any(_DROP_KINDS)
        if not kind:
            self.fail_expected("TABLE, VIEW, FUNCTION, DATABASE, CATALOG or MODEL")
        if_exists = self.take("IF", "EXISTS")
        expected = f"the name of a {kind.lower()}"
        name = (self.name(expected).name,) if kind == "CATALOG" else self.table_name(expected)
        cascade = kind == "DATABASE" and self.take_any(("RESTRICT", "CASCADE")) == "CASCADE"
        return Drop(
            kind=kind,
            name=name,
            if_exists=if_exists,
            temporary=temporary,
            system=system,
            cascade=cascade,
            **self.place(start),
        )
