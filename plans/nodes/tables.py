"""Tables in scans and sinks: identifier, resolved schema, options, push-downs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Field, Tag

from compiled_plan.plans.nodes.fields import RexJson, RowTypeJson, TypeJson
from compiled_plan.plans.nodes.model import Always, Bool, Int, PlanModel


class ResolvedExpression(PlanModel):
    """An expression in a table's declaration and its SQL text."""

    rex_node: RexJson
    serializable_string: str


class PhysicalColumn(PlanModel):
    """A column that the table stores."""

    name: str
    comment: str | None = None
    data_type: TypeJson


class ComputedColumn(PlanModel):
    """A column computed from others."""

    name: str
    comment: str | None = None
    kind: Always[Literal["COMPUTED"]] = "COMPUTED"
    expression: ResolvedExpression


class MetadataColumn(PlanModel):
    """A column of the connector or format. `metadata_key` is absent where it equals the name."""

    name: str
    comment: str | None = None
    kind: Always[Literal["METADATA"]] = "METADATA"
    data_type: TypeJson
    metadata_key: str | None = None
    is_virtual: Bool

    @property
    def key(self) -> str:
        return self.metadata_key or self.name


def _column_kind(value: object) -> str:
    if isinstance(value, dict):
        return str(value.get("kind", "PHYSICAL"))
    return str(getattr(value, "kind", "PHYSICAL"))


Column = Annotated[
    Annotated[PhysicalColumn, Tag("PHYSICAL")]
    | Annotated[ComputedColumn, Tag("COMPUTED")]
    | Annotated[MetadataColumn, Tag("METADATA")],
    Discriminator(_column_kind),
]


class WatermarkSpec(PlanModel):
    """`WATERMARK FOR rowtime_attribute AS expression`."""

    rowtime_attribute: str
    expression: ResolvedExpression


class PrimaryKey(PlanModel):
    """A primary key, not enforced."""

    name: str
    type: Always[Literal["PRIMARY_KEY"]] = "PRIMARY_KEY"
    columns: tuple[str, ...]


class Index(PlanModel):
    """An index that the table declares."""

    name: str
    columns: tuple[str, ...]


class TableSchema(PlanModel):
    """A table's resolved columns, watermark and key."""

    columns: tuple[Column, ...]
    watermark_specs: tuple[WatermarkSpec, ...] = ()
    primary_key: PrimaryKey | None = None
    immutable_columns: object = None
    indexes: tuple[Index, ...] = ()


class TableDistribution(PlanModel):
    """Buckets of a table: `DISTRIBUTED BY`."""

    kind: Literal["UNKNOWN", "HASH", "RANGE"]
    bucket_count: Int | None = None
    bucket_keys: Always[tuple[str, ...]] = ()


class ResolvedTable(PlanModel):
    """A table as resolved by the catalog. `options` may be missing in plans compiled for schemas only."""

    table_schema: TableSchema = Field(alias="schema")
    comment: str | None = None
    distribution: TableDistribution | None = None
    partition_keys: tuple[str, ...] = ()
    options: dict[str, str] | None = None


class CatalogTable(PlanModel):
    """A table by its identifier; `resolved_table` may be missing in plans compiled for identifiers only.

    An inline table of a descriptor has no identifier.
    """

    written_identifier: str | None = Field(default=None, alias="identifier")
    resolved_table: ResolvedTable | None = None

    @cached_property
    def identifier(self) -> str:
        """The identifier; for a table without one, a name derived from its schema and options."""
        if self.written_identifier is not None or self.resolved_table is None:
            return self.written_identifier or ""
        text = json.dumps(self.resolved_table.to_dict(), sort_keys=True)
        connector = self.options.get("connector", "table")
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        return f"`anonymous`.`anonymous`.`{connector.replace('`', '``')}_{digest}`"

    @property
    def path(self) -> tuple[str, ...]:
        """Catalog, database and table, unquoted."""
        return split_identifier(self.identifier)

    @property
    def name(self) -> str:
        """The name without catalog and database."""
        return self.path[-1]

    @property
    def options(self) -> Mapping[str, str]:
        """The options; empty if the table was compiled for a catalog."""
        return (self.resolved_table.options if self.resolved_table else None) or {}

    @property
    def stored_columns(self) -> list[PhysicalColumn]:
        columns = self.resolved_table.table_schema.columns if self.resolved_table else ()
        return [column for column in columns if isinstance(column, PhysicalColumn)]

    @property
    def primary_key(self) -> tuple[str, ...]:
        """Column names of the primary key; empty if there is none."""
        key = self.resolved_table.table_schema.primary_key if self.resolved_table else None
        return () if key is None else key.columns


def split_identifier(text: str) -> tuple[str, ...]:
    """The unquoted parts of `` `catalog`.`database`.`table` ``; a backtick inside a part is doubled."""
    parts, part, quoted, at = [], "", False, 0
    while at < len(text):
        char = text[at]
        if char == "`" and quoted and text[at + 1 : at + 2] == "`":
            part += "`"
            at += 1
        elif char == "`":
            quoted = not quoted
        elif char == "." and not quoted:
            parts.append(part)
            part = ""
        else:
            part += char
        at += 1
    return (*parts, part)


