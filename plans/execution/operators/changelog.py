"""Changelog normalisation, and the upsert materialisation of sinks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pyspark.sql import functions as F

from compiled_plan.plans.execution.expressions import to_column
from compiled_plan.plans.execution.operators.base import KeyedOperator, KeyedPort, Lowering, keyed
from compiled_plan.plans.execution.operators.parameters import Parameters
from compiled_plan.plans.nodes.deduplicate import ChangelogNormalize
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.table_rules import physical_row
from compiled_plan.plans.types import BOOLEAN


@dataclass(frozen=True, slots=True)
class ChangelogNormalizeParameters(Parameters):
    """Normalisation: `filter_column` selects the visible rows (None: all); it is not part of the output."""

    TYPE: ClassVar[str] = "changelog-normalize"
    filter_column: int | None
    generate_update_before: bool


@dataclass(frozen=True, slots=True)
class SinkUpsertMaterializerParameters(Parameters):
    """The last live row of a primary key; `upsert_key` identifies rows (None: the whole row)."""

    TYPE: ClassVar[str] = "sink-upsert-materializer"
    upsert_key: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class SinkCompactorParameters(Parameters):
    """The single row of a primary key, as of each watermark.

    Args:
        upsert_key: the columns that identify rows; None for the whole row.
        conflict: the treatment of several rows of a key, "ERROR" or "NOTHING".
        primary_key: the columns of the key.
        key_names: their names, for errors.
        table: the sink's table, for errors.
    """

    TYPE: ClassVar[str] = "sink-compactor"
    upsert_key: tuple[int, ...] | None
    conflict: str
    primary_key: tuple[int, ...]
    key_names: tuple[str, ...]
    table: str


@keyed(ChangelogNormalize)
def changelog_normalize(node: ChangelogNormalize, lowering: Lowering) -> KeyedOperator:
    """Flink's ProcTimeDeduplicateKeepLastRowFunction on a changelog input, with the pushed-down filter."""
    types = lowering.input_types(node)
    conditions = [] if node.filter_condition is None else [node.filter_condition]
    port = KeyedPort.by(
        node.unique_keys,
        types,
        [(condition, BOOLEAN) for condition in conditions],
        lambda flow: [
            F.coalesce(to_column(condition, flow.columns, lowering.context(node)), F.lit(False))
            for condition in conditions
        ],
    )
    return KeyedOperator(
        ports=(port,),
        output=node.output_type.types,
        parameters=ChangelogNormalizeParameters(
            filter_column=len(types) if conditions else None,
            generate_update_before=node.generate_update_before,
        ),
    )


def primary_key(node: Sink) -> list[int]:
    """The positions of a sink's primary key in its columns; empty if its table has none."""
    table = node.dynamic_table_sink.table.resolved_table
    key = table.table_schema.primary_key if table else None
    if table is None or key is None:
        return []
    names = physical_row(table).names
    return [names.index(name) for name in key.columns]


def sink_materializer(node: Sink, lowering: Lowering) -> KeyedOperator:
    """The row of a primary key that an upsert sink shows.

    Flink's SinkUpsertMaterializer, which shows the last live row; for ON CONFLICT DO ERROR and DO NOTHING its
    WatermarkCompactingSinkMaterializer.
    """
    types = lowering.input_types(node)
    table = node.dynamic_table_sink.table.resolved_table
    assert table is not None
    names = physical_row(table).names
    keys = primary_key(node)
    upsert_key = tuple(node.input_upsert_key) if node.input_upsert_key else None
    parameters: Parameters = SinkUpsertMaterializerParameters(upsert_key)
    if node.waits_for_watermarks:
        assert node.conflict_strategy is not None
        parameters = SinkCompactorParameters(
            upsert_key=upsert_key,
            conflict=node.conflict_strategy.behavior,
            primary_key=tuple(keys),
            key_names=tuple(names[at] for at in keys),
            table=node.dynamic_table_sink.table.identifier,
        )
    return KeyedOperator((KeyedPort.by(keys, types),), types, parameters)
