"""ALTER TABLE: changes of a table's declaration.

Source: Flink's "ALTER Statements" page; the converters of ALTER TABLE in Flink 2.3 for the checks and their order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from compiled_plan.planner.catalog.tables import Annotations, CatalogTable, Partition
from compiled_plan.planner.diagnostics.suggestions import did_you_mean
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder
from compiled_plan.planner.sql.binding.ddl import distribution_of
from compiled_plan.planner.sql.binding.schemas import Draft, draft_column, draft_of, draft_watermark, resolve
from compiled_plan.planner.sql.nodes import changes
from compiled_plan.plans.connectors.held import held_by
from compiled_plan.plans.errors import ProgramError


def altered_table(binder: Binder, table: CatalogTable, change: changes.TableChange) -> CatalogTable:
    """The table after a change other than RENAME TO.

    Raises:
        ProgramError: the change does not fit the table.
    """
    return _CHANGES[type(change)](binder, table, change)


# --- options


def _set(binder: Binder, table: CatalogTable, change: changes.SetOptions) -> CatalogTable:
    places = {key: binder.source.where_span(span) for key, span in change.option_spans.items()}
    return _with_options(table, dict(table.options) | dict(change.options), places)


def _reset(binder: Binder, table: CatalogTable, change: changes.ResetOptions) -> CatalogTable:
    if not change.keys:
        raise ProgramError("ALTER TABLE RESET needs at least one option", remedy="write RESET ('key')")
    if "connector" in change.keys:
        raise ProgramError(
            "ALTER TABLE RESET does not support changing 'connector'", remedy="write SET ('connector' = '...')"
        )
    return _with_options(table, {key: value for key, value in table.options if key not in change.keys}, {})


def _with_options(table: CatalogTable, options: dict[str, str], places: Mapping[str, str]) -> CatalogTable:
    return replace(table, options=tuple(options.items()), holds=held_by(options), places={**table.places, **places})


# --- columns, watermark, key, distribution


def _change_schema(binder: Binder, table: CatalogTable, change: changes.ChangeSchema) -> CatalogTable:
    draft = _with_columns(binder, draft_of(table), change)
    altered = draft.table
    if change.primary_key is not None:
        _check_part(change.add, bool(table.primary_key), "primary key", "PRIMARY KEY")
        key = change.primary_key
        name = key.name or f"PK_{'_'.join(key.columns)}"
        altered = replace(altered, primary_key=key.columns, primary_key_name=name)
        draft = replace(draft, key_place=binder.source.where_span(key.span))
    if change.watermark is not None:
        _check_part(change.add, bool(table.watermarks), "watermark", "WATERMARK")
        draft = replace(draft, watermark=draft_watermark(change.watermark, binder.source))
    if change.distribution is not None:
        _check_part(change.add, table.distribution is not None, "distribution", "DISTRIBUTION")
        altered = replace(altered, distribution=distribution_of(change.distribution))
    return resolve(binder, replace(draft, table=altered))


def _check_part(add: bool, exists: bool, part: str, word: str) -> None:
    """Raise if ADD finds the part, or MODIFY does not."""
    if add and exists:
        raise ProgramError(f"the table already has a {part}", remedy=f"write MODIFY, or DROP {word} first")
    if not add and not exists:
        raise ProgramError(f"the table has no {part} to modify", remedy="write ADD")


def _with_columns(binder: Binder, draft: Draft, change: changes.ChangeSchema) -> Draft:
    """Add or replace the columns of a statement, one after another."""
    columns = {column.name: column for column in draft.table.columns}
    formulas = dict(draft.formulas)
    order = list(columns)
    seen: set[str] = set()
    for placed in change.columns:
        item = placed.column
        column, formula = draft_column(item, binder.source)
        old = columns.get(item.name)
        if item.name in seen:
            raise binder.source.error_at(item.span, f"column {item.name!r} is named twice", "name it once")
        seen.add(item.name)
        if change.add and old is not None:
            raise binder.source.error_at(item.span, f"column {item.name!r} already exists in the table", "write MODIFY")
        if not change.add and old is None:
            remedy = did_you_mean(item.name, columns, "write ADD")
            raise binder.source.error_at(item.span, f"column {item.name!r} does not exist in the table", remedy)
        if old is not None and column.comment is None:
            column = replace(column, comment=old.comment)
        columns[item.name] = column
        formulas.pop(item.name, None)
        if formula is not None:
            formulas[item.name] = formula
        _place(binder, placed, order)
    table = replace(draft.table, columns=tuple(columns[name] for name in order))
    return replace(draft, table=table, formulas=formulas)


def _place(binder: Binder, placed: changes.PlacedColumn, order: list[str]) -> None:
    """Move a column to its place in the order of names."""
    name, after = placed.column.name, placed.after
    if after is not None and after not in order:
        remedy = did_you_mean(after, order)
        raise binder.source.error_at(placed.column.span, f"column {after!r} of AFTER does not exist", remedy)
    moved = placed.first or after is not None
    if moved and name in order:
        order.remove(name)
    if placed.first:
        order.insert(0, name)
    elif after is not None:
        # As in Flink, a column AFTER itself becomes the first.
        order.insert(order.index(after) + 1 if after in order else 0, name)
    elif name not in order:
        order.append(name)


def _rename_column(binder: Binder, table: CatalogTable, change: changes.RenameColumn) -> CatalogTable:
    _check_exists(table, change.old)
    if any(column.name == change.new for column in table.columns):
        raise ProgramError(f"column {change.new!r} already exists in the table", remedy="choose another name")
    draft = draft_of(table)
    _check_unused(draft, change.old)
    formulas = {change.new if name == change.old else name: item for name, item in draft.formulas.items()}
    columns = tuple(
        replace(column, name=change.new) if column.name == change.old else column for column in table.columns
    )
    key = tuple(change.new if name == change.old else name for name in table.primary_key)
    renamed = replace(table, columns=columns, primary_key=key)
    return resolve(binder, replace(draft, table=renamed, formulas=formulas))


def _drop_columns(binder: Binder, table: CatalogTable, change: changes.DropColumns) -> CatalogTable:
    for at, name in enumerate(change.columns):
        if name in change.columns[:at]:
            raise ProgramError(f"column {name!r} is named twice", remedy="name it once")
        _check_exists(table, name)
    draft = draft_of(table)
    for name in change.columns:
        _check_unused(draft, name, dropped=change.columns)
        if name in table.primary_key:
            raise ProgramError(f"column {name!r} is part of the primary key", remedy="DROP PRIMARY KEY first")
    left = tuple(column for column in table.columns if column.name not in change.columns)
    formulas = {name: item for name, item in draft.formulas.items() if name not in change.columns}
    return resolve(binder, replace(draft, table=replace(table, columns=left), formulas=formulas))


def _check_exists(table: CatalogTable, name: str) -> None:
    known = [column.name for column in table.columns]
    if name not in known:
        raise ProgramError(f"column {name!r} does not exist in the table", remedy=did_you_mean(name, known))


def _check_unused(draft: Draft, name: str, dropped: Sequence[str] = ()) -> None:
    """Raise if a part of the table that stays refers to the column."""
    table = draft.table
    user = next((user for user, item in draft.formulas.items() if user not in dropped and _uses(item.tree, name)), None)
    if user is not None:
        raise ProgramError(
            f"column {name!r} is used by computed column {user!r}", remedy=f"DROP or MODIFY {user} first"
        )
    if name in table.partition_keys:
        raise ProgramError(f"column {name!r} is a partition key", remedy="create another table")
    watermark = draft.watermark
    if watermark is not None and (watermark.rowtime == name or _uses(watermark.formula.tree, name)):
        raise ProgramError(f"column {name!r} is used by the watermark", remedy="DROP WATERMARK first")
    if table.distribution is not None and name in table.distribution.columns:
        raise ProgramError(f"column {name!r} is a distribution key", remedy="DROP DISTRIBUTION first")


def _uses(tree: ast.Expression, name: str) -> bool:
    return any(isinstance(part, ast.ColumnRef) and part.names[0] == name for part in ast.walk(tree))


def _drop_part(binder: Binder, table: CatalogTable, change: changes.DropPart) -> CatalogTable:
    match change.part:
        case "WATERMARK":
            _check_dropped(bool(table.watermarks), "watermark")
            return replace(table, watermarks=())
        case "DISTRIBUTION":
            _check_dropped(table.distribution is not None, "distribution")
            return replace(table, distribution=None)
    _check_dropped(bool(table.primary_key), "primary key")
    if change.part == "CONSTRAINT" and change.constraint != table.primary_key_name:
        raise ProgramError(
            f"the table has no constraint {change.constraint!r}", remedy=f"it has {table.primary_key_name!r}"
        )
    return replace(table, primary_key=(), primary_key_name="")


def _check_dropped(exists: bool, part: str) -> None:
    if not exists:
        raise ProgramError(f"the table has no {part} to drop", remedy="leave the statement out")


# --- partitions


def _add_partitions(binder: Binder, table: CatalogTable, change: changes.AddPartitions) -> CatalogTable:
    for written, properties in change.partitions:
        partition = partition_of(table, written)
        if len(partition) < len(table.partition_keys):
            raise ProgramError(
                f"partition {partition_text(partition)} is incomplete",
                remedy=f"name all partition keys: {', '.join(table.partition_keys)}",
            )
        if partition not in table.partitions:
            table = with_partition(table, partition, Annotations(properties))
        elif not change.if_not_exists:
            raise ProgramError(
                f"partition {partition_text(partition)} already exists", remedy="write IF NOT EXISTS, or leave it out"
            )
    return table


def with_partition(table: CatalogTable, partition: Partition, annotations: Annotations) -> CatalogTable:
    """The table with another partition."""
    return replace(
        table,
        partitions=(*table.partitions, partition),
        annotations={**table.annotations, partition: annotations},
    )


def _drop_partitions(binder: Binder, table: CatalogTable, change: changes.DropPartitions) -> CatalogTable:
    partitions = list(table.partitions)
    for written in change.partitions:
        partition = partition_of(table, written)
        if partition in partitions:
            partitions.remove(partition)
        elif not change.if_exists:
            raise ProgramError(
                f"there is no partition {partition_text(partition)}", remedy="write IF EXISTS, or check it"
            )
    return replace(table, partitions=tuple(partitions))


def partition_of(table: CatalogTable, written: Mapping[str, ast.Expression]) -> Partition:
    """The values of a PARTITION clause, in the order of the table's partition keys.

    Raises:
        ProgramError: the table is not partitioned, a name is no partition key, or a value is no literal.
    """
    if not table.partition_keys:
        raise ProgramError(f"table {table.identifier} is not partitioned", remedy="declare PARTITIONED BY in it")
    for name in written:
        if name not in table.partition_keys:
            raise ProgramError(
                f"{name!r} is no partition key of table {table.identifier}",
                remedy=did_you_mean(name, table.partition_keys, f"keys: {', '.join(table.partition_keys)}"),
            )
    return tuple((key, _literal(written[key])) for key in table.partition_keys if key in written)


def partition_text(partition: Partition) -> str:
    """`key=value/key=value`, as SHOW PARTITIONS lists it."""
    return "/".join(f"{key}={value}" for key, value in partition)


def _literal(node: ast.Expression) -> str:
    match node:
        case ast.Constant():
            return node.text
        case ast.TypedLiteral():
            return node.value
        case ast.TruthValue(bool(truth)):
            return str(truth).lower()
    raise ProgramError("a partition's value is no literal", remedy="write a string, a number, a date or a truth value")


_CHANGES: dict[type[changes.TableChange], Callable[[Binder, CatalogTable, Any], CatalogTable]] = {
    changes.SetOptions: _set,
    changes.ResetOptions: _reset,
    changes.ChangeSchema: _change_schema,
    changes.RenameColumn: _rename_column,
    changes.DropColumns: _drop_columns,
    changes.DropPart: _drop_part,
    changes.AddPartitions: _add_partitions,
    changes.DropPartitions: _drop_partitions,
}
