"""Lookup joins: every row asks a table for the rows of its key.

A row is asked for when it comes, so a batch that is replayed after a crash may find other rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column
from pyspark.sql import functions as F

from compiled_plan.plans.execution import lambdas
from compiled_plan.plans.execution.connectors.base import LookupTable, open_lookup
from compiled_plan.plans.execution.expressions import to_column
from compiled_plan.plans.execution.expressions.functions import java
from compiled_plan.plans.execution.operators.base import Exploded, Flow, Lowering, stateless
from compiled_plan.plans.execution.types import ddl
from compiled_plan.plans.nodes.lookup import ConstantKey, FieldKey, LookupJoin, LookupKey
from compiled_plan.plans.nodes.table_rules import options_of
from compiled_plan.plans.rex import Literal
from compiled_plan.plans.types import RowType


def _table(node: LookupJoin) -> tuple[LookupTable, tuple[LookupKey, ...]]:
    """The table of a lookup join, and what its keys are compared with."""
    source, columns = node.temporal_table.lookup_table_source, node.temporal_table.output_type
    name, options = ".".join(source.table.path), dict(options_of(source.table))
    keys = sorted((int(at), key) for at, key in node.lookup_keys.items())
    found = LookupTable(name, columns, tuple(at for at, _ in keys), options)
    return found, tuple(key for _, key in keys)


@stateless(LookupJoin)
def lookup_join(node: LookupJoin, port: int, flow: Flow, lowering: Lowering) -> Sequence[Exploded]:
    """Flink's LookupJoinRunner."""
    context, (table, keys) = lowering.context(node), _table(node)
    description = open_lookup(table)
    types = table.columns.types
    asked = F.struct(*(_key(key, flow, lowering, node).alias(f"k{at}") for at, key in enumerate(keys)))
    if node.pre_filter_condition is not None:
        asks = F.coalesce(to_column(node.pre_filter_condition, flow.columns, context), F.lit(False))
        asked = F.when(asks, asked)
    shape = RowType(fields=tuple(f.__class__(f"v{at}", f.type) for at, f in enumerate(table.columns.fields)))
    rows = java("lookup_rows", f"array<{ddl(shape)}>", asked, options=(description,))
    exprs = node.projection_on_temporal_table

    def used(row: Column) -> tuple[Column, ...]:
        own = tuple(row.getField(f"v{at}") for at in range(len(types)))
        return own if exprs is None else tuple(to_column(rex, own, context) for rex in exprs)

    def counts(row: Column) -> Column:
        own = tuple(row.getField(f"v{at}") for at in range(len(types)))
        found = F.lit(True)
        if node.filter_on_temporal_table is not None:
            found = to_column(node.filter_on_temporal_table, own, context)
        if node.join_condition is not None:
            found = found & to_column(node.join_condition, (*flow.columns, *used(row)), context)
        return F.coalesce(found, F.lit(False))

    def complete(found: Column) -> Column:
        kept = lambdas.filtered(F.coalesce(found, F.array()), counts)
        if node.join_type == "INNER":
            return kept
        nothing = lambdas.transform(F.array(F.lit(1)), lambda _: F.get(found, F.lit(-1)))
        return F.when(F.size(kept) > 0, kept).otherwise(nothing)

    # The rows are bound to a variable, so that the database is asked once.
    made = F.flatten(lambdas.transform(F.array(rows), complete))

    def make(element: Column, position: Column) -> Flow:
        tail = F.to_binary(F.lpad(F.hex(position), 8, "0"), F.lit("hex"))
        path = F.concat(F.coalesce(flow.path, F.lit(b"")), tail)
        columns = tuple(F.when(element.isNotNull(), column) for column in used(element))
        return Flow(flow.kind, flow.ord, path, (*flow.columns, *columns), None, flow.watermark)

    return [Exploded(made, make, flow.condition)]


def _key(key: LookupKey, flow: Flow, lowering: Lowering, node: LookupJoin) -> Column:
    match key:
        case FieldKey():
            return flow.columns[key.index]
        case ConstantKey():
            literal: Literal = key.literal  # type: ignore[assignment]
            return to_column(literal, flow.columns, lowering.context(node))
