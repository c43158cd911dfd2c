"""Tables of a plan as tables of a catalog."""

from __future__ import annotations

from compiled_plan.planner.catalog.memory import DEFAULT_CATALOG, DEFAULT_DATABASE
from compiled_plan.planner.catalog.tables import CatalogTable, Column, ColumnKind, ObjectIdentifier, Watermark
from compiled_plan.plans.connectors.registry import connector_spec
from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.nodes import tables as t
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.rex import type_of


def declared_table(plan: CompiledPlan, node: int) -> CatalogTable:
    """The table of a source or sink, temporary and in the default database.

    Args:
        plan: the plan.
        node: the id of the source or sink.

    Raises:
        PlanError: the node is no source or sink, or the plan has only the name of its table.
    """
    where, table = f"node {node}", _table_of(plan, node)
    if table is None:
        raise PlanError("the node has no table to read", where=where, remedy="choose a source or sink of the plan")
    resolved = table.resolved_table
    if resolved is None or resolved.options is None:
        raise PlanError(
            f"the plan has only the name of the table {table.identifier}",
            where=where,
            remedy="compile it with 'table.plan.compile.catalog-objects' = 'ALL', or preview the table in the editor",
        )
    schema = resolved.table_schema
    return CatalogTable(
        ObjectIdentifier(DEFAULT_CATALOG, DEFAULT_DATABASE, table.name),
        tuple(map(_column, schema.columns)),
        tuple(resolved.options.items()),
        tuple(
            Watermark(spec.rowtime_attribute, spec.expression.rex_node, spec.expression.serializable_string)
            for spec in schema.watermark_specs
        ),
        table.primary_key,
        "" if schema.primary_key is None else schema.primary_key.name,
        resolved.partition_keys,
        temporary=True,
    )


def is_readable(plan: CompiledPlan, node: int) -> bool:
    """Return True if a node is a source or sink, and the connector of its table has a source."""
    table = _table_of(plan, node)
    spec = None if table is None else connector_spec(table.options.get("connector"))
    return spec is not None and spec.source is not None and not spec.in_process


def _table_of(plan: CompiledPlan, node: int) -> t.CatalogTable | None:
    ends = (end for end in (*plan.sources, *plan.sinks) if end.id == node)
    return next((table for end in ends for _, table in end.tables()), None)


def _column(column: t.PhysicalColumn | t.ComputedColumn | t.MetadataColumn) -> Column:
    if isinstance(column, t.ComputedColumn):
        rex = column.expression.rex_node
        sql = column.expression.serializable_string
        return Column(column.name, type_of(rex), ColumnKind.COMPUTED, column.comment, rex, sql)
    # The planner marks the time attributes of a declaration itself.
    type_ = column.data_type.as_regular()
    if isinstance(column, t.PhysicalColumn):
        return Column(column.name, type_, comment=column.comment)
    return Column(
        column.name,
        type_,
        ColumnKind.METADATA,
        column.comment,
        metadata_key=column.key,
        virtual=column.is_virtual,
    )
