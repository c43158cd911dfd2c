"""Statements on models: CREATE MODEL and ALTER MODEL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiled_plan.planner.sql.nodes.base import node
from compiled_plan.planner.sql.nodes.statements import Name, Statement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from compiled_plan.planner.sql.nodes.changes import RenameTable, ResetOptions, SetOptions
    from compiled_plan.planner.sql.nodes.statements import ColumnClause


@node
class CreateModel(Statement):
    """CREATE [TEMPORARY] MODEL name [INPUT (columns) OUTPUT (columns)] [COMMENT '...'] WITH (options)."""

    name: Name
    temporary: bool
    if_not_exists: bool
    inputs: tuple[ColumnClause, ...]
    outputs: tuple[ColumnClause, ...]
    comment: str | None
    options: Mapping[str, str]


@node
class AlterModel(Statement):
    """ALTER MODEL [IF EXISTS] name RENAME TO, SET or RESET."""

    name: Name
    if_exists: bool
    change: RenameTable | SetOptions | ResetOptions
