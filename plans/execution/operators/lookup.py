"""Lookup joins: every row looks up the rows of its key in a table.

The lookup runs when the row is processed, so a batch replayed after a crash may read other rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pyspark.sql import Column
from pyspark.sql import functions as F

from compiled_plan.plans.execution.expressions import to_column
from compiled_plan.plans.execution.expressions.functions import java
from compiled_plan.plans.execution.interfaces.connectors import INSERT, UPDATE_AFTER, LookupTable, open_lookup
from compiled_plan.plans.execution.operators.base import (
    Exploded,
    Flow,
    KeyedOperator,
    KeyedPort,
    Lowering,
    keyed,
    stateless,
)
from compiled_plan.plans.execution.operators.parameters import Parameters
from compiled_plan.plans.execution.spark import lambdas
from compiled_plan.plans.execution.spark.types import ddl
from compiled_plan.plans.inspection.lineage.kernel_operators import Computed
from compiled_plan.plans.inspection.operators.lookup import digest_of_lookup, looked_up_by, stored_by
from compiled_plan.plans.nodes.lookup import ConstantKey, FieldKey, LookupJoin, LookupKey
from compiled_plan.plans.nodes.table_rules import physical_row
from compiled_plan.plans.rex import Literal, RexNode
from compiled_plan.plans.types import ArrayType, Field, RowType


@dataclass(frozen=True, slots=True)
class LookupSource:
    """The table of a lookup join.

    Args:
        table: the table; its columns are those of the join, then those that only its filters read.
        keys: the values to compare its keys with.
        filters: predicates that were pushed down, each with the positions of the columns that it references.
    """

    table: LookupTable
    keys: tuple[LookupKey, ...]
    filters: tuple[tuple[RexNode, tuple[int, ...]], ...]


def source_of(node: LookupJoin) -> LookupSource:
    source = node.temporal_table.lookup_table_source
    table = source.table.resolved_table
    assert table is not None, "a table without a schema is refused by the check of the plan"
    name = ".".join(source.table.path)
    keys = sorted(((int(at), key) for at, key in node.lookup_keys.items()), key=lambda item: item[0])
    stored = physical_row(table).fields
    columns, filters = node.lookup_columns
    retry = node.retry_options
    lookup_table = LookupTable(
        name,
        RowType(fields=tuple(stored[at] for at in columns)),
        tuple(at for at, _ in keys),
        dict(table.options or {}),
        miss_retries=retry.retries if retry else 0,
        miss_delay=(retry.fixed_delay or 0) if retry else 0,
    )
    # Position -1: a column that no filter reads.
    places = [(rex, tuple(columns.index(at) if at in columns else -1 for at in counted)) for rex, counted in filters]
    return LookupSource(lookup_table, tuple(key for _, key in keys), tuple(places))


@dataclass(frozen=True, slots=True)
class LookupMaterializerParameters(Parameters):
    """The rows of the table that belong to the last row of a key; `rows_column` has those of a row that is added."""

    TYPE: ClassVar[str] = "lookup-materializer"
    rows_column: int


@dataclass(frozen=True, slots=True)
class _FlinkLookup:
    """Facts about Flink's state: `pads` if a row without a match is joined with nulls."""

    pads: bool


@dataclass(frozen=True, slots=True)
class _LookedUp:
    """The result of a lookup.

    Args:
        rows: an array of the table's rows for a row of the stream; an element is null where the join pads with nulls.
        columns: the columns that the join adds, of an element of the array.
    """

    rows: Column
    columns: Callable[[Column], tuple[Column, ...]]


@stateless(LookupJoin)
def lookup_join(node: LookupJoin, port: int, flow: Flow, lowering: Lowering) -> Sequence[Exploded]:
    looked_up = _looked_up(node, flow, lowering)

    def make(element: Column, position: Column) -> Flow:
        columns = tuple(F.when(element.isNotNull(), column) for column in looked_up.columns(element))
        path, joined = flow.path_to(position), (*flow.columns, *columns)
        return Flow(flow.kind, flow.ord, path, joined, None, flow.watermark, source=flow.source)

    return [Exploded(looked_up.rows, make, flow.condition)]


