"""INSERT: a query's columns matched with a table's, and cast to them.

Source: Flink's "INSERT Statement" page, and Flink 2.3 for restrictions.
"""

from __future__ import annotations

from compiled_plan.planner.algebra.nodes import Hint, Project, RelNode, Sink
from compiled_plan.planner.algebra.rows import identity, unique_name
from compiled_plan.planner.catalog.connectors import check_buckets, check_metadata, check_usable, metadata_columns
from compiled_plan.planner.catalog.tables import CatalogTable, Column, ColumnKind
from compiled_plan.planner.diagnostics.suggestions import did_you_mean
from compiled_plan.planner.functions import casts, plan_literals
from compiled_plan.planner.sql.binding.core import Binder, Bound, Context, Surroundings
from compiled_plan.planner.sql.binding.expressions import bind_value
from compiled_plan.planner.sql.binding.hints import bind_table_hints, with_options
from compiled_plan.planner.sql.binding.scans import as_type
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.plans.deep import deeply
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.rex import InputRef, RexNode, type_of
from compiled_plan.plans.types import (
    MAX_LENGTH,
    ArrayType,
    Field,
    FieldsType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
    StructuredType,
    TimestampBase,
    TimestampLtzType,
    VarBinaryType,
    VarCharType,
    quote_identifier,
    quote_string,
    row_of,
)


@deeply
def bind_insert(binder: Binder, statement: st.Insert) -> Sink:
    """The Sink of an INSERT.

    Raises:
        ProgramError: unknown table or column, wrong number or types of columns (both schemas listed), a table that
            cannot be written; with line, column and caret.
        UnsupportedError: INSERT OVERWRITE, nested target columns.
    """
    source = binder.source
    if statement.overwrite:
        raise source.error_at(statement.span, "streaming does not support INSERT OVERWRITE", "write INSERT INTO")
    table = _target(binder, statement)
    hints = bind_table_hints(statement.hints, source)
    table = with_options(table, hints)
    check_target(binder, statement, table)
    query = binder.bind_query(binder, statement.query, Surroundings())
    return bind_rows(binder, statement, table, query, hints)


def check_target(binder: Binder, statement: st.Insert, table: CatalogTable) -> None:
    """Raise if a table cannot be written."""
    with binder.source.at_span(statement.target_span):
        check_usable(table, reading=False)
        check_metadata(table, reading=False)
        check_buckets(table)


def bind_rows(
    binder: Binder, statement: st.Insert, table: CatalogTable, query: Bound, hints: tuple[Hint, ...] = ()
) -> Sink:
    """The Sink of a bound query into a table.

    Raises:
        ProgramError: as for `bind_insert`.
    """
    columns = _persisted(table)
    target = _target_columns(binder, statement, columns)
    static = _static_partitions(binder, statement, table, columns)
    rel = _arranged(binder, statement, query, columns, target, static)
    rel = _with_metadata(_cast(binder, statement, rel, columns, table), table, columns)
    where = binder.source.where_span(statement.target_span)
    return Sink(rel, table, target, hints, statement.on_conflict, where=where)


def _target(binder: Binder, statement: st.Insert) -> CatalogTable:
    with binder.source.at_span(statement.target_span):
        target = binder.catalog.find(statement.target)
    name = binder.catalog.qualify(statement.target)
    if target is None:
        remedy = did_you_mean(
            statement.target[-1], binder.catalog.names(statement.target[-3:-1]), "create it with CREATE TABLE"
        )
        raise binder.source.error_at(statement.target_span, f"table {name} not found", remedy)
    if not isinstance(target, CatalogTable):
        raise binder.source.error_at(statement.target_span, f"{name} is a view", "insert into a table")
    return target


def _persisted(table: CatalogTable) -> tuple[Column, ...]:
    """The persisted columns: neither computed ones nor virtual metadata."""
    return tuple(column for column in table.columns if column.kind is not ColumnKind.COMPUTED and not column.virtual)


def _target_columns(binder: Binder, statement: st.Insert, columns: tuple[Column, ...]) -> tuple[int, ...] | None:
    """The indices of the column list; None without one."""
    if not statement.columns:
        return None
    names = [column.name for column in columns]
    places: list[int] = []
    for name, span in zip(statement.columns, statement.column_spans, strict=True):
        if len(name) > 1 and name[0] in names:
            raise binder.source.unsupported_at(span, "a nested column in the column list", "insert the whole row")
        if name[0] not in names:
            text = ".".join(name)
            raise binder.source.error_at(span, f"unknown target column {text!r}", did_you_mean(text, names))
        index = names.index(name[0])
        if index in places:
            raise binder.source.error_at(span, f"target column {name[0]!r} is assigned more than once", "name it once")
        places.append(index)
    return tuple(places)


def _static_partitions(
    binder: Binder, statement: st.Insert, table: CatalogTable, columns: tuple[Column, ...]
) -> dict[int, RexNode]:
    """The constants of PARTITION (...), by column."""
    names = [column.name for column in columns]
    values: dict[int, RexNode] = {}
    scope = binder.scope(RowType(), None)
    for name, node in statement.partition.items():
        if name not in names:
            raise binder.source.error(node, f"unknown target column {name!r}", did_you_mean(name, names))
        if name not in table.partition_keys:
            raise binder.source.error(node, f"column {name!r} is no partition column of {table.identifier}")
        column = columns[names.index(name)]
        value = bind_value(binder, node, Context(scope, clause="PARTITION"))
        with binder.source.at(node):
            values[names.index(name)] = casts.cast(value, column.type)
    return values


