"""Lookup joins of a stream with an external table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from compiled_plan.plans.findings import Fault, refusal
from compiled_plan.plans.nodes.base import Inputs, StatefulNode, StateSlot
from compiled_plan.plans.nodes.fields import RexJson, RowTypeJson, TypeJson
from compiled_plan.plans.nodes.flink_state import FlinkMapping, Row, StateItem, row_text
from compiled_plan.plans.nodes.model import Always, Bool, Enforcing, Int, Nullable, OfInput, OfNone, PlanModel
from compiled_plan.plans.nodes.rules import (
    Columns,
    condition_faults,
    expression_faults,
    expressions,
    index,
    indices,
    output,
)
from compiled_plan.plans.nodes.specs import RowKind
from compiled_plan.plans.nodes.table_rules import catalog_table_faults, physical_row, source_faults, source_row
from compiled_plan.plans.nodes.tables import CatalogTable, FilterPushDown, ProjectPushDown, ReadingMetadata, TableSource
from compiled_plan.plans.rex import RexNode, input_refs, type_of
from compiled_plan.plans.text.jsontext import Json
from compiled_plan.plans.types import ArrayType, FieldsType, MapType, MultisetType, TimeType
from compiled_plan.plans.types.likeness import alike

LOOKUP_STATE = StateSlot("lookupJoinState", 0)


class FieldKey(PlanModel):
    """The table's column must equal column `index` of the stream."""

    type: Always[Literal["FieldRef"]] = "FieldRef"
    index: OfInput[Int]


class ConstantKey(PlanModel):
    """The table's column must equal a constant."""

    type: Always[Literal["Constant"]] = "Constant"
    source_type: TypeJson
    literal: RexJson


LookupKey = Annotated[FieldKey | ConstantKey, Field(discriminator="type")]


class LookupTable(PlanModel):
    """The looked-up table and its result columns."""

    lookup_table_source: TableSource
    output_type: RowTypeJson


class RetryOptions(PlanModel):
    """Retries of lookups without rows, by the hint LOOKUP."""

    retry_predicate: str | None = Field(default=None, alias="retry-predicate")
    retry_strategy: Literal["NO_RETRY", "FIXED_DELAY"] | None = Field(default=None, alias="retry-strategy")
    fixed_delay: Int | None = Field(default=None, alias="fixed-delay")
    max_attempts: Int | None = Field(default=None, alias="max-attempts")

    @property
    def retries(self) -> int:
        """Number of retries for a key without rows."""
        return self.max_attempts or 0 if self.retry_strategy == "FIXED_DELAY" else 0


