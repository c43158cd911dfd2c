"""ALTER TABLE, VIEW and FUNCTION (Flink docs, "ALTER Statements")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiled_plan.planner.sql.grammar.columns import Body
from compiled_plan.planner.sql.grammar.cursor import all_texts
from compiled_plan.planner.sql.grammar.ddl import Ddl
from compiled_plan.planner.sql.nodes.changes import (
    AddPartitions,
    AlterTable,
    ChangeSchema,
    DropColumns,
    DropPart,
    DropPartitions,
    PlacedColumn,
    RenameColumn,
    RenameTable,
    ResetOptions,
    RunAction,
    SetFreshness,
    SetOptions,
    SetQuery,
    SetRefreshMode,
    TableChange,
)
from compiled_plan.planner.sql.nodes.statements import AlterFunction, AlterView, Distribution, Statement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from compiled_plan.planner.sql.nodes import Expression
    from compiled_plan.planner.sql.nodes.statements import ColumnClause
    from compiled_plan.plans.text.position import Span

_CHANGES = "RENAME, SET, RESET, ADD, MODIFY or DROP"


class Alter(Ddl):
    def alter(self, start: int) -> Statement:
        """ALTER ..., the word itself already read."""
        if self.take("TABLE"):
            if_exists = self.take("IF", "EXISTS")
            name = self.table_name()
            return AlterTable(name=name, if_exists=if_exists, change=self._change(), **self.place(start))
        if self.take("VIEW"):
            return self._alter_view(start)
        if self.take("DATABASE"):
            return self.alter_database(start)
        if self.take("CATALOG"):
            return self.alter_catalog(start)
        if self.take("MATERIALIZED", "TABLE"):
            name = self.table_name()
            return AlterTable(
                name=name, if_exists=False, change=self._materialized_change(), materialized=True, **self.place(start)
            )
        if self.at_model():
            self.advance()
            return self.alter_model(start)
        if self.at("CONNECTION"):
            self.refuse("ALTER CONNECTION", remedy="write ALTER TABLE, VIEW, FUNCTION, DATABASE or CATALOG")
        if self.at_any(("TEMPORARY", "FUNCTION")):
            return self._alter_function(start)
        self.fail_expected("TABLE, VIEW, FUNCTION, DATABASE, CATALOG or MODEL")

    def _alter_view(self, start: int) -> AlterView:
        name = self.table_name("a view name")
        if self.take("RENAME"):
            self.need("TO")
            renamed = self.table_name("a view name")
            return AlterView(name=name, new_name=renamed, query=None, query_text="", **self.place(start))
        if not self.take("AS"):
            self.fail_expected("RENAME TO or AS")
        query_start = self.mark()
        query = self.parse_query()
        text = self.text_from(query_start)
        return AlterView(name=name, new_name=None, query=query, query_text=text, **self.place(start))

    def _alter_function(self, start: int) -> AlterFunction:
        temporary = self.take("TEMPORARY")
        system = temporary and self.take("SYSTEM")
        self.need("FUNCTION")
        if_exists = self.take("IF", "EXISTS")
        name = self.table_name("a function name")
        identifier, language = self.implementation()
        return AlterFunction(
            name=name,
            temporary=temporary,
            system=system,
            if_exists=if_exists,
            identifier=identifier,
            language=language,
            **self.place(start),
        )

    # --- ALTER TABLE ----------------------------------------------------------------------------------------------

    def _change(self) -> TableChange:
        match self.take_any(("RENAME", "SET", "RESET", "ADD", "MODIFY", "DROP")):
            case "RENAME":
                return self._rename()
            case "SET":
                spans: dict[str, Span] = {}
                return SetOptions(options=self.properties(spans=spans), option_spans=spans)
            case "RESET":
                return ResetOptions(keys=self.option_keys())
            case "ADD" if self.at("PARTITION") or self.at("IF", "NOT", "EXISTS"):
                if_not_exists = self.if_not_exists()
                return AddPartitions(if_not_exists=if_not_exists, partitions=self._new_partitions())
            case "ADD":
                return self._schema(add=True)
            case "MODIFY":
                return self._schema(add=False)
            case "DROP":
                return self._drop_from_table()
        self.fail_expected(_CHANGES)

    def _materialized_change(self) -> TableChange:
        if self.take("AS"):
            query_start = self.mark()
            query = self.parse_query()
            return SetQuery(query=query, query_text=self.text_from(query_start))
        if self.take("SET", "FRESHNESS"):
            return SetFreshness(freshness=self.freshness())
        if self.take("SET", "REFRESH_MODE"):
            return SetRefreshMode(mode=self.refresh_mode())
        action = self.take_any(("SUSPEND", "RESUME", "REFRESH"))
        if action == "RESUME" and self.take("WITH"):
            self.properties()
        if action == "REFRESH" and self.at("PARTITION"):
            self._partition()
        if action:
            return RunAction(action=action)
        if self.at("RENAME"):
            self.fail_expected("AS, SET, RESET, ADD, MODIFY, DROP, SUSPEND, RESUME or REFRESH")
        return self._change()

    def _rename(self) -> TableChange:
        if self.take("TO"):
            return RenameTable(name=self.table_name())
        old = self._column_name()
        self.need("TO")
        return RenameColumn(old=old, new=self._column_name())

    def _column_name(self) -> str:
        start = self.mark()
        names = all_texts(self.dotted("a column name"))
        if len(names) > 1:
            self.fail(
                f"Flink does not alter {'.'.join(names)}, a field inside a row",
                span=self.span_from(start),
                remedy="MODIFY the whole column with its new type",
            )
        return names[0]

    def _schema(self, *, add: bool) -> ChangeSchema:
        body = Body()
        placed: list[PlacedColumn] = []
        distributions: list[Distribution] = []

        def element() -> None:
            if self.take("DISTRIBUTION"):
                distributions.append(self.distribution())
                return
            start = self.mark()
            if not self.constraint_or_watermark(body, start):
                nested = self.following.kind == "."
                column = self.column(body)
                if nested:
                    self.fail(f"Flink does not alter {column.name}, a field inside a row", span=column.span)
                self.check_typed(column)
                placed.append(self._placed(column))

        if self.take_symbol("("):
            self.listed(element)
            self.close()
        else:
            element()
        return ChangeSchema(
            add=add,
            columns=tuple(placed),
            watermark=body.watermarks[0] if body.watermarks else None,
            primary_key=body.keys[0] if body.keys else None,
            distribution=distributions[-1] if distributions else None,
        )

    def _placed(self, column: ColumnClause) -> PlacedColumn:
        first = self.take("FIRST")
        after = self._column_name() if not first and self.take("AFTER") else None
        return PlacedColumn(column=column, first=first, after=after)

    def _drop_from_table(self) -> TableChange:
        if self.at("PARTITION") or self.at("IF", "EXISTS"):
            if_exists = self.take("IF", "EXISTS")
            return DropPartitions(if_exists=if_exists, partitions=tuple(self.listed(self._partition)))
        if self.take("PRIMARY", "KEY"):
            return DropPart(part="PRIMARY KEY")
        if part := self.take_any(("WATERMARK", "DISTRIBUTION")):
            return DropPart(part=part)
        if self.take("CONSTRAINT"):
            return DropPart(part="CONSTRAINT", constraint=self.name("the name of the constraint").name)
        if self.at_symbol("("):
            return DropColumns(columns=tuple(self.wrapped(self._column_name)))
        return DropColumns(columns=(self._column_name(),))

    def _new_partitions(self) -> tuple[tuple[Mapping[str, Expression], Mapping[str, str]], ...]:
        partitions = []
        while self.at("PARTITION"):
            partition = self._partition()
            partitions.append((partition, self.properties() if self.take("WITH") else {}))
        if not partitions:
            self.fail_expected("PARTITION")
        return tuple(partitions)

    def _partition(self) -> Mapping[str, Expression]:
        self.need("PARTITION")
        return self.partition()
