"""Columns, watermarks, keys and distribution in CREATE TABLE and ALTER TABLE (Flink docs, "CREATE Statements")."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from compiled_plan.planner.sql.grammar.cursor import all_texts
from compiled_plan.planner.sql.grammar.modules import Modules
from compiled_plan.planner.sql.nodes import Exists, Subquery, walk
from compiled_plan.planner.sql.nodes.statements import (
    ColumnClause,
    ComputedClause,
    Distribution,
    MetadataClause,
    NamedClause,
    PhysicalClause,
    PrimaryKey,
    Watermark,
)


@dataclass
class Body:
    """The parenthesised part of CREATE TABLE."""

    columns: list[ColumnClause] = field(default_factory=list)
    watermarks: list[Watermark] = field(default_factory=list)
    keys: list[PrimaryKey] = field(default_factory=list)


class Columns(Modules):
    """Parser of the column list of a table."""

    def check_typed(self, column: ColumnClause) -> None:
        """Fail for a column without a type."""
        if isinstance(column, NamedClause):
            self.fail(
                f"SQL parse failed: column {column.name} has no type",
                span=column.span,
                remedy="give it a type; names alone are for CREATE TABLE ... AS SELECT",
            )

    def table_body(self) -> Body:
        """Parse the columns, watermark and constraints in parentheses."""
        body = Body()
        self.open()
        self.listed(lambda: self._table_element(body))
        self.close()
        return body

    def _table_element(self, body: Body) -> None:
        start = self.mark()
        if self.at("LIKE"):
            self.fail("SQL parse failed: LIKE stands after the column list", remedy="CREATE TABLE t (...) LIKE s")
        if not self.constraint_or_watermark(body, start):
            body.columns.append(self.column(body))

    def constraint_or_watermark(self, body: Body, start: int) -> bool:
        """Parse a watermark or a table constraint into `body`; return False if neither comes next."""
        if self.take("WATERMARK"):
            self._watermark(body, start)
        elif self.at("CONSTRAINT") or self.at("PRIMARY", "KEY"):
            name = self.name("the name of the constraint").name if self.take("CONSTRAINT") else None
            self.need("PRIMARY", "KEY")
            columns = all_texts(self.names())
            self._add_key(body, name, columns, start)
        elif self.at("UNIQUE"):
            self.fail("UNIQUE constraints are not supported by Flink", remedy="leave it out")
        else:
            return False
        return True

    def _watermark(self, body: Body, start: int) -> None:
        self.need("FOR")
        rowtime = all_texts(self.dotted("the time column"))
        self.need("AS")
        expression = self.parse_expression()
        if body.watermarks:
            self.fail("SQL parse failed: a table has at most one WATERMARK", span=self.span_from(start))
        body.watermarks.append(Watermark(rowtime=rowtime, expression=expression, span=self.span_from(start)))

    def _add_key(self, body: Body, name: str | None, columns: tuple[str, ...], start: int) -> None:
        enforced = not self.take("NOT", "ENFORCED")
        if enforced:
            self.take("ENFORCED")
            self.fail(
                "Flink does not support PRIMARY KEY in ENFORCED mode: it does not own the data",
                span=self.span_from(start),
                remedy="write PRIMARY KEY ... NOT ENFORCED",
            )
        if body.keys:
            self.fail("SQL parse failed: a table has at most one PRIMARY KEY", span=self.span_from(start))
        body.keys.append(PrimaryKey(name=name, columns=columns, enforced=enforced, span=self.span_from(start)))

    def column(self, body: Body, *, unique: bool = False) -> ColumnClause:
        """Parse a column; its own primary key goes into `body`, and UNIQUE is read without effect if it is allowed."""
        start = self.mark()
        name = ".".join(all_texts(self.dotted("a column name")))
        if self.take("AS"):
            expression = self.parse_expression()
            query = next((part for part in walk(expression) if isinstance(part, Subquery | Exists)), None)
            if query is not None and query.span is not None:
                where = self.span_from(query.span.start)
                self.fail("SQL parse failed: a computed column holds no query", span=where)
            comment = self.comment()
            return ComputedClause(name=name, expression=expression, comment=comment, span=self.span_from(start))
        if self.at_symbol(",") or self.at_symbol(")"):
            return NamedClause(name=name, comment=None, span=self.span_from(start))
        kind = self.parse_type()
        if self.take("METADATA"):
            key = self.string("a metadata key") if self.take("FROM") else None
            virtual = self.take("VIRTUAL")
            comment = self.comment()
            span = self.span_from(start)
            return MetadataClause(name=name, type=kind, key=key, virtual=virtual, comment=comment, span=span)
        inner = self.mark()
        constraint = self.name("the name of the constraint").name if self.take("CONSTRAINT") else None
        if self.take("PRIMARY", "KEY"):
            self._add_key(body, constraint, (name,), inner)
        elif unique and self.take("UNIQUE"):
            _ = self.take("NOT", "ENFORCED") or self.take("ENFORCED")
        elif self.at("UNIQUE"):
            self.fail("UNIQUE constraints are not supported by Flink", remedy="leave it out")
        elif constraint is not None:
            self.fail_expected("PRIMARY KEY")
        comment = self.comment()
        return PhysicalClause(name=name, type=kind, comment=comment, span=self.span_from(start))

    def distribution(self) -> Distribution:
        """Parse the words after DISTRIBUTED or DISTRIBUTION."""
        kind: Literal["UNKNOWN", "HASH", "RANGE"] = "UNKNOWN"
        buckets = None
        columns: tuple[str, ...] = ()
        by = self.take("BY")
        if by:
            kind = "HASH" if self.take("HASH") else "RANGE" if self.take("RANGE") else "UNKNOWN"
            columns = all_texts(self.names())
        if self.take("INTO"):
            buckets = self.integer("the number of buckets")
            self.need("BUCKETS")
        elif not by:
            self.fail_expected("BY or INTO")
        return Distribution(kind=kind, columns=columns, buckets=buckets)