class LookupJoin(StatefulNode):
    """Join of each row with the rows of a table that match its keys at that moment.

    `lookup_keys` are by column number of the table, as text. The table's rows are filtered, then projected; then
    `join_condition` holds over the stream's columns and the projected ones. `pre_filter_condition` selects the rows of
    a LEFT join that are looked up. The node has a `state` entry only if it must materialise.
    """

    NAME = "stream-exec-lookup-join"
    TITLE = "Look up for {of}"
    TRANSFORMATION = "lookup-join-materialize"
    TAIL: ClassVar[tuple[str, ...]] = ("prefer_custom_shuffle",)

    join_type: Enforcing[Literal["INNER", "LEFT"]]
    pre_filter_condition: RexJson | None = None
    join_condition: Nullable[RexJson] = None
    temporal_table: OfNone[LookupTable]
    lookup_keys: Enforcing[dict[str, LookupKey]]
    projection_on_temporal_table: Nullable[OfNone[tuple[RexJson, ...]]] = None
    filter_on_temporal_table: Nullable[OfNone[RexJson]] = None
    lookup_key_contains_primary_key: Bool
    require_upsert_materialize: Enforcing[Bool] = False
    async_options: dict[str, Json] | None = None
    retry_options: RetryOptions | None = None
    input_changelog_mode: tuple[RowKind, ...] = ()
    input_upsert_key: OfInput[tuple[Int, ...]] = ()
    prefer_custom_shuffle: Always[Bool] = False

    @property
    def columns_end(self) -> int:
        """The number of input columns; indices from there on refer to the table's columns."""
        exprs = self.projection_on_temporal_table
        looked_up = len(exprs) if exprs is not None else len(self.temporal_table.output_type.fields)
        return len(self.output_type.fields) - looked_up

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        place, source = ("temporalTable",), self.temporal_table.lookup_table_source
        wrong = [
            *catalog_table_faults(
                source.table, (*place, "lookupTableSource", "table"), inputs.declared, reading=True, lookup=True
            ),
            *source_faults(source, (*place, "lookupTableSource"), inputs.declared),
        ]
        yield from wrong
        table_row = self.temporal_table.output_type
        table = source.table.resolved_table
        fit = all(fault.editable for fault in wrong)
        row = source_row(table, source.abilities) if fit and table is not None else None
        if row is not None:
            for fault in output(table_row, row.types, "the table"):
                yield Fault((*place, *fault.path), fault.message, fault.remedy, fault.value)
        yield from self._key_faults(inputs.types, table_row.types)
        yield from self._refusals()
        yield from condition_faults(self.pre_filter_condition, inputs.types, ("preFilterCondition",))
        yield from condition_faults(self.filter_on_temporal_table, table_row.types, ("filterOnTemporalTable",))
        exprs = self.projection_on_temporal_table
        used = table_row.types if exprs is None else tuple(type_of(rex) for rex in exprs)
        if exprs is not None:
            yield from expressions(exprs, table_row.types, None, ("projectionOnTemporalTable",))
        yield from condition_faults(self.join_condition, (*inputs.types, *used), ("joinCondition",))
        yield from indices(self.input_upsert_key, inputs.types, ("inputUpsertKey",))
        yield from output(self.output_type, (*inputs.types, *used), "the join")

    @property
    def looked_up_options(self) -> Mapping[str, str]:
        """The options of the table."""
        table = self.temporal_table.lookup_table_source.table.resolved_table
        return {} if table is None else table.options or {}

    @property
    def lookup_columns(self) -> tuple[tuple[int, ...], tuple[tuple[RexNode, tuple[int, ...]], ...]]:
        """Positions of the stored columns to fetch, and the filters with the positions that their indices refer to.

        Columns that only filters read follow those of the join.
        """
        source = self.temporal_table.lookup_table_source
        table = source.table.resolved_table
        columns: tuple[int, ...] = () if table is None else tuple(range(len(physical_row(table).fields)))
        filters: list[tuple[RexNode, tuple[int, ...]]] = []
        for ability in source.abilities:
            if isinstance(ability, ProjectPushDown):
                columns = tuple(columns[path[0]] for path in ability.projected_fields)
            elif isinstance(ability, FilterPushDown):
                filters += [(predicate, columns) for predicate in ability.predicates]
        read = sorted(counted[at] for predicate, counted in filters for at in input_refs(predicate))
        return tuple(dict.fromkeys((*columns, *read))), tuple(filters)

    def _refusals(self) -> Iterator[Fault]:
        place, source = ("temporalTable", "lookupTableSource"), self.temporal_table.lookup_table_source
        name = ".".join(source.table.path)
        for at, ability in enumerate(source.abilities):
            top = isinstance(ability, ProjectPushDown) and all(len(path) == 1 for path in ability.projected_fields)
            nothing = isinstance(ability, ReadingMetadata) and not ability.metadata_keys
            if not (top or nothing or isinstance(ability, FilterPushDown)):
                message = f"the source ability {ability.type} of table {name}, which is looked up"
                yield refusal((*place, "abilities", at), message, "compile without that push-down", ability.type)
        table = source.table.resolved_table
        stored = () if table is None else physical_row(table).fields
        for column in (stored[at] for at in self.lookup_columns[0]):
            if isinstance(column.type, TimeType | ArrayType | MapType | MultisetType | FieldsType):
                message = f"column {column.name} of table {name} is {column.type}"
                yield refusal(("temporalTable", "outputType"), message, "leave it out of the table")

    def _key_faults(self, left: Columns, right: Columns) -> Iterator[Fault]:
        if not self.lookup_keys:
            yield Fault(("lookupKeys",), "there are no keys to look up", "join on columns of the table", {})
        for name, key in self.lookup_keys.items():
            at = int(name) if name.isdecimal() else -1
            if not 0 <= at < len(right):
                message = f"the table has no column {name}"
                yield Fault(("lookupKeys", name), message, f"columns are numbered 0 to {len(right) - 1}", name)
                continue
            if isinstance(key, FieldKey):
                wrong = list(index(key.index, left, ("lookupKeys", name, "index")))
                yield from wrong
                key_type = None if wrong else left[key.index]
            else:
                yield from expression_faults(key.literal, (), ("lookupKeys", name, "literal"))
                key_type = type_of(key.literal)
            if key_type is not None and not alike(key_type, right[at]):
                message = f"column {name} of the table is {right[at]}, and its key {key_type}"
                yield Fault(("lookupKeys", name), message, "look up by a key of the column's type", str(key_type))

    def tables(self) -> tuple[tuple[tuple[str, ...], CatalogTable], ...]:
        return ((("temporalTable", "lookupTableSource", "table"), self.temporal_table.lookup_table_source.table),)

    @property
    def keeps_state(self) -> bool:
        return self.require_upsert_materialize

    def state_slots(self, input_count: int) -> tuple[StateSlot, ...]:
        return (LOOKUP_STATE,) if self.require_upsert_materialize else ()

    @property
    def flink_mapping(self) -> FlinkMapping:
        if self.join_type == "LEFT" and self.pre_filter_condition is not None:
            return FlinkMapping(
                refusal="Flink's state of a LEFT lookup join with a condition on its left side lacks rows"
            )
        return FlinkMapping(states=("unique-value", "values"))

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        yield StateItem("columns", row_text(self.output_type.types), sure=False)