class Ability(PlanModel):
    """Operations that the plan pushes into a source or sink."""

    #: False if the product cannot run it; such a plan can still be edited.
    RUNNABLE: ClassVar[bool] = True
    #: Remedy for an unsupported ability.
    REMEDY: ClassVar[str] = "compile without that push-down"


class ProjectPushDown(Ability):
    """The source reads only some columns, as paths of field indices."""

    type: Always[Literal["ProjectPushDown"]] = "ProjectPushDown"
    projected_fields: tuple[tuple[Int, ...], ...]
    produced_type: RowTypeJson


class ReadingMetadata(Ability):
    """The source adds metadata columns after the physical ones."""

    type: Always[Literal["ReadingMetadata"]] = "ReadingMetadata"
    metadata_keys: tuple[str, ...]
    produced_type: RowTypeJson


class FilterPushDown(Ability):
    """The source may drop rows for which a predicate is not true."""

    type: Always[Literal["FilterPushDown"]] = "FilterPushDown"
    predicates: tuple[RexJson, ...]


class LimitPushDown(Ability):
    """The source may stop after `limit` rows."""

    type: Always[Literal["LimitPushDown"]] = "LimitPushDown"
    limit: Int


class PartitionPushDown(Ability):
    """The source reads these partitions only; null is the value of a partition whose column is null."""

    type: Always[Literal["PartitionPushDown"]] = "PartitionPushDown"
    partitions: tuple[dict[str, str | None], ...]


class WatermarkPushDown(Ability):
    """The source generates the watermarks.

    `idle_timeout_millis` is the session's setting, -1 for none; the table's settings are in `watermark_params`, which
    plans of older Flink releases lack.
    """

    type: Always[Literal["WatermarkPushDown"]] = "WatermarkPushDown"
    watermark_expr: RexJson
    idle_timeout_millis: Int
    produced_type: RowTypeJson
    watermark_params: Any = None
    rowtime_expr: RexJson | None = None

    @property
    def idle_ms(self) -> int:
        """Idle timeout of a partition in milliseconds; 0 for none. The table's setting takes precedence."""
        own = self._param("sourceIdleTimeout")
        return max(0, own if isinstance(own, int) and own >= 0 else self.idle_timeout_millis)

    @property
    def every_row(self) -> bool:
        """True if each row may advance the watermark immediately."""
        return bool(self._param("emitStrategy") == "ON_EVENT")

    def _param(self, name: str) -> Any:
        return self.watermark_params.get(name) if isinstance(self.watermark_params, dict) else None


class SourceWatermark(Ability):
    """The source supplies its own watermarks."""

    RUNNABLE = False
    REMEDY = "compute the watermark from a column, such as ts - INTERVAL '5' SECOND"

    type: Always[Literal["SourceWatermark"]] = "SourceWatermark"
    source_watermark_enabled: Bool
    produced_type: RowTypeJson


class AggregatePushDown(Ability):
    """The source aggregates (batch plans)."""

    RUNNABLE = False

    type: Always[Literal["AggregatePushDown"]] = "AggregatePushDown"
    input_type: RowTypeJson
    grouping_sets: tuple[tuple[Int, ...], ...]
    aggregate_calls: tuple[object, ...]
    produced_type: RowTypeJson


SourceAbility = Annotated[
    ProjectPushDown
    | ReadingMetadata
    | FilterPushDown
    | LimitPushDown
    | PartitionPushDown
    | WatermarkPushDown
    | SourceWatermark
    | AggregatePushDown,
    Field(discriminator="type"),
]


class Overwrite(Ability):
    """The sink replaces the rows of the table: `INSERT OVERWRITE`."""

    RUNNABLE = False

    type: Always[Literal["Overwrite"]] = "Overwrite"
    overwrite: Bool


class Partitioning(Ability):
    """`INSERT INTO t PARTITION (column = value)`."""

    type: Always[Literal["Partitioning"]] = "Partitioning"
    partition: dict[str, str]


class WritingMetadata(Ability):
    """The sink takes metadata columns after the physical ones."""

    type: Always[Literal["WritingMetadata"]] = "WritingMetadata"
    metadata_keys: tuple[str, ...]
    consumed_type: RowTypeJson


class TargetColumnWriting(Ability):
    """The statement names the columns that it writes."""

    type: Always[Literal["TargetColumnWriting"]] = "TargetColumnWriting"
    target_columns: tuple[tuple[Int, ...], ...]


class Bucketing(Ability):
    """The sink writes the buckets of `DISTRIBUTED BY`."""

    RUNNABLE = False

    type: Always[Literal["Bucketing"]] = "Bucketing"


SinkAbility = Annotated[
    Overwrite | Partitioning | WritingMetadata | TargetColumnWriting | Bucketing, Field(discriminator="type")
]


class TableSource(PlanModel):
    """A table that is read, with the abilities pushed into the source."""

    table: CatalogTable
    abilities: tuple[SourceAbility, ...] = ()


class TableSink(PlanModel):
    """A table that is written. `target_columns` are the columns that the statement names, as index paths."""

    table: CatalogTable
    abilities: tuple[SinkAbility, ...] = ()
    target_columns: tuple[tuple[Int, ...], ...] = ()
