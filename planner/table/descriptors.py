"""Table declarations in Python, `TableDescriptor` and `FormatDescriptor`, translated to CREATE TABLE.

Source: FLIP-129; Flink's "Concepts & Common API" page, `TableDescriptor`, `FormatDescriptor`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

from compiled_plan.planner.options.configuration import ConfigOption, option_text
from compiled_plan.planner.sql.declaring import declare_script
from compiled_plan.planner.table.building.unfinished import Unfinished
from compiled_plan.planner.table.declared_schemas import Schema, SchemaBuilder, checked_name
from compiled_plan.planner.table.paths import path_of
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.types import FieldsType, quote_identifier, quote_string

if TYPE_CHECKING:
    from compiled_plan.planner.sql.context import PlanningContext


#: The schema of a descriptor without one.
NO_COLUMNS = Schema()


@dataclass(frozen=True)
class FormatDescriptor:
    """The declaration of a format: its name, and its options without a prefix.

    >>> import compiled_plan as cp
    >>> print(cp.FormatDescriptor.for_format("json").option("ignore-parse-errors", "true").build())
    json[{ignore-parse-errors=true}]
    """

    Builder: ClassVar[type[FormatDescriptorBuilder]]

    format_name: str
    format_options: tuple[tuple[str, str], ...] = ()

    @staticmethod
    def for_format(format: str) -> FormatDescriptorBuilder:
        """A new builder: `FormatDescriptor.for_format("json").option("ignore-parse-errors", "true").build()`."""
        return FormatDescriptorBuilder(checked_name(format, "for_format"))

    def get_format(self) -> str:
        """The name of the format, such as "json"."""
        return self.format_name

    def get_options(self) -> dict[str, str]:
        """The options by key, without the format's prefix."""
        return dict(self.format_options)

    def __str__(self) -> str:
        options = ", ".join(f"{key}={value}" for key, value in self.format_options)
        return f"{self.format_name}[{{{options}}}]"


@dataclass(repr=False, eq=False)
class FormatDescriptorBuilder(Unfinished):
    """Builder of a `FormatDescriptor`. Each method changes the builder and returns it."""

    WHAT = "the builder of a format descriptor"
    NEXT = "it has option; finish it with .build()"

    _format: str
    _options: dict[str, str] = field(default_factory=dict)

    def option(self, key: str | ConfigOption, value: object) -> FormatDescriptorBuilder:
        """Set an option of the format, without the format's name as prefix."""
        self._options[_key(key)] = option_text(value)
        return self

    def build(self) -> FormatDescriptor:
        """The immutable descriptor of the options set so far."""
        return FormatDescriptor(self._format, tuple(self._options.items()))


FormatDescriptor.Builder = FormatDescriptorBuilder


@dataclass(frozen=True)
class TableDescriptor:
    """The declaration of a table: connector, schema and options.

    >>> import compiled_plan as cp
    >>> schema = cp.Schema.new_builder().column("n", "INT").build()
    >>> descriptor = cp.TableDescriptor.for_connector("datagen").schema(schema).build()
    >>> cp.TableEnvironment().from_descriptor(descriptor)
    Table(n INT)
    """

    Builder: ClassVar[type[TableDescriptorBuilder]]

    table_schema: Schema = NO_COLUMNS
    options: tuple[tuple[str, str], ...] = ()
    partition_keys: tuple[str, ...] = ()
    text: str | None = None

    @staticmethod
    def for_connector(connector: str) -> TableDescriptorBuilder:
        """A new builder: `TableDescriptor.for_connector("filesystem").schema(...).option("path", "/data").build()`."""
        return TableDescriptorBuilder({"connector": checked_name(connector, "for_connector")})

    def get_schema(self) -> Schema | None:
        """The schema; None if it has none."""
        return self.table_schema if self.table_schema.clauses else None

    def get_options(self) -> dict[str, str]:
        """All options, with that of the connector."""
        return dict(self.options)

    def get_partition_keys(self) -> list[str]:
        """The names of the partition columns, in order."""
        return list(self.partition_keys)

    def get_comment(self) -> str | None:
        """The comment of the declaration; None without one."""
        return self.text

    def __str__(self) -> str:
        head = [str(self.table_schema)] if self.table_schema.clauses else []
        return "\n".join([*head, *_tail(self, separator=",\n  ", block="(\n  {}\n)")])


