"""Views: bound at creation, and again only after the catalog has changed."""

from __future__ import annotations

from dataclasses import dataclass

from compiled_plan.planner.catalog.tables import CatalogView
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder, Bound, Surroundings
from compiled_plan.planner.sql.binding.source import SourceText


@dataclass
class ViewQuery:
    """A view's query, its script, and its bound form with the catalog version."""

    node: ast.QueryNode
    source: SourceText
    columns: tuple[str, ...]
    catalog: str
    database: str
    bound: Bound | None = None
    version: int = -1


def view_query(binder: Binder, view: CatalogView) -> Bound:
    """The bound query of a view: the same object however often the view is read."""
    query = view.query
    if isinstance(query, Bound):
        return query
    assert isinstance(query, ViewQuery)
    if query.bound is None or query.version != binder.catalog.version:
        query.bound = _bind(binder, query)
        query.version = binder.catalog.version
    return query.bound


def _bind(binder: Binder, view: ViewQuery) -> Bound:
    catalog = binder.catalog
    current = catalog.current_catalog, catalog.current_database
    catalog.current_catalog, catalog.current_database = view.catalog, view.database
    try:
        inner = Binder(view.source, catalog, binder.bind_query, binder.names)
        bound = binder.bind_query(inner, view.node, Surroundings())
    finally:
        catalog.current_catalog, catalog.current_database = current
    return Bound(bound.rel, view.columns or bound.names)
