"""Statements on models (Flink docs, "CREATE Statements": CREATE MODEL)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiled_plan.planner.functions.models import MODEL_REMEDY
from compiled_plan.planner.sql.grammar.columns import Body, Columns
from compiled_plan.planner.sql.grammar.tokens import QUOTED, WORD
from compiled_plan.planner.sql.nodes.changes import RenameTable, ResetOptions, SetOptions
from compiled_plan.planner.sql.nodes.models import AlterModel, CreateModel

if TYPE_CHECKING:
    from compiled_plan.planner.sql.nodes.statements import ColumnClause


class Models(Columns):
    """Parser of statements on models. MODEL is no reserved word: a table can have this name."""

    def at_model(self) -> bool:
        """Return True at MODEL and a name behind it."""
        places = (place for place in range(1, 5) if self.peek_word(place) not in ("IF", "NOT", "EXISTS", "EXTENDED"))
        return self.at("MODEL") and self.peek(next(places, 1)).kind in (WORD, QUOTED)

    def create_model(self, start: int, *, temporary: bool) -> CreateModel:
        """Parse a CREATE MODEL after MODEL."""
        if_not_exists = self.if_not_exists()
        name = self.table_name("a model name")
        inputs = self._model_columns() if self.take("INPUT") else ()
        outputs = self._model_columns() if self.take("OUTPUT") else ()
        comment = self.comment()
        options = self.properties() if self.take("WITH") else {}
        if self.at("AS"):
            self.refuse("CREATE MODEL ... AS", remedy=MODEL_REMEDY)
        return CreateModel(
            name=name,
            temporary=temporary,
            if_not_exists=if_not_exists,
            inputs=inputs,
            outputs=outputs,
            comment=comment,
            options=options,
            **self.place(start),
        )

    def _model_columns(self) -> tuple[ColumnClause, ...]:
        # As in Flink, keys, constraints and watermarks of a model have no effect.
        body = Body()

        def element() -> None:
            if not self.constraint_or_watermark(body, self.mark()):
                column = self.column(body, unique=True)
                self.check_typed(column)
                body.columns.append(column)

        self.wrapped(element)
        return tuple(body.columns)

    def alter_model(self, start: int) -> AlterModel:
        """Parse an ALTER MODEL after MODEL."""
        if_exists = self.take("IF", "EXISTS")
        name = self.table_name("a model name")
        change: RenameTable | SetOptions | ResetOptions
        match self.take_any(("RENAME", "SET", "RESET")):
            case "RENAME":
                self.need("TO")
                change = RenameTable(name=self.table_name("a model name"))
            case "SET":
                change = SetOptions(options=self.properties(), option_spans={})
            case "RESET":
                change = ResetOptions(keys=self.option_keys())
            case _:
                self.fail_expected("RENAME TO, SET or RESET")
        return AlterModel(name=name, if_exists=if_exists, change=change, **self.place(start))