@dataclass(repr=False, eq=False)
class TableDescriptorBuilder(Unfinished):
    """Builder of a `TableDescriptor`. Each method changes the builder and returns it."""

    WHAT = "the builder of a table descriptor"
    NEXT = "it has schema, option, format, partitioned_by and comment; finish it with .build()"

    _options: dict[str, str]
    _schema: Schema = NO_COLUMNS
    _partition_keys: tuple[str, ...] = ()
    _comment: str | None = None

    def schema(self, schema: Schema | object) -> TableDescriptorBuilder:
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
        self._schema = schema
        return self

    def option(self, key: str | ConfigOption, value: object) -> TableDescriptorBuilder:
        """Set an option of the connector or format."""
        self._options[_key(key)] = option_text(value)
        return self

    def format(
        self, format: str | FormatDescriptor | object, format_option: str | ConfigOption = "format"
    ) -> TableDescriptorBuilder:
        """Set the format.

        Args:
            format: its name, or a descriptor with its options.
            format_option: the option that names the format: `format`, `key.format` or `value.format`.

        Raises:
            ProgramError: neither a name nor a `FormatDescriptor`, or an option that names no format.
        """
        option = _key(format_option)
        if option != "format" and not option.endswith(".format"):
            raise ProgramError(
                f"the option {option!r} names no format", where="format()", remedy="give format, or value.format"
            )
        if isinstance(format, str):
            return self.option(option, format)
        if not isinstance(format, FormatDescriptor):
            remedy = (
                "finish it with .build()" if isinstance(format, FormatDescriptorBuilder) else 'write format("json")'
            )
            raise ProgramError(
                f"format() takes a name or a FormatDescriptor, not {type(format).__name__}",
                where="format()",
                remedy=remedy,
            )
        prefix = f"{option.removesuffix('format')}{format.format_name}."
        for key, value in format.format_options:
            self.option(prefix + key, value)
        return self.option(option, format.format_name)

    def partitioned_by(self, *partition_keys: str) -> TableDescriptorBuilder:
        """Set the partition columns, as PARTITIONED BY does."""
        self._partition_keys = partition_keys
        return self

    def comment(self, comment: str) -> TableDescriptorBuilder:
        """Set the comment that DESCRIBE and SHOW CREATE TABLE show."""
        self._comment = comment
        return self

    def build(self) -> TableDescriptor:
        """The immutable descriptor of the options set so far."""
        return TableDescriptor(self._schema, tuple(self._options.items()), self._partition_keys, self._comment)


TableDescriptor.Builder = TableDescriptorBuilder


def _key(key: str | ConfigOption) -> str:
    return key.key if isinstance(key, ConfigOption) else key


def create_table(
    context: PlanningContext, path: str, descriptor: object, *, temporary: bool, ignore_if_exists: bool = False
) -> None:
    """Create a table in the catalog."""
    operation = "create_temporary_table" if temporary else "create_table"
    checked = _checked(descriptor, operation)
    declare_script(context, _statement(path_of(path, operation), checked, temporary, ignore_if_exists))


@contextmanager
def declared(
    context: PlanningContext, descriptor: object, operation: str, rows: FieldsType | None = None
) -> Iterator[str]:
    """Create a table for the duration of a `with` block, and yield its path.

    Args:
        context: the session.
        descriptor: the table.
        operation: the method that is called.
        rows: the columns of a sink whose descriptor has no physical columns.

    Raises:
        ProgramError: not a descriptor, or an invalid one.
    """
    checked = _checked(descriptor, operation)
    if rows is not None and not checked.table_schema.physical:
        schema = Schema.new_builder().from_row_data_type(rows).from_schema(checked.table_schema).build()
        checked = replace(checked, table_schema=schema)
    kind = dict(checked.options).get("connector", "")
    kind = {"inline": "dataframe"}.get(kind, kind)
    name = f"*anonymous_{kind}${next(context.anonymous)}*"
    declare_script(context, _statement((name,), checked, temporary=True))
    try:
        yield quote_identifier(name)
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


def _statement(path: tuple[str, ...], descriptor: TableDescriptor, temporary: bool, if_not_exists: bool = False) -> str:
    head = f"CREATE {'TEMPORARY ' if temporary else ''}TABLE {'IF NOT EXISTS ' if if_not_exists else ''}"
    return f"{head}{'.'.join(map(quote_identifier, path))} {_clauses(descriptor)}"


def _clauses(descriptor: TableDescriptor) -> str:
    return "\n".join([*([descriptor.table_schema.sql] if descriptor.table_schema.clauses else []), *_tail(descriptor)])


def _tail(descriptor: TableDescriptor, separator: str = ", ", block: str = "({})") -> list[str]:
    """The clauses behind the columns; the separator and the parentheses of options."""
    parts = []
    if descriptor.text is not None:
        parts.append(f"COMMENT {quote_string(descriptor.text)}")
    if descriptor.partition_keys:
        parts.append(f"PARTITIONED BY ({', '.join(map(quote_identifier, descriptor.partition_keys))})")
    options = separator.join(f"{quote_string(key)} = {quote_string(value)}" for key, value in descriptor.options)
    parts.append(f"WITH {block.format(options)}")
    return parts