def _arranged(
    binder: Binder,
    statement: st.Insert,
    query: Bound,
    columns: tuple[Column, ...],
    target: tuple[int, ...] | None,
    static: dict[int, RexNode],
) -> RelNode:
    """The query's columns in the table's order, with constants and NULLs for missing ones."""
    targets = [at for at in (range(len(columns)) if target is None else target) if at not in static]
    width = len(query.names)
    if len(targets) != width:
        raise _mismatch(binder, statement, query.rel.row_type, columns, "different number of columns")
    if len(targets) == len(columns) and targets == sorted(targets):
        return query.rel
    row = query.rel.row_type
    exprs: list[RexNode] = []
    names: list[str] = []
    for at, column in enumerate(columns):
        if at in targets:
            index = targets.index(at)
            exprs.append(InputRef(index, row.types[index]))
            names.append(unique_name(row.names[index], names))
            continue
        if at not in static and not column.type.nullable:
            raise binder.source.error_at(
                statement.target_span,
                f"column {column.name!r} has no default value and does not allow NULLs",
                "add it to the column list",
            )
        exprs.append(static[at] if at in static else plan_literals.null(column.type.with_nullability(True)))
        names.append(unique_name(f"EXPR${at}", names))
    return Project(query.rel, tuple(exprs), row_of(names, [type_of(rex) for rex in exprs]))


def _cast(
    binder: Binder, statement: st.Insert, rel: RelNode, columns: tuple[Column, ...], table: CatalogTable
) -> RelNode:
    row = rel.row_type
    exprs: list[RexNode] = []
    for at, (type_, column) in enumerate(zip(row.types, columns, strict=True)):
        if not casts.supports_implicit_cast(type_, column.type):
            cause = f"incompatible types for sink column {column.name!r} at position {at + 1}"
            raise _mismatch(binder, statement, row, columns, cause)
        exprs.append(casts.implicit_cast(InputRef(at, type_), column.type))
    if tuple(exprs) == identity(row):
        return rel
    return Project(rel, tuple(exprs), row_of([column.name for column in columns], [type_of(rex) for rex in exprs]))


def _with_metadata(rel: RelNode, table: CatalogTable, columns: tuple[Column, ...]) -> RelNode:
    """The physical columns, then metadata in the order, types and names of the connector."""
    metadata = metadata_columns(table, writing=True)
    if not metadata:
        return rel
    names = [column.name for column in columns]
    row = rel.row_type
    stored = [at for at, column in enumerate(columns) if column.kind is ColumnKind.PHYSICAL]
    exprs: list[RexNode] = [InputRef(at, row.types[at]) for at in stored]
    for column in metadata:
        at = names.index(column.name)
        exprs.append(as_type(InputRef(at, row.types[at]), column.type))
    keys = [column.metadata_key or column.name for column in metadata]
    return Project(rel, tuple(exprs), row_of([*(names[at] for at in stored), *keys], [type_of(rex) for rex in exprs]))


def _mismatch(
    binder: Binder, statement: st.Insert, row: RowType, columns: tuple[Column, ...], cause: str
) -> ProgramError:
    written = columns
    if statement.columns:
        listed = {name[0] for name in statement.columns}
        written = tuple(column for column in columns if column.name in listed)
    query = ", ".join(f"{field.name}: {summary(field.type)}" for field in row.fields)
    sink = ", ".join(f"{column.name}: {summary(column.type)}" for column in written)
    table = binder.catalog.qualify(statement.target)
    where = binder.source.where_span(statement.target_span)
    return ProgramError(
        f"column types of query result and sink for {table} do not match\n"
        f"  cause: {cause}\n  query schema: [{query}]\n  sink schema:  [{sink}]",
        where=where,
        remedy="select as many columns as the table has, in its order; CAST where types differ",
    )


def summary(type_: LogicalType) -> str:
    """A type in the form of errors: STRING for the longest VARCHAR, time attributes marked."""
    match type_:
        case VarCharType(length=length) if length == MAX_LENGTH:
            text = "STRING"
        case VarBinaryType(length=length) if length == MAX_LENGTH:
            text = "BYTES"
        case TimestampLtzType():
            text = f"TIMESTAMP_LTZ({type_.precision})"
        case FieldsType():
            named = [quote_string(type_.class_name)] if isinstance(type_, StructuredType) else []
            text = f"{_kind(type_)}<{', '.join([*named, *map(_field_summary, type_.fields)])}>"
        case ArrayType() | MapType() | MultisetType():
            text = f"{_kind(type_)}<{', '.join(map(summary, type_.children()))}>"
        case _:
            text = type_.text()
    if not type_.nullable:
        text += " NOT NULL"
    if isinstance(type_, TimestampBase) and type_.is_time_attribute:
        text += f" *{type_.kind.value}*"
    return text


def _kind(type_: LogicalType) -> str:
    return type_.ROOT.removesuffix("_TYPE")


def _field_summary(field: Field) -> str:
    comment = "" if field.comment is None else f" {quote_string(field.comment)}"
    return f"{quote_identifier(field.name)} {summary(field.type)}{comment}"
