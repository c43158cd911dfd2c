"""Lookup joins: each row of a stream queries an external table by key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal as OneOf
from typing import cast

from compiled_plan.planner.algebra.expressions import conjunction, conjuncts, same_representation
from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.algebra.nodes import Filter, Hint, Project, RelNode, Scan
from compiled_plan.planner.algebra.timed import TemporalJoin
from compiled_plan.planner.catalog.tables import CatalogTable
from compiled_plan.planner.physical.base import NewColumns, NodeContext, OperatorPlanner, PhysicalOperator, make
from compiled_plan.planner.physical.catalog import path_text, table_of
from compiled_plan.planner.physical.describe import rex_text
from compiled_plan.planner.physical.joining import JOIN_TITLES, equi_keys
from compiled_plan.planner.physical.plumbing import PhysicalExchange
from compiled_plan.planner.physical.requirements import require_deterministic_column, require_deterministic_condition
from compiled_plan.planner.physical.traits import NO_KEYS, Key, Keys, Traits, UpdateKind, row_kinds, smallest
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.lookup import LOOKUP_STATE, ConstantKey, FieldKey, LookupKey, LookupTable, RetryOptions
from compiled_plan.plans.nodes.lookup import LookupJoin as LookupJoinNode
from compiled_plan.plans.nodes.tables import ProjectPushDown, TableSource
from compiled_plan.plans.rex import Call, InputRef, Literal, RexNode, input_refs, type_of
from compiled_plan.plans.text.durations import parse_duration
from compiled_plan.plans.types import RowType


@dataclass(frozen=True, slots=True)
class LookupRequest:
    """A lookup of a table: the columns read, the filter on its rows, and the projection of the result."""

    table: CatalogTable
    columns: RowType
    condition: RexNode | None
    exprs: tuple[RexNode, ...] | None

    def place(self, column: int) -> int | None:
        """The position of an output column among the columns read; None for a computed one."""
        if self.exprs is None:
            return column
        rex = self.exprs[column]
        return rex.index if isinstance(rex, InputRef) else None


@dataclass(frozen=True, slots=True)
class PhysicalLookupJoin(NewColumns):
    """A lookup join; `keys`: columns of the table, each with the stream's column or the constant that it must equal.

    `keeps_rows`: a retraction retracts the stored rows and does not look up again, for the table may have changed.
    """

    kind: JoinKind
    request: LookupRequest
    keys: tuple[tuple[int, InputRef | Literal], ...]
    before: RexNode | None
    condition: RexNode | None
    retry: RetryOptions | None = None
    shuffles: bool = False
    updates: UpdateKind = UpdateKind.BOTH
    keeps_rows: bool = False

    @property
    def width(self) -> int:
        """The number of the stream's columns."""
        return len(self.input.row_type.fields)

    @property
    def primary_key(self) -> Key:
        """The output columns with the table's primary key."""
        names, key = self.request.columns.names, self.request.table.primary_key
        looked_up = range(len(self.columns.fields) - self.width)
        places = {column: self.request.place(column) for column in looked_up}
        return Key(self.width + at for at, place in places.items() if place is not None and names[place] in key)

    @property
    def by_primary_key(self) -> bool:
        """Return True if the keys from the stream include the table's primary key."""
        names = self.request.columns.names
        columns = {names[column] for column, value in self.keys if isinstance(value, InputRef)}
        key = self.request.table.primary_key
        return bool(key) and set(key) <= columns

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        return inputs[0].upsert_keys if self.by_primary_key else NO_KEYS

    def required_updates(self, wanted: UpdateKind, inputs: tuple[Traits, ...]) -> tuple[UpdateKind, ...] | None:
        # A row without a match any more can only be retracted by its old row.
        return None if wanted is UpdateKind.AFTER and self.kind is JoinKind.INNER else (wanted,)

    def sending(self, wanted: UpdateKind) -> PhysicalOperator:
        return replace(self, updates=wanted)

    def deterministic_columns(self, columns: Key, inputs: tuple[Traits, ...]) -> Sequence[Iterable[int]]:
        if columns and not inputs[0].modify_kinds.insert_only:
            require_deterministic_condition(self, self.before, self.condition, self.request.condition)
            for column in sorted(column for column in columns if column >= self.width):
                if self.request.exprs is not None:
                    require_deterministic_column(self, column, self.request.exprs[column - self.width])
        return [{column for column in columns if column < self.width}]

    def storing(self, columns: Key, inputs: tuple[Traits, ...]) -> PhysicalOperator:
        looked_up = {column for column in columns if column >= self.width}
        by_key = self.by_primary_key and looked_up <= self.primary_key
        keeps_rows = bool(looked_up) and not by_key and not inputs[0].modify_kinds.insert_only
        return replace(self, keeps_rows=True) if keeps_rows else self

    def plan_node(self, at: NodeContext) -> PlanNode:
        input_node = at.inputs[0]
        updated = not input_node.modify_kinds.insert_only
        key = tuple(sorted(smallest(input_node.upsert_keys) or ())) if updated else ()
        upsert_key = f", upsertKey=[[{', '.join(map(str, key))}]]" if key else ""
        return make(LookupJoinNode)(
            **self.header(at, f"{self.title()[:-1]}{upsert_key})"),
            join_type=cast("OneOf['INNER', 'LEFT']", self.kind.value),
            pre_filter_condition=self.before,
            join_condition=self.condition,
            temporal_table=self._table(),
            lookup_keys={str(column): _key(value, self.request.columns, column) for column, value in self.keys},
            projection_on_temporal_table=self.request.exprs,
            filter_on_temporal_table=self.request.condition,
            lookup_key_contains_primary_key=self.by_primary_key,
            retry_options=self.retry,
            input_changelog_mode=row_kinds(input_node.modify_kinds, self.updates),
            input_upsert_key=key,
            require_upsert_materialize=self.keeps_rows,
            state=(at.entry(LOOKUP_STATE.name),) if self.keeps_rows else (),
        )

    def _table(self) -> LookupTable:
        table = self.request.table
        produced = self.request.columns.with_nullability(False)
        physical = [column.name for column in table.physical]
        abilities: tuple[ProjectPushDown, ...] = ()
        if list(produced.names) != physical:
            paths = tuple((physical.index(name),) for name in produced.names)
            abilities = (make(ProjectPushDown)(projected_fields=paths, produced_type=produced),)
        source = make(TableSource)(table=table_of(table), abilities=abilities)
        return make(LookupTable)(lookup_table_source=source, output_type=produced)

    def title(self) -> str:
        names, own = self.input.row_type.names, self.request.columns.names
        keys = ", ".join(f"{own[column]}={rex_text(value, names)}" for column, value in self.keys)
        where = "" if self.request.condition is None else f", where=[{rex_text(self.request.condition, own)}]"
        joined = "".join(rex_text(item, self.columns.names) for item in (self.before, self.condition) if item)
        return (
            f"LookupJoin(table=[{path_text(self.request.table)}], joinType=[{JOIN_TITLES[self.kind]}], lookup=[{keys}]"
            f"{where}{f', joinCondition=[{joined}]' if joined else ''}, select=[{', '.join(self.columns.names)}]"
            f"{self._hint_text()})"
        )

    def _hint_text(self) -> str:
        text = ", upsertMaterialize=[true]" if self.keeps_rows else ""
        text += ", shuffle=[true]" if self.shuffles else ""
        retry = self.retry
        if retry is None:
            return text
        options = f"{retry.retry_predicate}, {retry.retry_strategy}, {retry.fixed_delay}ms, {retry.max_attempts}"
        return f"{text}, retry=[{options}]"


