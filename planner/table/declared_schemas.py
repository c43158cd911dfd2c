"""Schemas of declared tables in Python, as lines of CREATE TABLE.

Source: FLIP-129; Flink's and PyFlink's `Schema`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from compiled_plan.planner.catalog.definitions import metadata_clause
from compiled_plan.planner.catalog.tables import ColumnKind
from compiled_plan.planner.sql.binding.inserts import summary
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.binding.unparse import unparse
from compiled_plan.planner.table.building.unfinished import Unfinished
from compiled_plan.planner.table.expressions.core import Operand
from compiled_plan.planner.table.expressions.types import logical_type, text_of_type
from compiled_plan.planner.table.schemas import ResolvedSchema
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.types import FieldsType, quote_identifier, quote_string

if TYPE_CHECKING:
    from compiled_plan.plans.types.conversions.data_types import DataType


class Line(NamedTuple):
    """A line of CREATE TABLE.

    Args:
        text: the line.
        shown: the line in the text of the schema, with unresolved types and expressions in brackets, as in Flink.
        column: the name of the column that it declares; None for a watermark.
    """

    text: str
    shown: str
    column: str | None = None


@dataclass(frozen=True)
class Schema:
    """The columns, watermark and primary key of a table.

    >>> import compiled_plan as cp
    >>> builder = cp.Schema.new_builder().column("id", "INT NOT NULL").column("ts", "TIMESTAMP(3)")
    >>> print(builder.watermark("ts", "ts - INTERVAL '5' SECOND").primary_key("id").build())
    (
      `id` [INT NOT NULL],
      `ts` [TIMESTAMP(3)],
      WATERMARK FOR `ts` AS [ts - INTERVAL '5' SECOND],
      CONSTRAINT `PK_id` PRIMARY KEY (`id`) NOT ENFORCED
    )
    """

    Builder: ClassVar[type[SchemaBuilder]]

    declarations: tuple[Line, ...] = ()
    key: tuple[str, ...] = ()
    #: Name, type and comment of the physical columns.
    physical: tuple[tuple[str, object, str | None], ...] = ()
    #: The name of the primary key; generated if empty.
    key_name: str = ""

    def to_row_data_type(self) -> DataType:
        """The physical columns as a row type with their bridged classes."""
        from compiled_plan.plans.types.conversions.data_types import DataTypes

        fields = [DataTypes.FIELD(name, type_, comment) for name, type_, comment in self.physical]
        return DataTypes.ROW(*fields).not_null()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns in order."""
        return tuple(line.column for line in self.declarations if line.column is not None)

    def without_physical(self) -> Schema:
        """The schema without its physical columns."""
        own = {name for name, _, _ in self.physical}
        declarations = tuple(line for line in self.declarations if line.column not in own)
        return Schema(declarations, self.key, (), self.key_name)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of CREATE TABLE, without the primary key."""
        return tuple(line.text for line in self.declarations)

    @property
    def clauses(self) -> tuple[str, ...]:
        """The lines of CREATE TABLE, with the primary key."""
        if not self.key:
            return self.lines
        name = f"CONSTRAINT {quote_identifier(self.key_name)} " if self.key_name else ""
        return (*self.lines, f"{name}PRIMARY KEY ({', '.join(map(quote_identifier, self.key))}) NOT ENFORCED")

    @property
    def sql(self) -> str:
        """The lines of CREATE TABLE in parentheses."""
        return _block(self.clauses)

    def __str__(self) -> str:
        shown = [line.shown for line in sorted(self.declarations, key=lambda line: line.column is None)]
        if self.key:
            name, key = self.key_name or f"PK_{'_'.join(self.key)}", ", ".join(map(quote_identifier, self.key))
            shown.append(f"CONSTRAINT {quote_identifier(name)} PRIMARY KEY ({key}) NOT ENFORCED")
        return _block(shown)

    @staticmethod
    def new_builder() -> SchemaBuilder:
        """Create a builder: `Schema.new_builder().column("id", "INT").primary_key("id").build()`."""
        return SchemaBuilder()


@dataclass(repr=False, eq=False)
class SchemaBuilder(Unfinished):
    """Builder of a `Schema`. Each method changes the builder and returns it."""

    WHAT = "the builder of a schema"
    NEXT = "it has column, column_by_expression, column_by_metadata, watermark and primary_key; finish it with .build()"

    _lines: list[Line] = field(default_factory=list)
    _physical: list[tuple[str, object, str | None]] = field(default_factory=list)
    _key: tuple[str, ...] = ()
    _key_name: str = ""

    def from_schema(self, unresolved_schema: Schema) -> SchemaBuilder:
        """Add the columns and the watermark of a schema, and set its primary key if it has one."""
        self._lines += unresolved_schema.declarations
        self._physical += unresolved_schema.physical
        if unresolved_schema.key:
            self._key, self._key_name = unresolved_schema.key, unresolved_schema.key_name
        return self

    def from_resolved_schema(self, resolved_schema: ResolvedSchema) -> SchemaBuilder:
        """Add the columns and the watermark of a table's schema, and set its primary key."""
        for column in resolved_schema.columns:
            comment = _comment(column.comment)
            if column.is_physical():
                self.column(column.name, column.regular_type, column.comment)
            elif column.kind is ColumnKind.COMPUTED:
                self._declare(column.name, f"{column.extras}{comment}", f"AS [{column.sql}]{comment}")
            else:
                self._declare_typed(column.name, column.type, f" {column.extras}{comment}")
        for column in resolved_schema.columns:
            if column.watermark:
                self.watermark(column.name, column.watermark)
        return self.primary_key(*resolved_schema.primary_key) if resolved_schema.primary_key else self

    def from_row_data_type(self, data_type: object) -> SchemaBuilder:
        """Add the fields of a row type as physical columns.

        Raises:
            ProgramError: not a row type.
        """
        type_ = logical_type(data_type)
        if not isinstance(type_, FieldsType):
            raise ProgramError(
                f"from_row_data_type() takes a row type, not {type_}",
                where="from_row_data_type()",
                remedy='write DataTypes.ROW([DataTypes.FIELD("id", DataTypes.INT())])',
            )
        return self.from_fields(type_.names, type_.types)

    def from_fields(self, field_names: Sequence[str], field_data_types: Sequence[object]) -> SchemaBuilder:
        """Add physical columns of these names and types."""
        if len(field_names) != len(field_data_types):
            raise ProgramError(
                f"there are {len(field_names)} names and {len(field_data_types)} types", where="from_fields()"
            )
        for name, type_ in zip(field_names, field_data_types, strict=True):
            self.column(name, type_)
        return self

    def column(self, column_name: str, data_type: object, comment: str | None = None) -> SchemaBuilder:
        """Add a physical column of a type: `"DECIMAL(10, 2)"`, or `DataTypes.DECIMAL(10, 2)`."""
        name = checked_name(column_name, "column")
        self._physical.append((name, data_type, comment))
        return self._declare_typed(name, data_type, _comment(comment))

    def column_by_expression(self, column_name: str, expr: str | Operand) -> SchemaBuilder:
        """Add a computed column by an expression, in SQL ("PROCTIME()") or of the Table API."""
        text = _text(expr)
        return self._declare(column_name, f"AS {text}", f"AS [{text}]")

    def column_by_metadata(
        self, column_name: str, data_type: object, metadata_key: str | None = None, is_virtual: bool = False
    ) -> SchemaBuilder:
        """Add a metadata column of the connector or format.

        Args:
            column_name: the column's name.
            data_type: its type.
            metadata_key: the metadata's name, by default the column's.
            is_virtual: the column is not written.
        """
        return self._declare_typed(column_name, data_type, f" {metadata_clause(metadata_key, is_virtual)}")

    def watermark(self, column_name: str, watermark_expr: str | Operand) -> SchemaBuilder:
        """Set the watermark of a column: `"ts - INTERVAL '5' SECOND"`, or `col("ts") - lit(5).seconds`."""
        head, text = f"WATERMARK FOR {quote_identifier(column_name)} AS", _text(watermark_expr)
        self._lines.append(Line(f"{head} {text}", f"{head} [{text}]"))
        return self

    def primary_key(self, *column_names: str) -> SchemaBuilder:
        """Set the primary key, which is not enforced."""
        return self.primary_key_named("", *column_names)

    def primary_key_named(self, constraint_name: str, *column_names: str) -> SchemaBuilder:
        """Set the primary key and its name."""
        self._key, self._key_name = column_names, constraint_name
        return self

    def build(self) -> Schema:
        """The schema with the columns, watermark and key added so far."""
        return Schema(tuple(self._lines), self._key, tuple(self._physical), self._key_name)

    def _declare_typed(self, column: str, type_: object, clauses: str) -> SchemaBuilder:
        shown = f"[{type_}]" if isinstance(type_, str) else summary(logical_type(type_).as_regular())
        return self._declare(column, f"{text_of_type(type_)}{clauses}", f"{shown}{clauses}")

    def _declare(self, column: str, declaration: str, shown: str) -> SchemaBuilder:
        name = quote_identifier(column)
        self._lines.append(Line(f"{name} {declaration}", f"{name} {shown}", column))
        return self


Schema.Builder = SchemaBuilder


def _text(expression: str | Operand) -> str:
    """The SQL text of an expression."""
    return unparse(expression._node, SourceText("")) if isinstance(expression, Operand) else expression


def _block(lines: Sequence[str]) -> str:
    return "(\n  " + ",\n  ".join(lines) + "\n)"


def _comment(text: str | None) -> str:
    return "" if text is None else f" COMMENT {quote_string(text)}"


def checked_name(name: object, operation: str) -> str:
    """Return the name.

    Raises:
        ProgramError: not a text, or empty.
    """
    if not isinstance(name, str) or not name:
        raise ProgramError(
            f"{operation}() takes a name, not {name!r}", where=f"{operation}()", remedy="give a text that is not empty"
        )
    return name
