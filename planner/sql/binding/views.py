"""Views: bound at creation, and again only after the catalog or a function of it has changed.

Source: Flink 2.3, which stores the columns of a view and its query with stars expanded; a later change of a table
neither adds columns to the view nor changes their types.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from compiled_plan.planner.algebra.nodes import Project
from compiled_plan.planner.catalog.tables import CatalogView, ObjectIdentifier
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder, Bound, Stars, Surroundings
from compiled_plan.planner.sql.binding.scans import as_type
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.rex import InputRef
from compiled_plan.plans.types import LogicalType, row_of


@dataclass
class ViewQuery:
    """A view's query, its script, and its bound form with the catalog version.

    `stars`, `names` and `types` are those of the first time it was bound.
    """

    node: ast.QueryNode
    source: SourceText
    columns: tuple[str, ...]
    catalog: str
    database: str
    bound: Bound | None = None
    version: int = -1
    stars: Stars = field(default_factory=dict)
    names: tuple[str, ...] = ()
    types: tuple[LogicalType, ...] = ()


def bind_create_view(binder: Binder, statement: st.CreateView) -> CatalogView:
    """The view of a CREATE VIEW; binds its query immediately, to report errors early.

    Raises:
        ProgramError: as for queries; column names that are too many, too few or repeated.
    """
    view = new_view(
        binder, binder.catalog.qualify(statement.name), statement.query, statement.query_text, statement.columns
    )
    return replace(view, temporary=statement.temporary, comment=statement.comment)


def new_view(
    binder: Binder, identifier: ObjectIdentifier, node: ast.QueryNode, text: str, columns: tuple[str, ...] = ()
) -> CatalogView:
    """The view of a query.

    Args:
        binder: the binder of the script.
        identifier: the view's name.
        node: its query.
        text: the query as written.
        columns: the names of its columns; empty for those of the query.

    Raises:
        ProgramError: as for `bind_create_view`.
    """
    catalog = binder.catalog
    query = ViewQuery(node, binder.source, columns, catalog.current_catalog, catalog.current_database)
    view = CatalogView(identifier, query, columns, sql=text)
    bound = view_query(binder, view)
    width = len(bound.rel.row_type.fields)
    names = columns or bound.names
    if len(names) != width:
        raise ProgramError(
            f"view {identifier} names {len(names)} column(s), its query has {width}", remedy="name all columns, or none"
        )
    for at, name in enumerate(names):
        if name in names[:at]:
            raise ProgramError(
                f"a column named {name!r} is defined twice in the view", remedy="give the columns aliases"
            )
    return view


def view_query(binder: Binder, view: CatalogView) -> Bound:
    """The bound query of a view: the same object however often the view is read."""
    query = view.query
    if isinstance(query, Bound):
        return query
    assert isinstance(query, ViewQuery)
    version = binder.catalog.version + binder.catalog.functions.version
    if query.bound is None or query.version != version:
        query.bound = _bind(binder, query)
        query.version = version
    return query.bound


def view_columns(view: CatalogView) -> tuple[tuple[str, ...], tuple[LogicalType, ...]]:
    """The names and types of a view's columns, as when it was created."""
    query = view.query
    if isinstance(query, Bound):
        return view.columns or query.names, query.types
    assert isinstance(query, ViewQuery)
    return query.names, query.types


def _bind(binder: Binder, view: ViewQuery) -> Bound:
    catalog = binder.catalog
    current = catalog.current_catalog, catalog.current_database
    catalog.current_catalog, catalog.current_database = view.catalog, view.database
    try:
        inner = Binder(view.source, catalog, binder.bind_query, binder.names, view.stars)
        bound = binder.bind_query(inner, view.node, Surroundings())
    finally:
        catalog.current_catalog, catalog.current_database = current
    if not view.types:
        view.names, view.types = view.columns or bound.names, bound.types
    return Bound(_of_types(bound, view.types).rel, view.names)


def _of_types(bound: Bound, types: tuple[LogicalType, ...]) -> Bound:
    """The query with its columns cast to those of the view, after a table has changed."""
    row = bound.rel.row_type
    if row.types == types or len(row.types) != len(types):
        return bound
    exprs = tuple(as_type(InputRef(at, old), new) for at, (old, new) in enumerate(zip(row.types, types, strict=True)))
    return Bound(Project(bound.rel, exprs, row_of(row.names, types)), bound.names)
