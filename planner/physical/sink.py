"""Sinks: accepted changes, upsert materialization, ON CONFLICT."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

from compiled_plan.planner.algebra.nodes import Hint, Sink
from compiled_plan.planner.algebra.sources import options_of
from compiled_plan.planner.catalog.connectors import metadata_columns, sink_changelog
from compiled_plan.planner.catalog.tables import CatalogTable, ColumnKind
from compiled_plan.planner.physical.base import NodeContext, OperatorPlanner, PhysicalOperator, Single, lowers, make
from compiled_plan.planner.physical.catalog import path_text, table_of
from compiled_plan.planner.physical.plumbing import PhysicalExchange
from compiled_plan.planner.physical.requirements import producer, unsupported_changes
from compiled_plan.planner.physical.scan import PhysicalTableSourceScan
from compiled_plan.planner.physical.traits import Key, ModifyKinds, Traits, UpdateKind, row_kinds, smallest
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.configuration import FRESHNESS
from compiled_plan.plans.nodes.sink import ConflictStrategy
from compiled_plan.plans.nodes.sink import Sink as SinkNode
from compiled_plan.plans.nodes.tables import TableSink, TargetColumnWriting, WritingMetadata
from compiled_plan.plans.text.durations import format_duration
from compiled_plan.plans.types import Field, RowType
from compiled_plan.plans.types.changelog import ChangelogMode
from compiled_plan.plans.types.temporal import is_rowtime

ROWTIME_INSERTER = "table.exec.sink.rowtime-inserter"
_CONFIGURATION = (
    "table.exec.sink.keyed-shuffle",
    "table.exec.sink.not-null-enforcer",
    ROWTIME_INSERTER,
    "table.exec.sink.type-length-enforcer",
    "table.exec.sink.upsert-materialize",
)

_SPREAD = "sink.shuffle-by-partition.enable"

Conflict = Literal["ERROR", "NOTHING", "DEDUPLICATE"]


@dataclass(frozen=True, slots=True)
class PhysicalSink(Single):
    """Writes to a table. `updates` is the inferred kind of its input's updates.

    `needs_old_rows`: a row may change its primary key, so that only the old row of an update identifies the deleted
    one.
    """

    table: CatalogTable
    target: tuple[int, ...] | None
    hints: tuple[Hint, ...]
    on_conflict: Conflict | None
    accepted: ChangelogMode
    materialize: bool = False
    needs_old_rows: bool = False
    updates: UpdateKind = UpdateKind.BOTH

    def deterministic_columns(self, columns: Key, inputs: tuple[Traits, ...]) -> Sequence[Iterable[int]]:
        by_row = self.materialize or not self.table.primary_key
        return [range(len(self.row_type.fields)) if by_row else _primary_key(self.table)]

    def plan_node(self, at: NodeContext) -> PlanNode:
        key = smallest(at.inputs[0].upsert_keys)
        return make(SinkNode)(
            **self.header(at),
            configuration=self._configuration(at),
            dynamic_table_sink=make(TableSink)(
                table=table_of(self.table, self.hints),
                abilities=self._abilities(),
                target_columns=() if self.target is None else tuple((index,) for index in self.target),
            ),
            input_changelog_mode=row_kinds(at.inputs[0].modify_kinds, self.updates),
            require_upsert_materialize=self.materialize,
            conflict_strategy=None if self.on_conflict is None else make(ConflictStrategy)(behavior=self.on_conflict),
            input_upsert_key=tuple(sorted(key)) if key else (),
            state=(at.entry("sinkMaterializeState"),) if self.materialize else (),
        )

    def _configuration(self, at: NodeContext) -> dict[str, str]:
        configuration = at.settings.subset(*_CONFIGURATION)
        materialized = self.table.materialized
        if materialized is None:
            return configuration
        return dict(sorted({**configuration, FRESHNESS: format_duration(materialized.freshness_ms)}.items()))

    def _abilities(self) -> tuple[WritingMetadata | TargetColumnWriting, ...]:
        metadata = metadata_columns(self.table, writing=True)
        if not metadata:
            return ()
        keys = tuple(column.metadata_key or column.name for column in metadata)
        physical = self.table.physical
        fields = tuple(Field(column.name, column.type) for column in (*physical, *metadata))
        consumed = replace(self.row_type.with_nullability(False), fields=fields)
        return (make(WritingMetadata)(metadata_keys=keys, consumed_type=consumed),)

    def title(self) -> str:
        fields = ", ".join(self.row_type.names)
        target = "" if self.target is None else f", targetColumns=[{','.join(f'[{i}]' for i in self.target)}]"
        how = ", upsertMaterialize=[true]" if self.materialize else ""
        conflict = f", conflictStrategy=[{self.on_conflict}]" if self.on_conflict else ""
        return f"Sink(table=[{path_text(self.table)}]{target}, fields=[{fields}]{how}{conflict})"


@lowers(Sink)
def _lower_sink(rel: Sink, at: OperatorPlanner) -> PhysicalOperator:
    source = at.lower(rel.input)
    traits = at.traits(source)
    hints = tuple(hint for hint in rel.hints if hint.name.upper() == "OPTIONS")
    table = replace(rel.table, options=tuple(options_of(rel.table, hints).items()))
    accepted = sink_changelog(table, _mode_of(traits.modify_kinds))
    _check_changes(table, accepted, source, traits, at)
    if at.settings.value(ROWTIME_INSERTER).upper() != "DISABLED":
        _check_rowtimes(table, source.row_type)
    materialize = _materializes(rel, table, source, traits, at)
    return PhysicalSink(
        _spread(source, table),
        rel.table,
        rel.target,
        hints,
        cast("Conflict | None", rel.on_conflict),
        accepted,
        materialize,
        bool(table.primary_key) and _primary_key(table) not in traits.upsert_keys,
    )


def _spread(source: PhysicalOperator, table: CatalogTable) -> PhysicalOperator:
    """The rows, partitioned if the table requires it."""
    if not table.partition_keys or (table.option(_SPREAD) or "").strip().lower() != "true":
        return source
    return PhysicalExchange(source, _places(table, table.partition_keys))


def _mode_of(kinds: ModifyKinds) -> ChangelogMode:
    mode = ChangelogMode.INSERT
    if kinds.updates:
        mode |= ChangelogMode.UPDATE_BEFORE | ChangelogMode.UPDATE_AFTER
    if ModifyKinds.DELETE in kinds:
        mode |= ChangelogMode.DELETE
    return mode


def _check_changes(
    table: CatalogTable, accepted: ChangelogMode, source: PhysicalOperator, traits: Traits, at: OperatorPlanner
) -> None:
    refused = traits.modify_kinds & ~ModifyKinds.INSERT
    if ChangelogMode.UPDATE_AFTER in accepted:
        refused &= ~ModifyKinds.UPDATE
    if ChangelogMode.DELETE in accepted:
        refused &= ~ModifyKinds.DELETE
    if refused:
        remedy = "write to a table whose format takes updates (such as 'debezium-json'), or make the query append-only"
        sender = producer(source, traits.modify_kinds, at)
        raise unsupported_changes(f"table sink '{path_text(table)}'", refused, sender, remedy)


def _check_rowtimes(table: CatalogTable, row: RowType) -> None:
    rowtimes = [item.name for item in row.fields if is_rowtime(item.type)]
    # A sink stores one rowtime per row; `collect` stores none, as in Flink.
    if len(rowtimes) > 1 and dict(table.options).get("connector") != "collect":
        raise ProgramError(
            f"the query writes {len(rowtimes)} rowtime columns ({', '.join(rowtimes)}) to {path_text(table)}; "
            "a sink takes one",
            remedy=f"cast all but one: CAST(x AS TIMESTAMP(3)), or SET '{ROWTIME_INSERTER}' = 'DISABLED'",
        )


def _materializes(
    rel: Sink, table: CatalogTable, source: PhysicalOperator, traits: Traits, at: OperatorPlanner
) -> bool:
    """Return True if the sink must store the rows of each primary key, to restore the remaining one on a delete."""
    # Flink decides this before it infers whether updates have their old rows.
    taken = sink_changelog(table, _mode_of(traits.modify_kinds) & ~ChangelogMode.UPDATE_BEFORE)
    retracts = ChangelogMode.UPDATE_BEFORE in taken
    if rel.on_conflict is not None:
        _check_conflict_clause(rel, taken, source)
    how = at.settings.value("table.exec.sink.upsert-materialize").upper()
    if how == "NONE" or retracts or not table.primary_key:
        return False
    if how == "FORCE":
        return True
    if taken.insert_only or (traits.modify_kinds.insert_only and rel.on_conflict == "DEDUPLICATE"):
        return False
    primary = _primary_key(table)
    if any(key <= primary for key in traits.upsert_keys):
        return False
    if rel.on_conflict is None and at.settings.boolean("table.exec.sink.require-on-conflict"):
        keys = " or ".join(
            f"({', '.join(source.row_type.names[index] for index in sorted(key))})" for key in traits.upsert_keys
        )
        raise ProgramError(
            f"the primary key ({', '.join(table.primary_key)}) of {path_text(table)} is not the query's upsert key "
            f"({keys or 'it has none'}): rows may meet on one key",
            remedy="say which row stays, INSERT INTO ... ON CONFLICT DO DEDUPLICATE (or ERROR, NOTHING), or "
            "SET 'table.exec.sink.require-on-conflict' = 'false'",
        )
    return True


def _primary_key(table: CatalogTable) -> Key:
    """The table's primary key among the written columns."""
    return Key(_places(table, table.primary_key))


