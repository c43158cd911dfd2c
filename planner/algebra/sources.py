"""Scan properties: the connector options under hints, and the resulting changelog."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compiled_plan.planner.algebra.nodes import Hint, Scan
from compiled_plan.planner.catalog.connectors import SourceChangelog, source_changelog
from compiled_plan.planner.catalog.tables import CatalogTable
from compiled_plan.planner.options.settings import Settings
from compiled_plan.plans.errors import ProgramError


def changelog_of(rel: Scan, settings: Settings) -> SourceChangelog:
    """The changelog of a scan under its hints and the settings.

    Raises:
        ProgramError: the table cannot be read, or needs a primary key that it lacks.
    """
    options = tuple(options_of(rel.table, rel.hints).items())
    return source_changelog(replace(rel.table, options=options), settings)


def options_of(table: CatalogTable, hints: Sequence[Hint]) -> dict[str, str]:
    """The connector's options under the OPTIONS hints of a query.

    Raises:
        ProgramError: a hint would change the connector.
    """
    options = dict(table.options)
    for hint in hints:
        if hint.name.upper() != "OPTIONS":
            continue
        for key, value in hint.options:
            if key == "connector" and value != options.get(key):
                raise ProgramError(
                    f"an OPTIONS hint cannot change the connector of {table.identifier}",
                    where=hint.where,
                    remedy="declare another table with CREATE TABLE ... LIKE",
                )
            options[key] = value
    return options
