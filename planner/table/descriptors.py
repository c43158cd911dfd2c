"""Table declarations in Python, `Schema` and `TableDescriptor`, translated to CREATE TABLE.

Source: FLIP-129; Flink's "Concepts & Common API" page, `TableDescriptor`, `Schema`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from compiled_plan.planner.sql.declaring import declare_script
from compiled_plan.planner.table.building.unfinished import Unfinished
from compiled_plan.planner.table.expressions.types import text_of_type
from compiled_plan.planner.table.paths import path_of
from compiled_plan.plans.errors import ProgramError

if TYPE_CHECKING:
    from compiled_plan.planner.sql.context import PlanningContext
    from compiled_plan.plans.types.conversions.data_types import DataType


@dataclass(frozen=True)
class Schema:
    """The columns, watermark and primary key of a table, as lines of CREATE TABLE."""

    lines: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    #: Name, type and comment of the physical columns.
    physical: tuple[tuple[str, object, str | None], ...] = ()

    def to_row_data_type(self) -> DataType:
        """The physical columns as a row type with their bridged classes."""
        from compiled_plan.plans.types.conversions.data_types import DataTypes

        fields = [DataTypes.FIELD(name, type_, comment) for name, type_, comment in self.physical]
        return DataTypes.ROW(*fields).not_null()

    @staticmethod
    def new_builder() -> SchemaBuilder:
        """Create a builder: `Schema.new_builder().column("id", "INT").primary_key("id").build()`."""
        return SchemaBuilder(Schema())


@dataclass(frozen=True, repr=False)
class SchemaBuilder(Unfinished):
    """Builder of a `Schema`. Immutable: each method returns a new builder."""

    WHAT = "the builder of a schema"
    NEXT = "it has column, column_by_expression, column_by_metadata, watermark and primary_key; finish it with .build()"

    _schema: Schema

    def column(self, name: str, data_type: object, comment: str | None = None) -> SchemaBuilder:
        """Add a physical column of a type ("DECIMAL(10, 2)")."""
        text = "" if comment is None else f" COMMENT {_string(comment)}"
        _name(name, "column")
        line = self._with(f"{_quoted(name)} {text_of_type(data_type)}{text}")
        physical = (*self._schema.physical, (name, data_type, comment))
        return replace(line, _schema=replace(line._schema, physical=physical))

    def column_by_expression(self, name: str, expression: str) -> SchemaBuilder:
        """Add a computed column by an expression of SQL ("PROCTIME()")."""
        return self._with(f"{_quoted(name)} AS {expression}")

    def column_by_metadata(
        self, name: str, data_type: object, metadata_key: str | None = None, is_virtual: bool = False
    ) -> SchemaBuilder:
        """Add a metadata column of the connector or format.

        Args:
            name: the column's name.
            data_type: its type.
            metadata_key: the metadata's name, by default the column's.
            is_virtual: the column is not written.
        """
        key = "" if metadata_key is None else f" FROM {_string(metadata_key)}"
        virtual = " VIRTUAL" if is_virtual else ""
        return self._with(f"{_quoted(name)} {text_of_type(data_type)} METADATA{key}{virtual}")

    def watermark(self, column: str, expression: str) -> SchemaBuilder:
        """Set the watermark of a column by an expression of SQL ("ts - INTERVAL '5' SECOND")."""
        return self._with(f"WATERMARK FOR {_quoted(column)} AS {expression}")

    def primary_key(self, *columns: str) -> SchemaBuilder:
        """Set the primary key, which is not enforced."""
        return replace(self, _schema=replace(self._schema, key=columns))

    def build(self) -> Schema:
        """Return the schema."""
        return self._schema

    def _with(self, line: str) -> SchemaBuilder:
        return replace(self, _schema=replace(self._schema, lines=(*self._schema.lines, line)))


@dataclass(frozen=True)
class TableDescriptor:
    """The declaration of a table: connector, schema and options."""

    table_schema: Schema = Schema()
    options: tuple[tuple[str, str], ...] = ()
    partition_keys: tuple[str, ...] = ()
    text: str | None = None

    @staticmethod
    def for_connector(connector: str) -> TableDescriptorBuilder:
        """A new builder: `TableDescriptor.for_connector("filesystem").schema(...).option("path", "/data").build()`."""
        return TableDescriptorBuilder(TableDescriptor(options=(("connector", _name(connector, "for_connector")),)))


@dataclass(frozen=True, repr=False)
class TableDescriptorBuilder(Unfinished):
    """Builder of a `TableDescriptor`. Immutable: each method returns a new builder."""

    WHAT = "the builder of a table descriptor"
    NEXT = "it has schema, option, format, partitioned_by and comment; finish it with .build()"

    _descriptor: TableDescriptor

    def schema(self, schema: Schema | Any) -> TableDescriptorBuilder:
        """Set the schema.

        Raises:
            ProgramError: not a `Schema`.
        """
        if not isinstance(schema, Schema):
            remedy = "finish it with .build()" if isinstance(schema, SchemaBuilder) else ""
            raise ProgramError(
                f"schema() takes a Schema, not {type(schema).__name__}",
                where="schema()",
                remedy=remedy or 'write Schema.new_builder().column("id", "INT").build()',
            )
        return replace(self, _descriptor=replace(self._descriptor, table_schema=schema))

    def option(self, key: str, value: object) -> TableDescriptorBuilder:
        """Set an option of the connector or format."""
        text = str(value).lower() if isinstance(value, bool) else str(value)
        options = (*(pair for pair in self._descriptor.options if pair[0] != key), (key, text))
        return replace(self, _descriptor=replace(self._descriptor, options=options))

    def format(self, name: str) -> TableDescriptorBuilder:
        """Set the format: the option `format`."""
        return self.option("format", name)

    def partitioned_by(self, *columns: str) -> TableDescriptorBuilder:
        """Set the partition columns."""
        return replace(self, _descriptor=replace(self._descriptor, partition_keys=columns))

    def comment(self, text: str) -> TableDescriptorBuilder:
        """Set the table's comment."""
        return replace(self, _descriptor=replace(self._descriptor, text=text))

    def build(self) -> TableDescriptor:
        """Return the descriptor."""
        return self._descriptor


