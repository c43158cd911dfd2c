"""Changelog normalisation, and the upsert materialisation of sinks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from plans.execution.expressions import canonical_key, to_column
from plans.execution.operators.base import Flow, KeyedOperator, KeyedPort, Lowering, keyed, refuse
from plans.nodes import ChangelogNormalize, Sink, WatermarkAssigner
from plans.nodes.tables import PhysicalColumn
from plans.types import BOOLEAN, RowType


@keyed(ChangelogNormalize)
def changelog_normalize(node: ChangelogNormalize, lowering: Lowering) -> KeyedOperator:
    """Flink's ProcTimeDeduplicateKeepLastRowFunction on a changelog input, with the pushed-down filter."""
    types = lowering.input_types(node)
    row = node.output_type
    assert isinstance(row, RowType)
    keys = list(node.unique_keys)
    key_types = [types[at] for at in keys]
    condition = node.filter_condition

    def columns(flow: Flow) -> Sequence[Column]:
        if condition is None:
            return flow.columns
        kept = F.coalesce(to_column(condition, flow.columns, lowering.context(node)), F.lit(False))
        return (*flow.columns, kept)

    return KeyedOperator(
        type="changelog-normalize",
        ports=(
            KeyedPort(
                types if condition is None else (*types, BOOLEAN),
                key=lambda flow: canonical_key([flow.columns[at] for at in keys], key_types),
                columns=columns,
            ),
        ),
        output=row.types,
        parameters={
            "filterColumn": None if condition is None else len(types),
            "generateUpdateBefore": node.generate_update_before,
        },
    )


def sink_materializer(node: Sink, lowering: Lowering) -> KeyedOperator:
    """Which row of a primary key an upsert sink shows.

    Flink's SinkUpsertMaterializer, which shows the last that is still there, and for ON CONFLICT DO ERROR and DO
    NOTHING its WatermarkCompactingSinkMaterializer.
    """
    types = lowering.input_types(node)
    table = node.dynamic_table_sink.table.resolved_table
    if table is None:
        raise refuse(node, "its table has no schema in the plan")
    names = [column.name for column in table.table_schema.columns if isinstance(column, PhysicalColumn)]
    key = table.table_schema.primary_key
    keys = [names.index(name) for name in key.columns] if key else []
    key_types = [types[at] for at in keys]
    upsert_key = node.input_upsert_key
    parameters: dict[str, Any] = {"upsertKey": list(upsert_key) if upsert_key else None}
    if node.waits_for_watermarks:
        if not any(isinstance(found, WatermarkAssigner) for found in lowering.plan.nodes):
            raise refuse(node, "ON CONFLICT DO ERROR or DO NOTHING without watermarks")
        assert node.conflict_strategy is not None
        parameters |= {
            "conflict": node.conflict_strategy.behavior,
            "primaryKey": keys,
            "keyNames": [names[at] for at in keys],
            "table": node.dynamic_table_sink.table.identifier,
        }
    return KeyedOperator(
        type="sink-compactor" if node.waits_for_watermarks else "sink-upsert-materializer",
        ports=(KeyedPort(types, key=lambda flow: canonical_key([flow.columns[at] for at in keys], key_types)),),
        output=types,
        parameters=parameters,
    )
