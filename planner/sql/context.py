"""What all planning is given: the catalog, the options, and the names that planning makes up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count

from compiled_plan.planner.catalog.memory import Catalog
from compiled_plan.planner.options.session import TableConfig
from compiled_plan.planner.sql.binding.scopes import Names


@dataclass(frozen=True, slots=True, eq=False)
class PlanningContext:
    """Where programs are bound and planned. A session holds one, and nothing in the planner knows the session.

    Args:
        config: the options.
        catalog: tables, views and functions.
        names: the names of correlation variables, unique among all tables of the context.
        anonymous: numbers of tables without a name, so that the same program gives them the same names.
    """

    config: TableConfig
    catalog: Catalog
    names: Names = field(default_factory=Names)
    anonymous: Iterator[int] = field(default_factory=lambda: count(1))

    @classmethod
    def new(cls, options: Mapping[str, str] | None = None) -> PlanningContext:
        """An empty catalog, and these options."""
        config = TableConfig(options)
        catalog = Catalog(config.value("table.builtin-catalog-name"), config.value("table.builtin-database-name"))
        return cls(config, catalog)