def _places(table: CatalogTable, names: Iterable[str]) -> tuple[int, ...]:
    """The positions of columns among the written ones."""
    columns = [column.name for column in table.columns if column.kind is not ColumnKind.COMPUTED and not column.virtual]
    return tuple(columns.index(name) for name in names)


def _check_conflict_clause(rel: Sink, taken: ChangelogMode, source: PhysicalOperator) -> None:
    why = "takes inserts alone" if taken.insert_only else "takes the rows before updates, too"
    if taken.insert_only or ChangelogMode.UPDATE_BEFORE in taken:
        raise ProgramError(
            f"ON CONFLICT is for upsert sinks; {path_text(rel.table)} is not one: it {why}",
            remedy="leave ON CONFLICT out",
        )
    if rel.on_conflict != "DEDUPLICATE":
        _check_watermarks(rel, source)


def _check_watermarks(rel: Sink, source: PhysicalOperator) -> None:
    def visit(operator: PhysicalOperator) -> None:
        if isinstance(operator, PhysicalTableSourceScan) and not operator.table.watermarks:
            raise ProgramError(
                f"ON CONFLICT DO {rel.on_conflict} needs watermarks on all sources; "
                f"{path_text(operator.table)} has none",
                remedy="declare WATERMARK FOR in its CREATE TABLE, or use ON CONFLICT DO DEDUPLICATE",
            )
        for child in operator.inputs:
            visit(child)

    visit(source)


def infer_sink(
    sink: PhysicalSink, infer: Callable[[PhysicalOperator, UpdateKind], PhysicalOperator | None]
) -> PhysicalOperator:
    """The sink over an input that sends the updates it accepts; without old rows if it does not need them."""
    wants = [UpdateKind.BOTH]
    if ChangelogMode.UPDATE_BEFORE not in sink.accepted and not sink.needs_old_rows:
        wants = [UpdateKind.AFTER, UpdateKind.BOTH]
    for wanted in wants:
        inferred = infer(sink.input, wanted)
        if inferred is not None:
            return replace(sink, input=inferred, updates=wanted)
    raise ProgramError(
        f"the changes of {sink.input.title()} cannot be sent to {path_text(sink.table)}",
        remedy="write to a table that takes updates with the rows before them",
    )
