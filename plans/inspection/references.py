"""References of a plan to secrets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.text.references import has_reference, names_in


def referring_tables(plan: CompiledPlan) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The tables of a plan that refer to secrets, with their options."""
    for node in plan.nodes:
        for _, table in node.tables():
            if any(map(has_reference, table.options.values())):
                yield ".".join(table.path), table.options


def secret_names(plan: CompiledPlan) -> tuple[str, ...]:
    """The names of the secrets to which a plan refers."""
    return names_in(value for _, options in referring_tables(plan) for value in options.values())
