"""Tables and constant rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from compiled_plan.plans.connectors.checks import changelog_of
from compiled_plan.plans.inspection.lineage.drafting import Context, RuleResult, rule
from compiled_plan.plans.inspection.lineage.expressions import Scope, conjuncts, field_of, meaning_of
from compiled_plan.plans.inspection.lineage.meaning import Meaning, made_of, type_text
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
    """The columns of a table, and the rows that its source gives: it may have taken a filter over."""
    origin = origin_of_table(node.scan_table_source.table, context.telling)
    columns = columns_read(node.scan_table_source, node.output_type, origin)
    found = Branch(origin, columns, history=origin.digest).where(_taken_over(node, context, origin))
    if node.watermark is not None:
        made = meaning_of(node.watermark.watermark_expr, context.scope(node, found.column))
        found = replace(found, watermarks=(made,))
    return RuleResult((found,))


def _taken_over(node: TableSourceScan, context: Context, origin: Meaning) -> Iterator[Meaning]:
    """The filters of a source. In one of a changelog they have no effect: the operators above filter again."""
    source = node.scan_table_source
    if changelog_of(source.table.options, reading=True) not in (None, ChangelogMode.INSERT):
        return
    columns = source.table.stored_columns
    paths: Sequence[tuple[int, ...]] = [(at,) for at in range(len(columns))]
    for ability in source.abilities:
        if isinstance(ability, ProjectPushDown):
            paths = ability.projected_fields
        elif isinstance(ability, FilterPushDown):
            found = [_at(path, source.table, columns, origin) for path in paths]
            scope = context.scope(node, lambda at, found=found: _of(found, at, origin))  # type: ignore[misc]
            for predicate in ability.predicates:
                yield from conjuncts(predicate, scope)


def _of(columns: Sequence[Meaning], at: int, origin: Meaning) -> Meaning:
    """What a column means; a position that is not there is a meaning of its own."""
    return columns[at] if 0 <= at < len(columns) else made_of("column", (origin,), at, text=f"column {at}")


def columns_read(source: TableSource, row: RowType, origin: Meaning) -> tuple[Meaning, ...]:
    """The columns that a source gives: paths into those that the table stores, then metadata."""
    table = source.table
    columns = table.stored_columns
    paths: tuple[tuple[int, ...], ...] = tuple((at,) for at in range(len(columns) or len(row.fields)))
    keys: tuple[str, ...] = ()
    for ability in source.abilities:
        if isinstance(ability, ProjectPushDown):
            paths = ability.projected_fields
        elif isinstance(ability, ReadingMetadata):
            keys = ability.metadata_keys
    found = [_at(path, table, columns, origin) for path in paths]
    for key, field in zip(keys, row.fields[len(found) :], strict=False):
        name = f"{table.name}[{key}]"
        detail = [key, type_text(field.type)]
        found.append(made_of("metadata", (origin,), detail, text=name, plain=[key], type_=field.type))
    if not columns:
        # The plan has no schema: a column is what the scan calls it.
        return tuple(
            made_of(
                "column",
                (origin,),
                [field.name, type_text(field.type)],
                text=f"{table.name}.{field.name}",
                plain=[field.name],
                type_=field.type,
            )
            for field in row.fields
        )
    return tuple(found)


def _at(path: tuple[int, ...], table: CatalogTable, columns: Sequence[PhysicalColumn], origin: Meaning) -> Meaning:
    found = column_of(table, columns, origin, path[0])
    type_ = columns[path[0]].data_type if path[0] < len(columns) else None
    for at in path[1:]:
        if not isinstance(type_, FieldsType) or at >= len(type_.fields):
            return made_of("path", (found,), list(path), text=f"{found.text}{list(path[1:])}")
        found, type_ = field_of(found, type_.names[at]), type_.types[at]
    return found


@rule(Values)
def values(node: Values, context: Context) -> RuleResult:
    """Constant rows."""
    scope = Scope(lambda at: made_of("nothing", text="nothing"))
    cells = [made_of("row", [meaning_of(cell, scope) for cell in row], text="row") for row in node.tuples]
    types = [type_text(type_) for type_ in node.output_type.types]
    shown = f"VALUES of {counted(len(cells), 'row')}"
    origin = made_of("values", cells, types, text=shown)
    columns = tuple(
        made_of("column", (origin,), at, text=f"column {at + 1} of {shown}")
        for at in range(len(node.output_type.fields))
    )
    return RuleResult((Branch(origin, columns, history=origin.digest),))
