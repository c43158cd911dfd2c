"""Rules of tables in scans, sinks and lookups: consistency of schema, options and push-downs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compiled_plan.plans.findings import Fault, refusal
from compiled_plan.plans.nodes.declared import Declared
from compiled_plan.plans.nodes.rules import Columns, Path, condition_faults, expression_faults
from compiled_plan.plans.nodes.tables import (
    CatalogTable,
    Column,
    ComputedColumn,
    FilterPushDown,
    MetadataColumn,
    PartitionPushDown,
    PhysicalColumn,
    ProjectPushDown,
    ReadingMetadata,
    ResolvedTable,
    SinkAbility,
    SourceAbility,
    TableSchema,
    TableSource,
    WatermarkPushDown,
    WritingMetadata,
)
from compiled_plan.plans.rex import InputRef, RexNode, type_of, walk
from compiled_plan.plans.types import Field, FieldsType, LogicalType, RowType, TimestampBase
from compiled_plan.plans.types.changelog import ChangelogMode
from compiled_plan.plans.types.held import REMEDY, unheld, unheld_text
from compiled_plan.plans.types.likeness import alike

_COMPILE_ALL = "compile with table.plan.compile.catalog-objects = ALL"


def physical_row(table: ResolvedTable) -> RowType:
    """The physical columns of the table."""
    columns = table.table_schema.columns
    return RowType(
        fields=tuple(Field(item.name, item.data_type) for item in columns if isinstance(item, PhysicalColumn))
    )


def persisted_row(table: ResolvedTable, abilities: Sequence[SinkAbility] = ()) -> RowType:
    """The columns that a sink receives: physical ones, then metadata that is not virtual."""
    row = physical_row(table)
    for ability in abilities:
        if isinstance(ability, WritingMetadata) and ability.metadata_keys:
            written = ability.consumed_type.fields[-len(ability.metadata_keys) :]
            return RowType(fields=(*row.fields, *written))
    metadata = (
        Field(item.name, item.data_type)
        for item in table.table_schema.columns
        if isinstance(item, MetadataColumn) and not item.is_virtual
    )
    return RowType(fields=(*row.fields, *metadata))


def catalog_table_faults(
    table: CatalogTable, path: Path, declared: Declared, *, reading: bool, lookup: bool = False
) -> Iterator[Fault]:
    """Faults of a table: of its schema, and of its options for its connector and format.

    A table without schema or options was compiled for a catalog, and is not supported here.
    """
    if len(table.path) != 3 or not all(table.path):
        remedy = "write `catalog`.`database`.`table`"
        yield Fault((*path, "identifier"), f"{table.identifier!r} names no table", remedy, table.identifier)
    resolved = table.resolved_table
    if resolved is None:
        yield refusal(path, "its table has no schema in the plan", _COMPILE_ALL)
        return
    at = (*path, "resolvedTable")
    wrong = list(_schema_faults(resolved, (*at, "schema")))
    yield from wrong
    names = {column.name for column in resolved.table_schema.columns}
    for number, name in enumerate(resolved.partition_keys):
        if name not in names:
            message = f"the table is partitioned by {name!r}, which is no column"
            yield Fault((*at, "partitionKeys", number), message, f"columns: {', '.join(sorted(names))}", name)
            return
    if wrong:
        return
    if resolved.options is None:
        yield refusal(at, "its table has no options in the plan", _COMPILE_ALL)
        return
    row = physical_row(resolved)
    part = unheld(row)
    if part is not None:
        yield refusal((*at, "schema", "columns"), unheld_text(part), REMEDY, str(part))
        return
    name = ".".join(table.path)
    options = (*at, "options")
    table_options = resolved.options
    primary = resolved.table_schema.primary_key
    key = () if primary is None else primary.columns
    for fault in declared.faults(
        name, table_options, row, resolved.partition_keys, reading=reading, lookup=lookup, primary_key=key
    ):
        place = (*options, fault.option) if fault.option else options
        yield Fault(place, fault.message, fault.remedy, table_options.get(fault.option), fault.foreign)
    if reading and not lookup and not declared.is_read(table_options):
        connector = table_options.get("connector")
        message = f"connector {connector!r} of table {name} can only be looked up, not read as a whole"
        yield Fault((*options, "connector"), message, "join it FOR SYSTEM_TIME AS OF", connector)


def dead_letter_faults(table: CatalogTable, path: Path, declared: Declared) -> Iterator[Fault]:
    """Faults that prevent a table from taking dead letters."""
    wrong = list(catalog_table_faults(table, path, declared, reading=False))
    yield from wrong
    resolved = table.resolved_table
    if wrong or resolved is None:
        return
    columns = resolved.table_schema.columns
    metadata = [column.name for column in columns if isinstance(column, MetadataColumn) and not column.is_virtual]
    for fault in declared.dead_letter_faults(".".join(table.path), physical_row(resolved), metadata):
        yield Fault((*path, "resolvedTable", "schema", "columns"), fault.message, fault.remedy, None)


def _schema_faults(table: ResolvedTable, path: Path) -> Iterator[Fault]:
    schema = table.table_schema
    names = [column.name for column in schema.columns]
    for number, name in enumerate(names):
        if name in names[:number]:
            yield Fault((*path, "columns", number, "name"), f"two columns are named {name!r}", "rename one", name)
    if not any(isinstance(column, PhysicalColumn) for column in schema.columns):
        # Computed columns alone are allowed, but a connector's table needs some column.
        yield Fault((*path, "columns"), "the table has no columns", "add its columns", [])
    types = tuple(_type(column) for column in schema.columns)
    # A computed column refers to the columns that are not computed, a watermark to all.
    sources = tuple(column.data_type for column in schema.columns if not isinstance(column, ComputedColumn))
    for number, column in enumerate(schema.columns):
        if isinstance(column, ComputedColumn):
            place = (*path, "columns", number, "expression", "rexNode")
            yield from _declared(column.expression.rex_node, sources, place)
    yield from _watermark_faults(schema, types, path)
    key = schema.primary_key
    for number, name in enumerate(key.columns if key else ()):
        declared = next((column for column in schema.columns if column.name == name), None)
        if not isinstance(declared, PhysicalColumn):
            message = f"{name!r} of the primary key is no column that the table stores"
            stored = ", ".join(column.name for column in schema.columns if isinstance(column, PhysicalColumn))
            yield Fault((*path, "primaryKey", "columns", number), message, f"columns: {stored}", name)
    if key is not None and not key.columns:
        yield Fault((*path, "primaryKey", "columns"), "the primary key has no columns", "name them", [])


def _watermark_faults(schema: TableSchema, types: Columns, path: Path) -> Iterator[Fault]:
    for number, spec in enumerate(schema.watermark_specs):
        place = (*path, "watermarkSpecs", number)
        names = (spec.rowtime_attribute, spec.rowtime_attribute.partition(".")[0])
        at = next((at for at, column in enumerate(schema.columns) if column.name in names), None)
        if at is None:
            message = f"the watermark is for {spec.rowtime_attribute!r}, which is no column"
            remedy = f"columns: {', '.join(column.name for column in schema.columns)}"
            yield Fault((*place, "rowtimeAttribute"), message, remedy, spec.rowtime_attribute)
        elif schema.columns[at].name == spec.rowtime_attribute and not isinstance(types[at], TimestampBase):
            message = f"the watermark is for {spec.rowtime_attribute!r} of type {types[at]}, which is no timestamp"
            yield Fault((*place, "rowtimeAttribute"), message, "name a TIMESTAMP column", spec.rowtime_attribute)
        yield from _declared(spec.expression.rex_node, types, (*place, "expression", "rexNode"))


def _declared(rex: RexNode, types: Columns, path: Path) -> Iterator[Fault]:
    """Faults of an expression in a declaration, which is not executed: the plan's nodes have the executed ones."""
    return (fault for fault in expression_faults(rex, types, path) if not fault.editable)


