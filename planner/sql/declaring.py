"""Statements with immediate effect on options and catalog, one function per statement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from compiled_plan.planner.catalog.tables import CatalogTable, CatalogView
from compiled_plan.planner.sql.binding.altering import altered_table
from compiled_plan.planner.sql.binding.core import Binder
from compiled_plan.planner.sql.binding.ddl import bind_create_table
from compiled_plan.planner.sql.binding.queries import new_binder
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.binding.views import bind_create_view, new_view
from compiled_plan.planner.sql.binding.writes import bind_writes
from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.planner.sql.declaring_models import alter_model, create_model
from compiled_plan.planner.sql.nodes import changes, models
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.planner.sql.parse import parse_script
from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.errors import ProgramError

if TYPE_CHECKING:
    from compiled_plan.planner.sql import creating_functions
    from compiled_plan.planner.sql.binding import materialized
else:
    materialized = deferred("compiled_plan.planner.sql.binding.materialized")
    creating_functions = deferred("compiled_plan.planner.sql.creating_functions")


def declare(context: PlanningContext, binder: Binder, statement: st.Statement) -> None:
    """Execute a statement that declares, sets or drops an object; ignore one that only shows something.

    Raises:
        ProgramError: it is invalid, or reads or writes data; with line, column and caret.
        UnsupportedError: a statement that is not supported.
    """
    action = next((action for kind, action in _ACTIONS.items() if isinstance(statement, kind)), None)
    if action is None:
        kind = statement.kind if isinstance(statement, st.Other) else type(statement).__name__
        remedy = _REMEDIES.get(kind, "leave it out of the program")
        raise binder.source.unsupported_at(statement.span, f"the statement {kind}", remedy)
    with binder.source.at_span(statement.span):
        action(context, binder, statement)


def declare_script(context: PlanningContext, text: str) -> None:
    """Execute a script of declarations, in order. Raises as `declare` does."""
    binder = new_binder(SourceText(text), context.catalog)
    for statement in parse_script(text):
        declare(context, binder, statement)


def _set(context: PlanningContext, binder: Binder, statement: st.SetOption) -> None:
    if statement.key is not None:
        context.config.set(statement.key, statement.value or "")


def _reset(context: PlanningContext, binder: Binder, statement: st.ResetOption) -> None:
    context.config.reset(statement.key)


def _create_table(context: PlanningContext, binder: Binder, statement: st.CreateTable) -> None:
    if statement.materialized is not None:
        bind_writes(binder, statement)
        return
    if statement.query is not None:
        _insert(context, binder, statement)
    context.catalog.create(bind_create_table(binder, statement), if_not_exists=statement.if_not_exists)


def _create_view(context: PlanningContext, binder: Binder, statement: st.CreateView) -> None:
    view = bind_create_view(binder, statement)
    context.catalog.create(view, if_not_exists=statement.if_not_exists, replace=statement.or_replace)


def _alter_table(context: PlanningContext, binder: Binder, statement: changes.AlterTable) -> None:
    # Few programs alter tables.
    if statement.materialized:
        bind_writes(binder, statement)
        return
    catalog, change = context.catalog, statement.change
    table = catalog.alterable("TABLE", statement.name)
    if table is None:
        if statement.if_exists:
            return
        raise catalog.no_alterable("TABLE", statement.name)
    assert isinstance(table, CatalogTable)
    if table.materialized is not None:
        raise ProgramError(f"{table.identifier} is a materialized table", remedy="write ALTER MATERIALIZED TABLE")
    if isinstance(change, changes.RenameTable):
        catalog.rename(table, change.name)
    else:
        catalog.alter(altered_table(binder, table, change))


def _alter_view(context: PlanningContext, binder: Binder, statement: st.AlterView) -> None:
    catalog = context.catalog
    view = catalog.alterable("VIEW", statement.name)
    if view is None:
        raise catalog.no_alterable("VIEW", statement.name)
    if statement.new_name is not None:
        catalog.rename(view, statement.new_name)
        return
    assert statement.query is not None and isinstance(view, CatalogView)
    altered = new_view(binder, view.identifier, statement.query, statement.query_text)
    catalog.alter(replace(altered, comment=view.comment))


def _alter_function(context: PlanningContext, binder: Binder, statement: st.AlterFunction) -> None:
    creating_functions.alter_function(context.catalog, binder.source, statement)


def _create_function(context: PlanningContext, binder: Binder, statement: st.CreateFunction) -> None:
    # Few programs declare functions, and importing the type inference takes a tenth of the startup time.
    creating_functions.create_function(context.catalog, binder.source, statement)


def _create_model(context: PlanningContext, binder: Binder, statement: models.CreateModel) -> None:
    create_model(context.catalog, binder.source, statement)


def _alter_model(context: PlanningContext, binder: Binder, statement: models.AlterModel) -> None:
    alter_model(context.catalog, statement)


def _create_database(context: PlanningContext, binder: Binder, statement: st.CreateDatabase) -> None:
    context.catalog.create_database(
        statement.name, statement.options, statement.comment or "", if_not_exists=statement.if_not_exists
    )


def _alter_database(context: PlanningContext, binder: Binder, statement: st.AlterDatabase) -> None:
    context.catalog.alter_database(statement.name, statement.options)


def _create_catalog(context: PlanningContext, binder: Binder, statement: st.CreateCatalog) -> None:
    context.catalog.create_catalog(
        statement.name, statement.options, statement.comment or "", if_not_exists=statement.if_not_exists
    )


def _alter_catalog(context: PlanningContext, binder: Binder, statement: st.AlterCatalog) -> None:
    context.catalog.alter_catalog(statement.name, statement.options, statement.reset, statement.comment)


def _drop(context: PlanningContext, binder: Binder, statement: st.Drop) -> None:
    catalog = context.catalog
    match statement.kind:
        case "MATERIALIZED TABLE":
            materialized.drop_materialized(binder, statement)
        case "TABLE" | "VIEW":
            item = catalog.known(statement.name)
            if isinstance(item, CatalogTable) and item.materialized is not None:
                raise ProgramError(f"{item.identifier} is a materialized table", remedy="DROP MATERIALIZED TABLE")
            catalog.drop(statement.kind, statement.name, temporary=statement.temporary, if_exists=statement.if_exists)
        case "DATABASE":
            catalog.drop_database(statement.name, if_exists=statement.if_exists, cascade=statement.cascade)
        case "CATALOG":
            catalog.drop_catalog(statement.name[0], if_exists=statement.if_exists)
        case "MODEL":
            catalog.models.drop(
                catalog.qualify(statement.name), temporary=statement.temporary, if_exists=statement.if_exists
            )
        case "FUNCTION":
            catalog.functions.drop(
                catalog.qualify(statement.name),
                temporary=statement.temporary,
                system=statement.system,
                if_exists=statement.if_exists,
            )


def _use_catalog(context: PlanningContext, binder: Binder, statement: st.UseCatalog) -> None:
    context.catalog.use_catalog(statement.name)


def _use_database(context: PlanningContext, binder: Binder, statement: st.UseDatabase) -> None:
    context.catalog.use_database(statement.name)


def _load_module(context: PlanningContext, binder: Binder, statement: st.LoadModule) -> None:
    context.catalog.modules.load(statement.name, statement.options)


def _unload_module(context: PlanningContext, binder: Binder, statement: st.UnloadModule) -> None:
    context.catalog.modules.unload(statement.name)


def _use_modules(context: PlanningContext, binder: Binder, statement: st.UseModules) -> None:
    context.catalog.modules.use(statement.names)


def _add_jar(context: PlanningContext, binder: Binder, statement: st.AddJar) -> None:
    context.catalog.jars.add(statement.path)


def _remove_jar(context: PlanningContext, binder: Binder, statement: st.RemoveJar) -> None:
    context.catalog.jars.remove(statement.path)


def _ignore(context: PlanningContext, binder: Binder, statement: st.Statement) -> None:
    """Statements that only show something have no effect on a plan."""


def _query(context: PlanningContext, binder: Binder, statement: st.Query) -> None:
    raise binder.source.error_at(
        statement.span,
        "a SELECT by itself cannot become a plan: a plan needs tables to write to",
        "write INSERT INTO table SELECT ..., or see its rows with plan-shell",
    )


def _insert(context: PlanningContext, binder: Binder, statement: st.Statement) -> None:
    raise binder.source.error_at(
        statement.span, "this statement writes data, which only runs as a plan", "compile it with compile_script"
    )


def _execute(context: PlanningContext, binder: Binder, statement: st.Statement) -> None:
    raise binder.source.error_at(
        statement.span, "this statement runs a plan, which compiling does not do", "run the plan with execute-plan"
    )


def _stop_job(context: PlanningContext, binder: Binder, statement: st.StopJob) -> None:
    remedy = "end a run of execute-plan with a signal, one of the service with its button, and one of plan-shell there"
    raise binder.source.unsupported_at(statement.span, "STOP JOB in a program that becomes a plan", remedy)


#: What to do instead of statements that have no meaning for a plan; Flink refuses most of them in streaming mode.
_REMEDIES = {
    "ANALYZE": "leave it out: statistics of tables do not change the plan of a stream, and Flink refuses it there",
    "CALL": "run the procedure where its catalog is; catalogs in memory have none",
    "DELETE": "send the deletes as rows of a changelog, and INSERT INTO the table from them",
    "UPDATE": "send the updates as rows of a changelog, and INSERT INTO the table from them",
    "TRUNCATE": "empty the table in the system that holds it before the run",
}

_ACTIONS: dict[type[st.Statement], Callable[[PlanningContext, Binder, Any], None]] = {
    st.SetOption: _set,
    st.ResetOption: _reset,
    st.CreateTable: _create_table,
    st.CreateView: _create_view,
    st.CreateFunction: _create_function,
    changes.AlterTable: _alter_table,
    st.AlterView: _alter_view,
    st.AlterFunction: _alter_function,
    models.CreateModel: _create_model,
    models.AlterModel: _alter_model,
    st.CreateDatabase: _create_database,
    st.AlterDatabase: _alter_database,
    st.CreateCatalog: _create_catalog,
    st.AlterCatalog: _alter_catalog,
    st.Drop: _drop,
    st.UseCatalog: _use_catalog,
    st.UseDatabase: _use_database,
    st.LoadModule: _load_module,
    st.UnloadModule: _unload_module,
    st.UseModules: _use_modules,
    st.AddJar: _add_jar,
    st.RemoveJar: _remove_jar,
    st.Describe: _ignore,
    st.Show: _ignore,
    st.Explain: _ignore,
    st.Query: _query,
    st.Insert: _insert,
    st.StatementSet: _insert,
    st.CompilePlan: _insert,
    st.ExecutePlan: _execute,
    st.CompileAndExecutePlan: _execute,
    st.StopJob: _stop_job,
}
