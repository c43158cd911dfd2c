"""ALTER TABLE and ALTER MATERIALIZED TABLE, and their changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiled_plan.planner.sql.nodes.base import Node, node
from compiled_plan.planner.sql.nodes.statements import Statement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from compiled_plan.planner.sql.nodes import Expression, QueryNode
    from compiled_plan.planner.sql.nodes.statements import ColumnClause, Distribution, Name, PrimaryKey, Watermark
    from compiled_plan.plans.text.position import Span


@node
class PlacedColumn(Node):
    """A column of ALTER TABLE. `first`: FIRST; `after`: the name behind AFTER, or None."""

    column: ColumnClause
    first: bool
    after: str | None


@node
class TableChange(Node):
    """An action of ALTER TABLE."""


@node
class RenameTable(TableChange):
    """ALTER TABLE ... RENAME TO name."""

    name: Name


@node
class RenameColumn(TableChange):
    """ALTER TABLE ... RENAME column TO name."""

    old: str
    new: str


@node
class SetOptions(TableChange):
    """ALTER TABLE ... SET (options)."""

    options: Mapping[str, str]
    option_spans: Mapping[str, Span]


@node
class ResetOptions(TableChange):
    """ALTER TABLE ... RESET (keys)."""

    keys: tuple[str, ...]


@node
class ChangeSchema(TableChange):
    """ADD (if `add`) or MODIFY of columns, watermark, primary key and distribution."""

    add: bool
    columns: tuple[PlacedColumn, ...]
    watermark: Watermark | None
    primary_key: PrimaryKey | None
    distribution: Distribution | None


@node
class DropColumns(TableChange):
    """DROP column, or DROP (columns)."""

    columns: tuple[str, ...]


@node
class DropPart(TableChange):
    """DROP of `part`: PRIMARY KEY, CONSTRAINT `constraint`, WATERMARK or DISTRIBUTION."""

    part: str
    constraint: str | None = None


@node
class AddPartitions(TableChange):
    """ADD [IF NOT EXISTS] PARTITION (key = literal, ...) [WITH (properties)] ..."""

    if_not_exists: bool
    partitions: tuple[tuple[Mapping[str, Expression], Mapping[str, str]], ...]


@node
class DropPartitions(TableChange):
    """DROP [IF EXISTS] PARTITION (key = literal, ...), ..."""

    if_exists: bool
    partitions: tuple[Mapping[str, Expression], ...]


@node
class SetQuery(TableChange):
    """AS query of a materialized table. `query_text`: the query as written."""

    query: QueryNode
    query_text: str


@node
class SetFreshness(TableChange):
    """SET FRESHNESS = INTERVAL ... of a materialized table."""

    freshness: Expression


@node
class SetRefreshMode(TableChange):
    """SET REFRESH_MODE = CONTINUOUS or FULL of a materialized table."""

    mode: str


@node
class RunAction(TableChange):
    """SUSPEND, RESUME or REFRESH (`action`) of a materialized table, which act on its run."""

    action: str


@node
class AlterTable(Statement):
    """ALTER [MATERIALIZED] TABLE [IF EXISTS] name change."""

    name: Name
    if_exists: bool
    change: TableChange
    materialized: bool = False