def _type(column: Column) -> LogicalType:
    return type_of(column.expression.rex_node) if isinstance(column, ComputedColumn) else column.data_type


def metadata_faults(
    table: CatalogTable, keys: Sequence[str], path: Path, declared: Declared, *, reading: bool
) -> Iterator[Fault]:
    """Faults of metadata that the table cannot read or write here."""
    for fault in declared.metadata_faults(".".join(table.path), table.options, keys, reading=reading):
        yield Fault(path, fault.message, fault.remedy, list(keys), fault.foreign)


def source_faults(source: TableSource, path: Path, declared: Declared) -> Iterator[Fault]:
    """Faults of push-downs that are inconsistent with the table or with earlier push-downs."""
    table = source.table.resolved_table
    if table is None:
        return
    stored = len(physical_row(table).fields)
    for number, ability in enumerate(source.abilities):
        row = source_row(table, source.abilities[:number])
        place = (*path, "abilities", number)
        if not ability.RUNNABLE:
            yield refusal(place, f"the source ability {ability.type}", ability.REMEDY)
        if isinstance(ability, ProjectPushDown):
            stored = len(ability.projected_fields)
        elif isinstance(ability, FilterPushDown):
            yield from _filter_refusals(ability, stored, place, declared.changes(table.options or {}, reading=True))
        yield from _ability_faults(ability, row, table, place, declared)