def _name(name: object, operation: str) -> str:
    if not isinstance(name, str) or not name:
        raise ProgramError(
            f"{operation}() takes a name, not {name!r}", where=f"{operation}()", remedy="give a text that is not empty"
        )
    return name


def create_table(context: PlanningContext, path: str, descriptor: object, *, temporary: bool) -> None:
    """Create a table in the catalog."""
    operation = "create_temporary_table" if temporary else "create_table"
    checked = _checked(descriptor, operation)
    declare_script(context, _statement(path_of(path, operation), checked, temporary))


@contextmanager
def declared(context: PlanningContext, descriptor: object, operation: str) -> Iterator[str]:
    """Create a table for the duration of a `with` block, and yield its path.

    Raises:
        ProgramError: not a descriptor, or an invalid one.
    """
    checked = _checked(descriptor, operation)
    kind = dict(checked.options).get("connector", "")
    kind = {"inline": "dataframe"}.get(kind, kind)
    name = f"*anonymous_{kind}${next(context.anonymous)}*"
    declare_script(context, _statement((name,), checked, temporary=True))
    try:
        yield _quoted(name)
    finally:
        context.catalog.drop("TABLE", (name,), temporary=True)


def _checked(descriptor: object, operation: str) -> TableDescriptor:
    if isinstance(descriptor, TableDescriptor):
        return descriptor
    remedy = "finish it with .build()" if isinstance(descriptor, TableDescriptorBuilder) else ""
    named = "a table's name or " if operation == "insert_into" else ""
    raise ProgramError(
        f"{operation}() takes {named}a TableDescriptor, not {type(descriptor).__name__}",
        where=f"{operation}()",
        remedy=remedy or 'write TableDescriptor.for_connector("...").schema(...).build()',
    )


def _statement(path: tuple[str, ...], descriptor: TableDescriptor, temporary: bool) -> str:
    schema = descriptor.table_schema
    lines = list(schema.lines)
    if schema.key:
        lines.append(f"PRIMARY KEY ({', '.join(map(_quoted, schema.key))}) NOT ENFORCED")
    parts = [f"CREATE {'TEMPORARY ' if temporary else ''}TABLE {'.'.join(map(_quoted, path))} ("]
    parts.append("  " + ",\n  ".join(lines) + "\n)")
    if descriptor.text is not None:
        parts.append(f"COMMENT {_string(descriptor.text)}")
    if descriptor.partition_keys:
        parts.append(f"PARTITIONED BY ({', '.join(map(_quoted, descriptor.partition_keys))})")
    options = ", ".join(f"{_string(key)} = {_string(value)}" for key, value in descriptor.options)
    parts.append(f"WITH ({options})")
    return "\n".join(parts)


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


def _string(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
