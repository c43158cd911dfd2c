"""CREATE MODEL and ALTER MODEL.

Source: Flink's pages "CREATE Statements" and "ALTER Statements"; checks and messages as in Flink 2.3.
"""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.planner.catalog.memory import Catalog
from compiled_plan.planner.catalog.models import CatalogModel
from compiled_plan.planner.catalog.tables import Column
from compiled_plan.planner.sql.binding.schemas import draft_column
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.nodes import changes, models
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.plans.errors import ProgramError


def create_model(catalog: Catalog, source: SourceText, statement: models.CreateModel) -> None:
    """CREATE [TEMPORARY] MODEL.

    Raises:
        ProgramError: no options, columns of one side alone, other columns than physical ones, or the name is taken.
    """
    name = catalog.qualify(statement.name)
    if not statement.temporary:
        catalog.require_place(name, "MODEL")
    if bool(statement.inputs) != bool(statement.outputs):
        missing, written = ("OUTPUT", "INPUT") if statement.inputs else ("INPUT", "OUTPUT")
        raise ProgramError(f"a model with {written} columns has {missing} columns", remedy=f"write {missing} (...)")
    if not statement.options:
        raise ProgramError("a model has options", remedy="write WITH ('provider' = '...')")
    model = CatalogModel(
        name,
        _columns(source, statement.inputs),
        _columns(source, statement.outputs),
        dict(statement.options),
        statement.comment,
        statement.temporary,
    )
    catalog.models.create(model, if_not_exists=statement.if_not_exists)


def _columns(source: SourceText, clauses: tuple[st.ColumnClause, ...]) -> tuple[Column, ...]:
    for clause in clauses:
        if not isinstance(clause, st.PhysicalClause):
            raise source.error_at(clause.span, f"column {clause.name!r} of a model is not physical", "give it a type")
    return tuple(draft_column(clause, source)[0] for clause in clauses)


def alter_model(catalog: Catalog, statement: models.AlterModel) -> None:
    """ALTER MODEL [IF EXISTS].

    Raises:
        ProgramError: there is no such model, or no option is named.
    """
    model = catalog.models.alterable(catalog.qualify(statement.name), if_exists=statement.if_exists)
    if model is None:
        return
    match statement.change:
        case changes.RenameTable(name):
            catalog.models.rename(model, catalog.qualify(name))
            return
        case changes.SetOptions(written):
            keys, options = tuple(written), {**model.options, **written}
        case changes.ResetOptions(keys):
            options = {key: value for key, value in model.options.items() if key not in keys}
    if not keys:
        raise ProgramError("ALTER MODEL names no option", remedy="write SET ('key' = 'value') or RESET ('key')")
    catalog.models.alter(replace(model, options=options))