def _key(value: InputRef | Literal, columns: RowType, column: int) -> LookupKey:
    if isinstance(value, InputRef):
        return make(FieldKey)(index=value.index)
    return make(ConstantKey)(source_type=columns.types[column], literal=value)


def as_lookup_join(rel: TemporalJoin, at: OperatorPlanner) -> PhysicalOperator | None:
    """The operator of a processing-time temporal join with a lookup table; None for another join.

    Raises:
        ProgramError: the condition has no equality of a table column with a stream column or a constant.
    """
    request = _lookup_request(rel.right) if rel.lookup else None
    if request is None:
        return None
    width = len(rel.left.row_type.fields)
    compared = equi_keys(rel.condition, width)
    keys: dict[int, InputRef | Literal] = {}
    rest = list(compared.rest)
    types = rel.left.row_type.types
    for left, right in zip(compared.left, compared.right, strict=True):
        column = request.place(right)
        if column is None or column in keys:
            rest.append(_equality(left, right, rel))
        else:
            keys[column] = InputRef(left, types[left])
    constants = _constants(conjuncts(request.condition))
    keys |= {column: value for column, value in constants.items() if column not in keys}
    if not keys:
        raise ProgramError(
            f"a lookup join requires an equality condition on columns of table {path_text(request.table)}",
            where=str(request.table.identifier),
            remedy="compare a column of the table, as it is, with one of the stream of the same type",
        )
    before = [part for part in rest if max(input_refs(part), default=width) < width]
    after = [part for part in rest if part not in before]
    shuffles = rel.hint is not None and dict(rel.hint.options).get("shuffle", "").lower() == "true"
    columns = tuple(value.index for value in keys.values() if isinstance(value, InputRef))
    source = at.lower(rel.left)
    return PhysicalLookupJoin(
        PhysicalExchange(source, columns) if shuffles and columns else source,
        rel.kind,
        request,
        tuple(sorted(keys.items())),
        conjunction(before) if before else None,
        conjunction(after) if after else None,
        _retry(rel.hint),
        shuffles,
        columns=rel.row_type,
    )


def _retry(hint: Hint | None) -> RetryOptions | None:
    options = {} if hint is None else dict(hint.options)
    if "retry-strategy" not in options:
        return None
    return RetryOptions.model_validate(
        {
            "retry-predicate": options["retry-predicate"],
            "retry-strategy": "FIXED_DELAY",
            "fixed-delay": parse_duration(options["fixed-delay"]),
            "max-attempts": int(options["max-attempts"]),
        }
    )


def _equality(left: int, right: int, rel: TemporalJoin) -> RexNode:
    width = len(rel.left.row_type.fields)
    wanted = {left, width + right}
    return next(part for part in conjuncts(rel.condition) if input_refs(part) == wanted)


def _lookup_request(rel: RelNode) -> LookupRequest | None:
    """The right side of a lookup join: a table under a filter and a projection."""
    exprs: tuple[RexNode, ...] | None = None
    condition: RexNode | None = None
    if isinstance(rel, Project):
        exprs, rel = rel.exprs, rel.input
    if isinstance(rel, Filter):
        condition, rel = rel.condition, rel.input
    if not isinstance(rel, Scan):
        return None
    return LookupRequest(rel.table, rel.columns, condition, exprs)


def _constants(parts: Sequence[RexNode]) -> dict[int, Literal]:
    """The columns that a filter compares with constants for equality."""
    constants: dict[int, Literal] = {}
    for part in parts:
        if not isinstance(part, Call) or part.name != "$=$1":
            continue
        column, value = part.operands
        if isinstance(column, Literal):
            column, value = value, column
        if (
            isinstance(column, InputRef)
            and isinstance(value, Literal)
            and same_representation(column.type, type_of(value))
        ):
            constants.setdefault(column.index, value)
    return constants
