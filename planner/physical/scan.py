"""Table scans, and normalization of changelogs that lack the rows before updates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from compiled_plan.planner.algebra.nodes import Hint, LateRows, PushedWatermark, Scan
from compiled_plan.planner.algebra.sources import changelog_of, options_of
from compiled_plan.planner.catalog.connectors import check_scan, metadata_columns, metadata_keys
from compiled_plan.planner.catalog.tables import CatalogTable, ColumnKind
from compiled_plan.planner.physical.base import NodeContext, OperatorPlanner, PhysicalOperator, Single, lowers, make
from compiled_plan.planner.physical.catalog import table_of
from compiled_plan.planner.physical.describe import names_text, rex_text
from compiled_plan.planner.physical.plumbing import PhysicalDropUpdateBefore, PhysicalExchange
from compiled_plan.planner.physical.requirements import STRATEGY, require_deterministic_condition
from compiled_plan.planner.physical.traits import NO_KEYS, Key, Keys, ModifyKinds, Traits, UpdateKind
from compiled_plan.plans.connectors.common import EMIT_STRATEGY, IDLE_TIMEOUT
from compiled_plan.plans.connectors.registry import connector_spec
from compiled_plan.plans.connectors.table_options import Values
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.deduplicate import ChangelogNormalize as ChangelogNormalizeNode
from compiled_plan.plans.nodes.scan import TableSourceScan as TableSourceScanNode
from compiled_plan.plans.nodes.stateless import IDLE_TIMEOUT as SESSION_IDLE_TIMEOUT
from compiled_plan.plans.nodes.tables import (
    FilterPushDown,
    LimitPushDown,
    ProjectPushDown,
    ReadingMetadata,
    TableSource,
    WatermarkPushDown,
)
from compiled_plan.plans.rex import RexNode
from compiled_plan.plans.types import RowType
from compiled_plan.plans.types.changelog import ChangelogMode

_ABILITIES = FilterPushDown | ProjectPushDown | ReadingMetadata | LimitPushDown | WatermarkPushDown


@dataclass(frozen=True, slots=True)
class PhysicalTableSourceScan(PhysicalOperator):
    """Reads some columns of a table: physical ones by index, then metadata ones by key.

    `normalized`: ChangelogNormalize stores the rows, metadata included, and retracts them as they were.
    """

    table: CatalogTable
    columns: RowType
    changes: ChangelogMode
    hints: tuple[Hint, ...] = ()
    pushed: PushedWatermark | None = None
    idle_ms: int = -1
    filters: tuple[RexNode, ...] | None = None
    limit: int | None = None
    dead_letters: CatalogTable | None = None
    late: LateRows | None = None
    normalized: bool = False

    @property
    def row_type(self) -> RowType:
        return self.columns

    def modify_kinds(self, inputs: tuple[Traits, ...]) -> ModifyKinds:
        kinds = ModifyKinds.INSERT
        if ChangelogMode.UPDATE_AFTER in self.changes:
            kinds |= ModifyKinds.UPDATE
        if ChangelogMode.DELETE in self.changes:
            kinds |= ModifyKinds.DELETE
        return kinds

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        names = self.columns.names
        if not self.table.primary_key or not set(self.table.primary_key) <= set(names):
            return NO_KEYS
        return frozenset({Key(names.index(name) for name in self.table.primary_key)})

    def required_updates(self, wanted: UpdateKind, inputs: tuple[Traits, ...]) -> tuple[UpdateKind, ...] | None:
        return None if wanted is UpdateKind.BOTH and ChangelogMode.UPDATE_BEFORE not in self.changes else ()

    def deterministic_columns(self, columns: Key, inputs: tuple[Traits, ...]) -> Sequence[Iterable[int]]:
        metadata = {column.name for column in metadata_columns(self.table)}
        wrong = [name for at, name in enumerate(self.columns.names) if at in columns and name in metadata]
        if wrong and not self.normalized and not self.modify_kinds(inputs).insert_only:
            raise ProgramError(
                f"metadata ({', '.join(wrong)}) of {self.table.identifier}, whose rows are updated, differs "
                "between a row and its retraction",
                where=str(self.table.identifier),
                remedy=f"leave the metadata out, or SET '{STRATEGY}' = 'IGNORE'",
            )
        return []

    def sending(self, wanted: UpdateKind) -> PhysicalOperator:
        return (
            PhysicalDropUpdateBefore(self)
            if wanted is UpdateKind.AFTER and ChangelogMode.UPDATE_BEFORE in self.changes
            else self
        )

    def plan_node(self, at: NodeContext) -> PlanNode:
        return make(TableSourceScanNode)(
            **self.header(at),
            scan_table_source=make(TableSource)(table=table_of(self.table, self.hints), abilities=self._abilities()),
            dead_letters=None if self.dead_letters is None else table_of(self.dead_letters),
        )

    def _abilities(self) -> tuple[_ABILITIES, ...]:
        physical = [column.name for column in self.table.physical]
        metadata = _metadata(self.table)
        names = self.columns.names
        chosen = [name for name in names if name in physical]
        produced = self.columns.with_nullability(False)
        keys = tuple(metadata[name] for name in names if name in metadata)
        abilities: list[_ABILITIES] = []
        if self.filters is not None:
            abilities.append(make(FilterPushDown)(predicates=self.filters))
        if _reads_all_columns(self.table):
            if metadata:
                plain = tuple(replace(item, type=item.type.as_regular()) for item in produced.fields)
                abilities.append(
                    make(ReadingMetadata)(metadata_keys=keys, produced_type=replace(produced, fields=plain))
                )
            return (*abilities, *self._watermark())
        if chosen != physical:
            paths = tuple((physical.index(name),) for name in chosen)
            fields = tuple(item for item in produced.fields if item.name in physical)
            abilities.append(
                make(ProjectPushDown)(projected_fields=paths, produced_type=replace(produced, fields=fields))
            )
        if metadata_keys(self.table) and (metadata or list(names) != physical):
            abilities.append(make(ReadingMetadata)(metadata_keys=keys, produced_type=produced))
        if self.limit is not None:
            abilities.append(make(LimitPushDown)(limit=self.limit))
        return tuple(abilities)

    def _watermark(self) -> tuple[WatermarkPushDown, ...]:
        if self.pushed is None:
            return ()
        params = {
            "emitStrategy": self._emit_strategy.upper().replace("-", "_"),
            "alignGroupName": None,
            "alignMaxDrift": "PT0S",
            "alignUpdateInterval": "PT1S",
            "sourceIdleTimeout": self._own_idle_ms,
        }
        ability = make(WatermarkPushDown)(
            watermark_expr=self.pushed.watermark,
            rowtime_expr=self.pushed.rowtime,
            idle_timeout_millis=self.idle_ms,
            produced_type=self.pushed.produced.with_nullability(False),
            watermark_params=params,
        )
        return (ability,)

    @property
    def _options(self) -> Values:
        connector = connector_spec(self.table.option("connector"))
        assert connector is not None
        return connector.values(options_of(self.table, self.hints))

    @property
    def _emit_strategy(self) -> str:
        return self._options.text(EMIT_STRATEGY)

    @property
    def _own_idle_ms(self) -> int:
        """The table's idle timeout, which overrides the session's; -1 if not set."""
        return self._options.number(IDLE_TIMEOUT) if IDLE_TIMEOUT in self._options.explicit else -1

    def title(self) -> str:
        name = self.table.identifier
        metadata = _metadata(self.table)
        physical = [column.name for column in self.table.physical]
        read = ", ".join(self.columns.names)
        pushed = ""
        chosen = [item for item in self.columns.names if item in physical]
        keys = ", ".join(metadata[item] for item in self.columns.names if item in metadata)
        if chosen != physical and not _reads_all_columns(self.table):
            pushed = f", project=[{', '.join(chosen)}]"
            pushed += f", metadata=[{keys}]" if metadata_keys(self.table) else ""
        elif metadata:
            pushed = f", metadata=[{keys}]"
        if self.filters is not None:
            every = [column.name for column in self.table.columns if column.kind is not ColumnKind.COMPUTED]
            pushed = f", filter=[{', '.join(rex_text(rex, every) for rex in self.filters)}]{pushed}"
        pushed += "" if self.limit is None else f", limit=[{self.limit}]"
        if self.pushed is not None:
            pushed += f", watermark=[{rex_text(self.pushed.watermark, self.columns.names)}]"
            idle = self.idle_ms if self._own_idle_ms < 0 else self._own_idle_ms
            pushed += f", idletimeout=[{idle}]" if idle > 0 else ""
            pushed += f", watermarkEmitStrategy=[{self._emit_strategy}]"
        hints = f", hints=[[[OPTIONS options:{{{_options_text(self.hints)}}}]]]" if self.hints else ""
        where = f"{name.catalog}, {name.database}, {name.name}{pushed}"
        return f"TableSourceScan(table=[[{where}]], fields=[{read}]{hints})"


def _options_text(hints: tuple[Hint, ...]) -> str:
    return ", ".join(f"{key}={value}" for hint in hints for key, value in hint.options)


def _reads_all_columns(table: CatalogTable) -> bool:
    """Return True if a scan returns all columns with metadata, even unused ones."""
    connector = connector_spec(table.option("connector"))
    return connector is not None and connector.source is not None and not connector.source.projects


def _metadata(table: CatalogTable) -> dict[str, str]:
    """The metadata columns with their keys, in declaration order."""
    return {
        column.name: column.metadata_key or column.name
        for column in table.columns
        if column.kind is ColumnKind.METADATA
    }


@dataclass(frozen=True, slots=True)
class PhysicalChangelogNormalize(Single):
    """Completes an upsert changelog by key, and drops duplicate events; `condition` filters the result."""

    GIVES = ModifyKinds.ALL
    NEEDS = UpdateKind.AFTER

    keys: tuple[int, ...]
    condition: RexNode | None
    update_before: bool = False

    @property
    def source(self) -> PhysicalOperator:
        """The input below the exchange by key."""
        assert isinstance(self.input, PhysicalExchange)
        return self.input.input

    def over(self, source: PhysicalOperator, keys: tuple[int, ...]) -> PhysicalChangelogNormalize:
        """The same operator over another source."""
        return replace(self, input=PhysicalExchange(source, keys), keys=keys)

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        return frozenset({Key(self.keys)})

    def deterministic_columns(self, columns: Key, inputs: tuple[Traits, ...]) -> Sequence[Iterable[int]]:
        require_deterministic_condition(self, self.condition)
        return [columns]

    def sending(self, wanted: UpdateKind) -> PhysicalOperator:
        return replace(self, update_before=wanted is UpdateKind.BOTH)

    def plan_node(self, at: NodeContext) -> PlanNode:
        return make(ChangelogNormalizeNode)(
            **self.header(at),
            configuration=at.settings.mini_batch,
            unique_keys=self.keys,
            generate_update_before=self.update_before,
            filter_condition=self.condition,
            state=(at.entry("changelogNormalizeState"),),
        )

    def title(self) -> str:
        names = self.row_type.names
        where = "" if self.condition is None else f", condition=[{rex_text(self.condition, names)}]"
        return f"ChangelogNormalize(key=[{names_text(self.keys, names)}]{where})"


@lowers(Scan)
def _lower_scan(rel: Scan, at: OperatorPlanner) -> PhysicalOperator:
    check_scan(rel.table)
    hints = tuple(hint for hint in rel.hints if hint.name.upper() == "OPTIONS")
    changelog = changelog_of(rel, at.settings)
    columns = RowType(fields=tuple(replace(item, comment=None) for item in rel.columns.fields))
    idle = at.settings.duration_ms(SESSION_IDLE_TIMEOUT) or -1
    pushed = (rel.pushed, idle, rel.filters, rel.limit, rel.dead_letters, rel.late)
    scan = PhysicalTableSourceScan(rel.table, columns, changelog.kinds, hints, *pushed, changelog.normalize)
    if not changelog.normalize:
        return scan
    keys = tuple(rel.columns.names.index(name) for name in rel.table.primary_key)
    return PhysicalChangelogNormalize(PhysicalExchange(scan, keys), keys, None)
