"""Tables by name: catalog tables as rows, and tables registered in the catalog.

Source: Flink's "Concepts & Common API" page; FLIP-155, "hint".
"""

from __future__ import annotations

from collections.abc import Mapping

from compiled_plan.planner.catalog.tables import CatalogTable, CatalogView
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Bound, Surroundings
from compiled_plan.planner.sql.binding.from_clause import Place, bind_from
from compiled_plan.planner.sql.binding.hints import bind_block_hints
from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.planner.table.building.nodes import identifier
from compiled_plan.planner.table.building.planned import PlannedTable, T
from compiled_plan.planner.table.building.rows import Origin, Rows, rows
from compiled_plan.planner.table.building.unfinished import check_table
from compiled_plan.planner.table.operations import bind, binder_for, relation_node, table_hint
from compiled_plan.planner.table.paths import path_of
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.types import quote_identifier


def scanned(
    context: PlanningContext, path: tuple[str, ...], options: dict[str, str], operation: str
) -> tuple[Rows, Origin | None]:
    """The rows of a catalog table or view, and the table if the rows are exactly its own.

    Raises:
        ProgramError: there is none of that name.
    """
    hints = (table_hint("OPTIONS", options),) if options else ()
    node = ast.TableRef(tuple(map(identifier, path)), hints)
    bound = bind_from(binder_for(context, operation), node, Place(Surroundings()))
    declared = context.catalog.find(path)
    origin = Origin(path, declared, tuple(options.items())) if isinstance(declared, CatalogTable) else None
    names = tuple(column.name for column in bound.visible)
    return rows(Bound(bound.rel, names), path[-1]), origin


def hinted(table: T, name: str, options: Mapping[str, str]) -> T:
    """The table with a hint."""
    if not isinstance(options, Mapping):
        raise ProgramError(f"hint() takes a mapping of options, not {options!r}", where="hint()")
    context, origin = table._context, table._origin
    texts = {str(key): str(value) for key, value in options.items()}
    if name.upper() != "OPTIONS":
        node = table_hint(name, texts)
        bind_block_hints((node,), binder_for(context, "hint").source)
        return type(table)(context, table._rows, (*table._hints, node), origin)
    if origin is None:
        raise ProgramError(
            "the hint OPTIONS can only be applied to a table of the catalog",
            where="hint()",
            remedy="write from_path(name).hint(...), before any other operation",
        )
    rescanned, origin = scanned(context, origin.path, dict(origin.options) | texts, "hint")
    # Columns taken from the table without the hint are columns of this one, too.
    again = rows(Bound(rescanned.rel, rescanned.names), rescanned.name, (*table._rows.keys, *rescanned.keys))
    return type(table)(context, again, table._hints, origin)


def create_view(
    context: PlanningContext,
    name: str,
    table: object,
    operation: str,
    *,
    temporary: bool = True,
    if_not_exists: bool = False,
) -> None:
    """Register a table under a catalog name."""
    view = _view(context, path_of(name, operation), check_table(table, operation), temporary)
    context.catalog.create(view, if_not_exists=if_not_exists)


def _view(context: PlanningContext, path: tuple[str, ...], table: PlannedTable, temporary: bool) -> CatalogView:
    bound = bind(context, "create_temporary_view", relation_node(table._rows))
    return CatalogView(context.catalog.qualify(path), bound, bound.names, temporary)


def name_of(table: PlannedTable) -> str:
    """The catalog name of a table, generated if necessary."""
    catalog, origin = table._context.catalog, table._origin
    if origin is not None and not origin.options and catalog.find(origin.path) is origin.table:
        return ".".join(map(quote_identifier, origin.path))
    name = f"UnnamedTable${table._rows.keys[-1][1:]}"
    catalog.create(_view(table._context, (name,), table, temporary=True), replace=True)
    return f"`{name}`"


def drop(context: PlanningContext, kind: str, path: str, *, temporary: bool, if_exists: bool = True) -> bool:
    """Drop a table or view; return False if there is none.

    Raises:
        ProgramError: there is none, and `if_exists` is False; or a temporary one hides it.
    """
    name = path_of(path, f"drop_{'temporary_' if temporary else ''}{kind.lower()}")
    table = context.catalog.find(name)
    exists = isinstance(table, CatalogTable if kind == "TABLE" else CatalogView) and (table.temporary or not temporary)
    if exists or not if_exists:
        context.catalog.drop(kind, name, temporary=temporary)
    return exists
