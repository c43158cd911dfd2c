"""Planning context: the catalog, the options, and generated names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from compiled_plan.planner.catalog.memory import Catalog
from compiled_plan.planner.options.session import TableConfig
from compiled_plan.planner.sql.binding.scopes import Names


@dataclass(frozen=True, slots=True, eq=False)
class PlanningContext:
    """The context of binding and planning. A session holds one; the planner does not know the session.

    Args:
        config: the options.
        catalog: tables, views and functions.
        names: the names of correlation variables, unique among all tables of the context.
        anonymous: numbers of unnamed tables, so that the same program gives them the same names.
        mutable_rows: results have PyFlink's rows.
        jobs: the runs that the session has started, see `api.running.jobs`.
    """

    config: TableConfig
    catalog: Catalog
    names: Names = field(default_factory=Names)
    anonymous: Iterator[int] = field(default_factory=lambda: count(1))
    mutable_rows: bool = False
    jobs: list[Any] = field(default_factory=list)

    @classmethod
    def new(cls, options: Mapping[str, str] | None = None, *, mutable_rows: bool = False) -> PlanningContext:
        """A context with an empty catalog and these options."""
        config = TableConfig(options)
        catalog = Catalog(config.value("table.builtin-catalog-name"), config.value("table.builtin-database-name"))
        return cls(config, catalog, mutable_rows=mutable_rows)
