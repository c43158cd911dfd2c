"""Sinks: writes to tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

from compiled_plan.plans.findings import Fault, refusal
from compiled_plan.plans.nodes.base import Inputs, StatefulNode, StateSlot
from compiled_plan.plans.nodes.flink_state import FlinkMapping, Row, StateItem, row_types, unsure
from compiled_plan.plans.nodes.model import Bool, Enforcing, Int, OfInput, OfNone, PlanModel
from compiled_plan.plans.nodes.rules import indices, output
from compiled_plan.plans.nodes.specs import RowKind
from compiled_plan.plans.nodes.table_rules import catalog_table_faults, metadata_faults, persisted_row
from compiled_plan.plans.nodes.tables import CatalogTable, TableSink, TargetColumnWriting, WritingMetadata
from compiled_plan.plans.types.changelog import ChangelogMode
from compiled_plan.plans.types.likeness import alike

MATERIALIZE_STATE = StateSlot("sinkMaterializeState", 0)


class ConflictStrategy(PlanModel):
    """`ON CONFLICT DO ...`: resolution of several rows with one primary key."""

    behavior: Literal["ERROR", "NOTHING", "DEDUPLICATE"]


class Sink(StatefulNode):
    """A write to a table.

    Has state only if it must materialise: if the primary key differs from the upsert key of its input.
    """

    NAME = "stream-exec-sink"
    TITLE = "Write {table}"
    TRANSFORMATION = "upsert-materialize"
    VERSION = 2
    PLACED_AFTER: ClassVar[dict[str, str]] = {"state": "require_upsert_materialize"}
    WITHOUT_ENTRIES: ClassVar[str] = (
        "it writes changes as they come and keeps no state; a sink does where its primary key is not the query's key"
    )

    dynamic_table_sink: OfNone[TableSink]
    input_changelog_mode: tuple[RowKind, ...]
    require_upsert_materialize: Enforcing[Bool] = False
    upsert_materialize_strategy: str | None = None
    input_upsert_key: Enforcing[OfInput[tuple[Int, ...]]] = ()
    conflict_strategy: ConflictStrategy | None = None

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        table = self.dynamic_table_sink.table
        path = ("dynamicTableSink", "table")
        wrong = list(catalog_table_faults(table, path, inputs.declared, reading=False))
        yield from wrong
        abilities = self.dynamic_table_sink.abilities
        keys = [key for ability in abilities if isinstance(ability, WritingMetadata) for key in ability.metadata_keys]
        if not wrong:
            yield from metadata_faults(table, keys, ("dynamicTableSink",), inputs.declared, reading=False)
        yield from self._ability_refusals()
        yield from indices(self.input_upsert_key, inputs.types, ("inputUpsertKey",))
        yield from output(self.output_type, inputs.types, "its input")
        # A sink that materialises accepts all kinds, and converts them to those that the table accepts.
        takes = None if self.require_upsert_materialize else inputs.declared.changes(table.options, reading=False)
        yield from self._mode_faults(inputs.received, takes)
        resolved = table.resolved_table
        if resolved is None or any(not fault.editable for fault in wrong):
            return
        stored = persisted_row(resolved, self.dynamic_table_sink.abilities)
        if len(stored.fields) != len(inputs.types):
            message = f"the input has {len(inputs.types)} columns, and the table takes {len(stored.fields)}"
            columns = (*path, "resolvedTable", "schema", "columns")
            yield Fault(columns, message, "make the numbers equal", len(stored.fields))
        else:
            for at, (field, type_) in enumerate(zip(stored.fields, inputs.types, strict=True)):
                if not alike(field.type, type_, classes=False):
                    message = f"column {field.name!r} of the table is {field.type}, and input column {at} is {type_}"
                    columns = (*path, "resolvedTable", "schema", "columns")
                    yield Fault(columns, message, f"give the table {field.type}", str(type_))
        if self.require_upsert_materialize and resolved.table_schema.primary_key is None:
            message = "the sink keeps rows by primary key, and its table has none"
            yield Fault(
                ("requireUpsertMaterialize",), message, "give the table a primary key, or set it to false", True
            )

    def _ability_refusals(self) -> Iterator[Fault]:
        """Faults of unsupported abilities.

        The input has the values of static partitions as columns, and null in columns that the statement does not name,
        which a partial update would leave unchanged.
        """
        resolved = self.dynamic_table_sink.table.resolved_table
        keyed = resolved is not None and resolved.table_schema.primary_key is not None
        for at, ability in enumerate(self.dynamic_table_sink.abilities):
            if not ability.RUNNABLE or (keyed and isinstance(ability, TargetColumnWriting)):
                remedy = "insert rows without OVERWRITE and buckets, and name all columns of a table with a primary key"
                place = ("dynamicTableSink", "abilities", at)
                yield refusal(place, f"the sink ability {ability.type}", remedy, ability.type)

    def _mode_faults(self, received: ChangelogMode, takes: ChangelogMode | None) -> Iterator[Fault]:
        """Faults of `inputChangelogMode`: kinds that are duplicate, missing, or not accepted by the table."""
        place, kinds = ("inputChangelogMode",), self.input_changelog_mode
        mode = ChangelogMode.of(kinds)
        # A table that accepts updates accepts all kinds; to an upsert table a row before an update is a deletion.
        changes = not mode.insert_only and takes is not ChangelogMode.INSERT
        for kind in () if changes else (received & ~mode).names():
            message = f"the input sends rows of kind {kind}, which are not in `inputChangelogMode`"
            yield Fault(place, message, f"add {kind}", list(kinds))
        if len(mode.names()) < len(kinds):
            yield Fault(place, "a kind is there twice", "remove one", list(kinds))
        for at, kind in enumerate(kinds):
            if takes is ChangelogMode.INSERT and kind != "INSERT":
                message = f"the table does not take rows of kind {kind}"
                remedy = f"it takes {', '.join(takes.names())}: choose another connector or format"
                yield Fault((*place, at), message, remedy, kind)

    def tables(self) -> tuple[tuple[tuple[str, ...], CatalogTable], ...]:
        return ((("dynamicTableSink", "table"), self.dynamic_table_sink.table),)

    @property
    def waits_for_watermarks(self) -> bool:
        """True if the watermark triggers the resolution of conflicts, as for DO ERROR and DO NOTHING."""
        strategy = self.conflict_strategy
        return self.require_upsert_materialize and strategy is not None and strategy.behavior != "DEDUPLICATE"

    def state_slots(self, input_count: int) -> tuple[StateSlot, ...]:
        return (MATERIALIZE_STATE,) if self.require_upsert_materialize else ()

    def may_send(self, received: Sequence[ChangelogMode]) -> ChangelogMode:
        return ChangelogMode.of(self.input_changelog_mode)

    @property
    def flink_mapping(self) -> FlinkMapping:
        if self.waits_for_watermarks:
            return FlinkMapping(refusal="Flink's state of a sink with ON CONFLICT is not converted")
        strategy = self.upsert_materialize_strategy
        if strategy not in (None, "LEGACY"):
            return FlinkMapping(refusal=f"Flink's state of a sink with the strategy {strategy} is not converted")
        return FlinkMapping(states=("values",))

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        """See `PlanNode.flink_state`; in rows of the table, columns of the primary key are NOT NULL."""
        table = self.dynamic_table_sink.table.resolved_table
        yield from row_types(rows if table is None else [persisted_row(table).types])
        yield unsure("how rows are kept", self.input_upsert_key, self.upsert_materialize_strategy)


class SinkV1(Sink):
    """A write to a table in older plans."""

    NAME = "stream-exec-sink"
    VERSION = 1
