"""Columns of a resolved schema: physical, computed, metadata.

Source: PyFlink's `Column`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from compiled_plan.planner.catalog.definitions import column_extras
from compiled_plan.planner.catalog.tables import Column, ColumnKind
from compiled_plan.planner.sql.binding.inserts import summary
from compiled_plan.planner.table.expressions.resolved import ResolvedExpression
from compiled_plan.planner.table.expressions.types import as_data_type, logical_type
from compiled_plan.plans.types import LogicalType, TimestampType, quote_identifier, quote_string

if TYPE_CHECKING:
    from compiled_plan.plans.types.conversions.data_type import DataType


@dataclass(frozen=True)
class SchemaColumn(Column):
    """A column of a schema: one of the catalog, with its watermark."""

    watermark: str | None = None

    @property
    def data_type(self) -> LogicalType:
        """The type, with the classes that it converts to."""
        return self.type

    @property
    def extras(self) -> str | None:
        """Further clauses of its declaration (AS expression, METADATA)."""
        return column_extras(self) or None

    @property
    def regular_type(self) -> LogicalType:
        """The type, without the property of a time attribute."""
        return self.type.as_regular()

    @staticmethod
    def physical(name: str, data_type: object) -> PhysicalColumn:
        """A column that the table stores."""
        return PhysicalColumn(name, logical_type(data_type))

    @staticmethod
    def metadata(name: str, data_type: object, metadata_key: str | None, is_virtual: bool) -> MetadataColumn:
        """A column of the connector's metadata, such as the timestamp of a message."""
        return MetadataColumn(name, logical_type(data_type), metadata_key=metadata_key, virtual=is_virtual)

    @staticmethod
    def computed(name: str, expression: str | ResolvedExpression, data_type: object | None = None) -> ComputedColumn:
        """A computed column, of an expression of another schema, or of one in SQL and its type."""
        type_ = expression.get_output_data_type() if isinstance(expression, ResolvedExpression) else data_type
        return ComputedColumn(name, logical_type(type_), sql=str(expression))

    def get_name(self) -> str:
        """The name as declared, without quotes."""
        return self.name

    def get_data_type(self) -> DataType:
        """The type, with the classes that it converts to."""
        return as_data_type(self.type)

    def get_comment(self) -> str | None:
        """The comment of the declaration; None without one."""
        return self.comment

    def is_physical(self) -> bool:
        """Return True for a physical column."""
        return self.kind is ColumnKind.PHYSICAL

    def is_persisted(self) -> bool:
        """Return True for a column that is written: physical, or metadata that is not virtual."""
        return self.is_physical() or (self.kind is ColumnKind.METADATA and not self.virtual)

    def explain_extras(self) -> str | None:
        """The clauses behind the type in the column's declaration."""
        return self.extras

    def as_summary_string(self) -> str:
        """The declaration in one line, like Flink's `asSummaryString`."""
        comment = "" if self.comment is None else f" COMMENT {quote_string(self.comment)}"
        extras = "" if self.extras is None else f" {self.extras}"
        return f"{quote_identifier(self.name)} {summary(self.type)}{extras}{comment}"

    def with_comment(self, comment: str | None) -> Self:
        """The column with a comment."""
        return replace(self, comment=comment)

    def copy(self, new_type: object) -> Self:
        """The column with another type."""
        return replace(self, type=logical_type(new_type))

    def rename(self, new_name: str) -> Self:
        """The column under another name."""
        return replace(self, name=new_name)

    def __str__(self) -> str:
        return self.as_summary_string()


class PhysicalColumn(SchemaColumn):
    """A column of the data."""


@dataclass(frozen=True)
class ComputedColumn(SchemaColumn):
    """A column of an expression."""

    kind: ColumnKind = ColumnKind.COMPUTED

    def get_expression(self) -> ResolvedExpression:
        """The expression that computes the column, resolved."""
        return ResolvedExpression.of(self.sql, self.type)


@dataclass(frozen=True)
class MetadataColumn(SchemaColumn):
    """A column of the connector's or format's metadata."""

    kind: ColumnKind = ColumnKind.METADATA

    def get_metadata_key(self) -> str | None:
        """The metadata's name; None if it is that of the column."""
        return self.metadata_key

    def is_virtual(self) -> bool:
        """Return True if the column is not written."""
        return not self.is_persisted()


@dataclass(frozen=True)
class WatermarkSpec:
    """The watermark of a column."""

    rowtime_attribute: str
    watermark_expression: str
    output_type: LogicalType | None = None

    @staticmethod
    def of(rowtime_attribute: str, watermark_expression: str | ResolvedExpression) -> WatermarkSpec:
        """The watermark of a column, by an expression of another schema or in SQL."""
        if isinstance(watermark_expression, ResolvedExpression):
            type_ = logical_type(watermark_expression.get_output_data_type())
            return WatermarkSpec(rowtime_attribute, watermark_expression.as_serializable_string(), type_)
        return WatermarkSpec(rowtime_attribute, watermark_expression)

    def get_rowtime_attribute(self) -> str:
        """The name of the event-time column."""
        return self.rowtime_attribute

    def get_watermark_expression(self) -> ResolvedExpression:
        """The expression of the watermark, resolved."""
        return ResolvedExpression.of(self.watermark_expression, self.output_type or TimestampType(precision=3))

    def as_summary_string(self) -> str:
        """The declaration in one line, like Flink's `asSummaryString`."""
        of_type = "" if self.output_type is None else f": {self.output_type}"
        return f"WATERMARK FOR {quote_identifier(self.rowtime_attribute)}{of_type} AS {self.watermark_expression}"

    def __str__(self) -> str:
        return self.as_summary_string()