def _filter_refusals(
    ability: FilterPushDown, stored: int, path: Path, changes: ChangelogMode | None
) -> Iterator[Fault]:
    """Refusals of filters on columns that the table does not store; filters over changelogs remain with the operators
    above."""
    for at, predicate in enumerate(ability.predicates if changes in (None, ChangelogMode.INSERT) else ()):
        if any(isinstance(part, InputRef) and part.index >= stored for part in walk(predicate)):
            message = "a filter of metadata in its source"
            yield refusal((*path, "predicates", at), message, "compile without that push-down")


def source_row(table: ResolvedTable, abilities: Sequence[SourceAbility]) -> RowType:
    """The row of a source with these abilities."""
    row = physical_row(table)
    for ability in abilities:
        produced = getattr(ability, "produced_type", None)
        row = produced if isinstance(produced, RowType) else row
    return row


def _ability_faults(
    ability: SourceAbility, row: RowType, table: ResolvedTable, path: Path, declared: Declared
) -> Iterator[Fault]:
    match ability:
        case ProjectPushDown():
            wrong = False
            column_types: list[LogicalType] = []
            for at, steps in enumerate(ability.projected_fields):
                type_ = _at_path(row, steps)
                if type_ is None:
                    wrong = True
                    message = f"no column at {list(steps)}: there are {len(row.fields)} columns"
                    yield Fault((*path, "projectedFields", at), message, "correct the indices", list(steps))
                else:
                    column_types.append(type_)
            if not wrong:
                yield from _produced(ability.produced_type, column_types, path)
        case ReadingMetadata():
            columns = {item.key: item for item in table.table_schema.columns if isinstance(item, MetadataColumn)}
            known = declared.metadata(table.options or {})
            offered = known or {}
            for at, key in enumerate(ability.metadata_keys):
                if key not in columns or (known is not None and key not in offered):
                    message = f"the table has no metadata {key!r}"
                    remedy = f"known: {', '.join(set(columns) & set(offered)) or 'none'}"
                    yield Fault((*path, "metadataKeys", at), message, remedy, key)
                    return
            types = [offered.get(key, columns[key].data_type) for key in ability.metadata_keys]
            yield from _produced(ability.produced_type, (*row.types, *types), path)
        case WatermarkPushDown():
            for name, rex in (("watermarkExpr", ability.watermark_expr), ("rowtimeExpr", ability.rowtime_expr)):
                if rex is not None:
                    yield from expression_faults(rex, row.types, (*path, name))
            yield from _produced(ability.produced_type, row.types, path)
        case PartitionPushDown():
            for at, partition in enumerate(ability.partitions):
                for name in partition:
                    if name not in table.partition_keys:
                        message = f"the table is not partitioned by {name!r}"
                        remedy = f"partitioned by: {', '.join(table.partition_keys) or 'nothing'}"
                        yield Fault((*path, "partitions", at, name), message, remedy, name)
        case FilterPushDown():
            for at, predicate in enumerate(ability.predicates):
                yield from condition_faults(predicate, row.types, (*path, "predicates", at))


def _at_path(row: RowType, steps: Sequence[int]) -> LogicalType | None:
    here: LogicalType | None = row if steps else None
    for step in steps:
        if not isinstance(here, FieldsType) or not 0 <= step < len(here.fields):
            return None
        here = here.types[step]
    return here


def _produced(row: RowType, wanted: Sequence[LogicalType], path: Path) -> Iterator[Fault]:
    if len(row.fields) != len(wanted):
        message = f"the produced type has {len(row.fields)} fields, and the push-down gives {len(wanted)}"
        yield Fault((*path, "producedType"), message, "make the numbers equal", len(row.fields))
        return
    for field, type_ in zip(row.fields, wanted, strict=True):
        if not alike(field.type, type_):
            message = f"field {field.name!r} of the produced type is {field.type}, and the source gives {type_}"
            yield Fault((*path, "producedType"), message, f"make it {type_}", str(field.type))
