"""Lookup joins: each row of a stream asks an external table for its rows."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from plans.nodes.base import Always, Bool, Enforcing, Int, Json, Nullable, PlanModel, StatefulNode, StateSlot
from plans.nodes.fields import RexJson, RowTypeJson, TypeJson
from plans.nodes.specs import RowKind
from plans.nodes.tables import CatalogTable, TableSource

LOOKUP_STATE = StateSlot("lookupJoinState", 0)


class FieldKey(PlanModel):
    """The table's column must equal column `index` of the stream."""

    type: Always[Literal["FieldRef"]] = "FieldRef"
    index: Int


class ConstantKey(PlanModel):
    """The table's column must equal a constant."""

    type: Always[Literal["Constant"]] = "Constant"
    source_type: TypeJson
    literal: RexJson


LookupKey = Annotated[FieldKey | ConstantKey, Field(discriminator="type")]


class LookupTable(PlanModel):
    """The table that is asked, and the columns that it gives."""

    lookup_table_source: TableSource
    output_type: RowTypeJson


class LookupJoin(StatefulNode):
    """Joins each row with the rows of a table that have its keys, as the table is at that moment.

    `lookup_keys`: by column of the table, as text. The table's rows are filtered, then projected; then
    `join_condition` holds over the stream's columns and the projected ones. `pre_filter_condition` says which rows of
    a LEFT join ask at all. The node has a `state` entry only where it must materialise.
    """

    NAME = "stream-exec-lookup-join"
    TAIL: ClassVar[tuple[str, ...]] = ("prefer_custom_shuffle",)

    join_type: Enforcing[Literal["INNER", "LEFT"]]
    pre_filter_condition: RexJson | None = None
    join_condition: Nullable[RexJson] = None
    temporal_table: LookupTable
    lookup_keys: Enforcing[dict[str, LookupKey]]
    projection_on_temporal_table: Nullable[tuple[RexJson, ...]] = None
    filter_on_temporal_table: Nullable[RexJson] = None
    lookup_key_contains_primary_key: Bool
    require_upsert_materialize: Enforcing[Bool] = False
    async_options: dict[str, Json] | None = None
    retry_options: dict[str, Json] | None = None
    input_changelog_mode: tuple[RowKind, ...]
    input_upsert_key: tuple[Int, ...] = ()
    prefer_custom_shuffle: Always[Bool] = False

    def tables(self) -> tuple[tuple[tuple[str, ...], CatalogTable], ...]:
        return ((("temporalTable", "lookupTableSource", "table"), self.temporal_table.lookup_table_source.table),)

    @property
    def keeps_state(self) -> bool:
        return self.require_upsert_materialize

    def state_slots(self, input_count: int) -> tuple[StateSlot, ...]:
        return (LOOKUP_STATE,) if self.require_upsert_materialize else ()