@keyed(LookupJoin, when=lambda node: node.keeps_state)
def materialized_lookup_join(node: LookupJoin, lowering: Lowering) -> KeyedOperator:
    """Flink's KeyedLookupJoinWrapper: a retraction retracts the rows that its row was joined with."""
    types = lowering.input_types(node)
    joined = node.output_type.types[len(types) :]
    names = [f"f{at}" for at in range(len(joined))]
    row = RowType(fields=tuple(Field(name, type_) for name, type_ in zip(names, joined, strict=True)))

    def rows(flow: Flow) -> Sequence[Column]:
        adds = flow.kind.isin(INSERT, UPDATE_AFTER)
        looked_up = _looked_up(node, flow, lowering, only=adds)

        def fields(element: Column) -> Column:
            columns = [column.alias(name) for name, column in zip(names, looked_up.columns(element), strict=True)]
            return F.when(element.isNotNull(), F.struct(*columns))

        return [lambdas.transform(looked_up.rows, fields)]

    def finish(output: Sequence[Column]) -> Sequence[Column]:
        return (*output[:-1], *(output[-1].getField(name) for name in names))

    source = Computed(f"rows {digest_of_lookup(node)}", looked_up_by(node))
    port = KeyedPort.by(stored_by(node), types, [(source, ArrayType(element=row))], rows)
    flink = _FlinkLookup(node.join_type == "LEFT")
    return KeyedOperator((port,), (*types, row), LookupMaterializerParameters(len(types)), finish=finish, flink=flink)


def _looked_up(node: LookupJoin, flow: Flow, lowering: Lowering, only: Column | None = None) -> _LookedUp:
    """Look up the rows of the table; with `only`, for rows that fulfil it."""
    context, source = lowering.context(node), source_of(node)
    table, width = source.table, len(node.temporal_table.output_type.fields)
    rows = lowering.looked_up.get(node.id)
    if rows is None:
        description = open_lookup(table, lowering.secrets)
        request = request_of(node, flow, lowering)
        if only is not None:
            request = F.when(only, request)
        shape = RowType(fields=tuple(Field(f"v{at}", f.type) for at, f in enumerate(table.columns.fields)))
        rows = java("lookup_rows", f"array<{ddl(shape)}>", request, options=(description,))
    exprs = node.projection_on_temporal_table

    def used(row: Column) -> tuple[Column, ...]:
        own = tuple(row.getField(f"v{at}") for at in range(width))
        return own if exprs is None else tuple(to_column(rex, own, context) for rex in exprs)

    def counts(row: Column) -> Column:
        own = tuple(row.getField(f"v{at}") for at in range(len(table.columns.fields)))
        holds = F.lit(True)
        for predicate, places in source.filters:
            holds = holds & to_column(predicate, [own[at] for at in places], context)
        if node.filter_on_temporal_table is not None:
            holds = holds & to_column(node.filter_on_temporal_table, own, context)
        if node.join_condition is not None:
            holds = holds & to_column(node.join_condition, (*flow.columns, *used(row)), context)
        return F.coalesce(holds, F.lit(False))

    def complete(looked_up: Column) -> Column:
        joined = lambdas.filtered(F.coalesce(looked_up, F.array()), counts)
        if node.join_type == "INNER":
            return joined
        nothing = lambdas.transform(F.array(F.lit(1)), lambda _: F.get(looked_up, F.lit(-1)))
        return F.when(F.size(joined) > 0, joined).otherwise(nothing)

    # The rows are bound to a variable, so that the database is queried once.
    return _LookedUp(F.flatten(lambdas.transform(F.array(rows), complete)), used)


def request_of(node: LookupJoin, flow: Flow, lowering: Lowering) -> Column:
    """The values to compare the table's keys with, `k0` and so on; null for rows that are not looked up."""
    keys = (_key(key, flow, lowering, node) for key in source_of(node).keys)
    request = F.struct(*(key.alias(f"k{at}") for at, key in enumerate(keys)))
    if node.pre_filter_condition is None:
        return request
    passes = to_column(node.pre_filter_condition, flow.columns, lowering.context(node))
    return F.when(F.coalesce(passes, F.lit(False)), request)


def _key(key: LookupKey, flow: Flow, lowering: Lowering, node: LookupJoin) -> Column:
    match key:
        case FieldKey():
            return flow.columns[key.index]
        case ConstantKey():
            literal: Literal = key.literal  # type: ignore[assignment]
            return to_column(literal, flow.columns, lowering.context(node))
