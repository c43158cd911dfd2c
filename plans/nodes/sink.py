"""Sinks."""

from __future__ import annotations

from typing import ClassVar, Literal

from plans.nodes.base import Bool, Enforcing, Int, PlanModel, StatefulNode, StateSlot
from plans.nodes.specs import RowKind
from plans.nodes.tables import CatalogTable, TableSink

MATERIALIZE_STATE = StateSlot("sinkMaterializeState", 0)


class ConflictStrategy(PlanModel):
    """`ON CONFLICT DO ...`: what happens when two rows meet on one primary key."""

    behavior: Literal["ERROR", "NOTHING", "DEDUPLICATE"]


class Sink(StatefulNode):
    """Writes to a table.

    Keeps state only where it must materialise: where the primary key differs from the upsert key of what arrives.
    """

    NAME = "stream-exec-sink"
    VERSION = 2
    PLACED_AFTER: ClassVar[dict[str, str]] = {"state": "require_upsert_materialize"}
    WITHOUT_ENTRIES: ClassVar[str] = (
        "it writes changes as they come and keeps no state; a sink does where its primary key is not the query's key"
    )

    dynamic_table_sink: TableSink
    input_changelog_mode: tuple[RowKind, ...]
    require_upsert_materialize: Enforcing[Bool] = False
    upsert_materialize_strategy: str | None = None
    input_upsert_key: Enforcing[tuple[Int, ...]] = ()
    conflict_strategy: ConflictStrategy | None = None

    def tables(self) -> tuple[tuple[tuple[str, ...], CatalogTable], ...]:
        return ((("dynamicTableSink", "table"), self.dynamic_table_sink.table),)

    @property
    def waits_for_watermarks(self) -> bool:
        """Whether it decides about a primary key when the watermark moves on, as DO ERROR and DO NOTHING do."""
        strategy = self.conflict_strategy
        return self.require_upsert_materialize and strategy is not None and strategy.behavior != "DEDUPLICATE"

    def state_slots(self, input_count: int) -> tuple[StateSlot, ...]:
        return (MATERIALIZE_STATE,) if self.require_upsert_materialize else ()


class SinkV1(Sink):
    """Writes to a table; the form of older plans."""

    NAME = "stream-exec-sink"
    VERSION = 1
