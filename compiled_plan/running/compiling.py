"""Plans of bound sinks and queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from uuid import uuid4

from compiled_plan.planner.algebra.nodes import RelNode, Sink
from compiled_plan.planner.catalog.tables import CatalogTable, Column, ObjectIdentifier
from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.planner.table.building.source import not_too_deep
from compiled_plan.plans.errors import ProgramError
from compiled_plan.running.planning import planned
from compiled_plan.running.plans import CompiledPlan


def compile_sinks(context: PlanningContext, sinks: Sequence[Sink]) -> CompiledPlan:
    """Compile sinks to one plan.

    Raises:
        ProgramError: there are no sinks, or they cannot be planned.
        UnsupportedError: an operation is not supported.
    """
    if not sinks:
        raise ProgramError(
            "there is nothing to compile: no insert was added", remedy='add one: add_insert("sink", table)'
        )
    return not_too_deep("compile_plan", lambda: CompiledPlan.of(planned(sinks, context.config)))


def compile_query(
    context: PlanningContext,
    rel: RelNode,
    names: Sequence[str] = (),
    options: Mapping[str, str] = MappingProxyType({}),
) -> CompiledPlan:
    """Compile a query whose rows this process collects; its plan cannot be written to a file.

    Args:
        context: the session.
        rel: the query.
        names: the column names; those of `rel` if missing or not unique.
        options: further options of the connector `collect`.
    """
    return compile_sinks(context, [_collecting(rel, names, options)])


def explain_query(context: PlanningContext, rel: RelNode, details: Sequence[str] = ()) -> str:
    """Explain a query, without the sink that would collect its rows."""
    _, *lines = compile_query(context, rel).explain(*details).splitlines()
    return "\n".join(line.removeprefix("   " if line.startswith("   ") else "+- ") for line in lines)


def _collecting(rel: RelNode, names: Sequence[str], options: Mapping[str, str]) -> Sink:
    name = uuid4().hex[:12]
    fields = rel.row_type.fields
    shown = names if len(set(names)) == len(fields) else rel.row_type.names
    columns = tuple(
        Column(one, field.type.as_regular(), comment=field.comment) for one, field in zip(shown, fields, strict=True)
    )
    table = CatalogTable(
        ObjectIdentifier("default_catalog", "default_database", f"collect-{name}"),
        columns,
        (("connector", "collect"), ("id", name), *options.items()),
        temporary=True,
    )
    return Sink(rel, table)
