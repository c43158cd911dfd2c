"""Source tables and constant rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from compiled_plan.plans.connectors.checks import changelog_of
from compiled_plan.plans.inspection.lineage.drafting import Context, RuleResult, rule
from compiled_plan.plans.inspection.lineage.expressions import Scope, conjuncts, field_of, meaning_of
from compiled_plan.plans.inspection.lineage.meaning import Meaning, compose, type_text
from compiled_plan.plans.inspection.lineage.rows import Branch
from compiled_plan.plans.inspection.lineage.table_identity import column_of, origin_of_table
from compiled_plan.plans.nodes.scan import TableSourceScan, Values
from compiled_plan.plans.nodes.tables import (
    CatalogTable,
    FilterPushDown,
    PhysicalColumn,
    ProjectPushDown,
    ReadingMetadata,
    TableSource,
)
from compiled_plan.plans.text.visible import counted
from compiled_plan.plans.types import FieldsType, RowType
from compiled_plan.plans.types.changelog import ChangelogMode


@rule(TableSourceScan)
def scan(node: TableSourceScan, context: Context) -> RuleResult:
    """The columns and rows of a source, with the filters pushed down into it."""
    origin = origin_of_table(node.scan_table_source.table, context.identity_of)
    columns = columns_read(node.scan_table_source, node.output_type, origin)
    branch = Branch(origin, columns, history=origin.digest).where(_pushed_filters(node, context, origin))
    if node.watermark is not None:
        watermark = meaning_of(node.watermark.watermark_expr, context.scope(node, branch.column))
        branch = replace(branch, watermarks=(watermark,))
    return RuleResult((branch,))


def _pushed_filters(node: TableSourceScan, context: Context, origin: Meaning) -> Iterator[Meaning]:
    """The filters pushed into a source. In a changelog source they have no effect: operators above filter again."""
    source = node.scan_table_source
    if changelog_of(source.table.options, reading=True) not in (None, ChangelogMode.INSERT):
        return
    columns = source.table.stored_columns
    paths: Sequence[tuple[int, ...]] = [(at,) for at in range(len(columns))]
    for ability in source.abilities:
        if isinstance(ability, ProjectPushDown):
            paths = ability.projected_fields
        elif isinstance(ability, FilterPushDown):
            readable = [_at(path, source.table, columns, origin) for path in paths]
            scope = context.scope(node, partial(_of, readable, origin))
            for predicate in ability.predicates:
                yield from conjuncts(predicate, scope)


def _of(columns: Sequence[Meaning], origin: Meaning, at: int) -> Meaning:
    """The meaning of a column; a missing position has its own meaning."""
    return columns[at] if 0 <= at < len(columns) else compose("column", (origin,), at, text=f"column {at}")


def columns_read(source: TableSource, row: RowType, origin: Meaning) -> tuple[Meaning, ...]:
    """The columns that a source emits: paths into the stored columns, then metadata."""
    table = source.table
    columns = table.stored_columns
    paths: tuple[tuple[int, ...], ...] = tuple((at,) for at in range(len(columns) or len(row.fields)))
    keys: tuple[str, ...] = ()
    for ability in source.abilities:
        if isinstance(ability, ProjectPushDown):
            paths = ability.projected_fields
        elif isinstance(ability, ReadingMetadata):
            keys = ability.metadata_keys
    emitted = [_at(path, table, columns, origin) for path in paths]
    for key, field in zip(keys, row.fields[len(emitted) :], strict=False):
        name = f"{table.name}[{key}]"
        detail = [key, type_text(field.type)]
        emitted.append(compose("metadata", (origin,), detail, text=name, plain=[key], type_=field.type))
    if not columns:
        # Without a schema in the plan, columns have the scan's names.
        return tuple(
            compose(
                "column",
                (origin,),
                [field.name, type_text(field.type)],
                text=f"{table.name}.{field.name}",
                plain=[field.name],
                type_=field.type,
            )
            for field in row.fields
        )
    return tuple(emitted)


def _at(path: tuple[int, ...], table: CatalogTable, columns: Sequence[PhysicalColumn], origin: Meaning) -> Meaning:
    meaning = column_of(table, columns, origin, path[0])
    type_ = columns[path[0]].data_type if path[0] < len(columns) else None
    for at in path[1:]:
        if not isinstance(type_, FieldsType) or at >= len(type_.fields):
            return compose("path", (meaning,), list(path), text=f"{meaning.text}{list(path[1:])}")
        meaning, type_ = field_of(meaning, type_.names[at]), type_.types[at]
    return meaning


@rule(Values)
def values(node: Values, context: Context) -> RuleResult:
    scope = Scope(lambda at: compose("nothing", text="nothing"))
    cells = [compose("row", [meaning_of(cell, scope) for cell in row], text="row") for row in node.tuples]
    types = [type_text(type_) for type_ in node.output_type.types]
    shown = f"VALUES of {counted(len(cells), 'row')}"
    origin = compose("values", cells, types, text=shown)
    columns = tuple(
        compose("column", (origin,), at, text=f"column {at + 1} of {shown}")
        for at in range(len(node.output_type.fields))
    )
    return RuleResult((Branch(origin, columns, history=origin.digest),))
