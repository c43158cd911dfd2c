"""Resolved tables and views of a catalog: every column is typed, every expression bound.

Source: Flink's "CREATE Statements" page; `ResolvedSchema` in its plans (columns of kind physical, COMPUTED, METADATA).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

from compiled_plan.planner.catalog.statistics import CatalogColumnStatistics, CatalogTableStatistics
from compiled_plan.plans.rex import RexNode
from compiled_plan.plans.types import Field, LogicalType, RowType, quote_identifier


class ColumnKind(Enum):
    """Sources of a column's value."""

    PHYSICAL = "PHYSICAL"
    COMPUTED = "COMPUTED"
    METADATA = "METADATA"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    `expression` (of a computed column) is over the columns that are not computed, in declaration order; `sql` is its
    serialisable SQL text, and `formula` its syntax tree, which is bound again when the table changes. `metadata_key`
    defaults to the column's name; a virtual column is not written.
    """

    name: str
    type: LogicalType
    kind: ColumnKind = ColumnKind.PHYSICAL
    comment: str | None = None
    expression: RexNode | None = None
    sql: str = ""
    formula: object = field(default=None, compare=False, repr=False)
    metadata_key: str | None = None
    virtual: bool = False


@dataclass(frozen=True, slots=True)
class Watermark:
    """WATERMARK FOR `column` AS `expression` (over the table's columns in declaration order); see `Column`."""

    column: str
    expression: RexNode
    sql: str
    formula: object = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TableDistribution:
    """DISTRIBUTED BY kind(columns) INTO n BUCKETS. `kind`: HASH, RANGE or UNKNOWN, if not declared."""

    kind: Literal["UNKNOWN", "HASH", "RANGE"]
    columns: tuple[str, ...]
    buckets: int | None

    def __str__(self) -> str:
        kind = "" if self.kind == "UNKNOWN" else self.kind
        by = f" BY {kind}({', '.join(map(quote_identifier, self.columns))})" if self.columns else ""
        return f"DISTRIBUTED{by}" + ("" if self.buckets is None else f" INTO {self.buckets} BUCKETS")


@dataclass(frozen=True, slots=True)
class Materialized:
    """The query of a materialized table, and how fresh its rows are.

    Args:
        query: the query with the text that it points into, as the binder reads it.
        sql: the query as written.
        freshness_ms: the maximum age of rows.
    """

    query: object = field(compare=False, repr=False)
    sql: str
    freshness_ms: int


#: A partition of a table: its keys and their values as text.
Partition = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Annotations:
    """Metadata of a table or partition that no plan depends on.

    Args:
        properties: the properties of a partition.
        comment: the comment of a partition.
        statistics: counts and sizes.
        column_statistics: statistics of columns.
    """

    properties: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None
    statistics: CatalogTableStatistics = field(default_factory=CatalogTableStatistics)
    column_statistics: CatalogColumnStatistics = field(default_factory=CatalogColumnStatistics)


@dataclass(frozen=True, slots=True)
class ObjectIdentifier:
    """The full name of a catalog object: `catalog.database.name`."""

    catalog: str
    database: str
    name: str

    def __str__(self) -> str:
        return ".".join(map(quote_identifier, (self.catalog, self.database, self.name)))


@dataclass(frozen=True, slots=True)
class CatalogTable:
    """A table with its connector options. `primary_key` holds column names, always NOT ENFORCED.

    `partitions` are those of ADD PARTITION, which only SHOW PARTITIONS reads: connectors find partitions themselves.
    `annotations` are those of the partitions, and of the table under the key `()`. `holds` is the data of an in-process
    table. `places` are the positions of the options in the program's text.
    """

    identifier: ObjectIdentifier
    columns: tuple[Column, ...]
    options: tuple[tuple[str, str], ...]
    watermarks: tuple[Watermark, ...] = ()
    primary_key: tuple[str, ...] = ()
    primary_key_name: str = ""
    partition_keys: tuple[str, ...] = ()
    comment: str | None = None
    temporary: bool = False
    distribution: TableDistribution | None = None
    partitions: tuple[Partition, ...] = ()
    annotations: Mapping[Partition, Annotations] = field(default_factory=dict, compare=False, repr=False)
    materialized: Materialized | None = None
    holds: object = field(default=None, compare=False, repr=False)
    places: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    def option(self, key: str, default: str | None = None) -> str | None:
        """The value of a connector option."""
        return dict(self.options).get(key, default)

    def where(self, option: str) -> str:
        """The position of an option in the program's text; the table's name if unknown, empty without an option."""
        return self.places.get(option) or (f"{self.identifier}, WITH, {option!r}" if option else "")

    @property
    def physical(self) -> tuple[Column, ...]:
        """The physical columns, in declaration order."""
        return tuple(column for column in self.columns if column.kind is ColumnKind.PHYSICAL)

    def physical_row(self) -> RowType:
        """The row of the physical columns."""
        return RowType(fields=tuple(Field(column.name, column.type) for column in self.physical))

    def row_type(self) -> RowType:
        """All columns, in declaration order."""
        return RowType(fields=tuple(Field(column.name, column.type, column.comment) for column in self.columns))


@dataclass(frozen=True, slots=True)
class CatalogView:
    """A view; caches its bound query, which is planned once however often the view is read."""

    identifier: ObjectIdentifier
    query: object = field(compare=False)
    columns: tuple[str, ...] = ()
    temporary: bool = False
    sql: str = ""
    comment: str | None = None
