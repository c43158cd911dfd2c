"""Tables for late rows: the option `late.table` of a table, and the hint LATE_ROWS of a SELECT. Flink has neither."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compiled_plan.planner.algebra.kinds import SetKind
from compiled_plan.planner.algebra.nodes import (
    Filter,
    Hint,
    LateRows,
    Project,
    RelNode,
    Scan,
    SetOp,
    WatermarkAssigner,
)
from compiled_plan.planner.algebra.windows import WindowTable
from compiled_plan.planner.catalog.connectors import check_usable
from compiled_plan.planner.catalog.tables import CatalogTable, CatalogView, ObjectIdentifier
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder, Surroundings
from compiled_plan.planner.sql.binding.from_clause import Place
from compiled_plan.planner.sql.binding.hints import LATE_ROWS
from compiled_plan.plans.connectors.common import LATE_TABLE
from compiled_plan.plans.connectors.dead_letters import name_parts
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.trees import fold_tree, reached

#: The nodes through which rows of a table reach the query that names it.
_PASSING = (Project, Filter, WatermarkAssigner, WindowTable)


def option_table(binder: Binder, node: ast.Node, table: CatalogTable) -> LateRows | None:
    """The table for late rows that the options of a table name; a name without a database is in the table's own."""
    text = dict(table.options).get(LATE_TABLE)
    if text is None:
        return None
    check_usable(table, reading=True)
    own = table.identifier
    return LateRows(_table(binder, node, text, own, str(own)))


def without_option(table: CatalogTable, hints: tuple[Hint, ...]) -> tuple[CatalogTable, tuple[Hint, ...]]:
    """A table and its OPTIONS hints without the option, which Flink does not know: plans have it in the operators."""
    options = tuple(item for item in table.options if item[0] != LATE_TABLE)
    own = tuple(replace(hint, options=tuple(item for item in hint.options if item[0] != LATE_TABLE)) for hint in hints)
    return replace(table, options=options), own


def inside(place: Place, around: Surroundings) -> Place:
    """The place of a relation within a table function of a block, which the block's LATE_ROWS hints may name."""
    return Place(around, tuple(hint for hint in place.hints if hint.name == LATE_ROWS), late=place.late)


def with_hints(binder: Binder, node: ast.Node, rel: RelNode, name: str, place: Place) -> RelNode:
    """The rows of a relation of FROM, with the table that a LATE_ROWS hint of the block names for them.

    Raises:
        ProgramError: there is no such table, or the rows are not those of tables.
    """
    for hint in place.hints:
        text = dict(hint.options).get(name) if hint.name == LATE_ROWS else None
        if text is None:
            continue
        place.late.append(name)
        scan = next((node for node in reached([rel], _passed) if isinstance(node, Scan)), None)
        if scan is None:
            raise ProgramError(
                f"hint {LATE_ROWS} names {name!r}, whose rows are results of other operators",
                where=hint.where,
                remedy="put the hint into the query that reads the table itself",
            )
        table = _table(binder, node, text, scan.table.identifier, repr(name))
        return _marked(rel, LateRows(table, hint.where))
    return rel


def check_hints(hints: Sequence[Hint], place: Place) -> None:
    """Raise for a LATE_ROWS hint that names no relation of its block.

    Raises:
        ProgramError: names the key and the relations.
    """
    for hint in hints:
        for key, _ in hint.options if hint.name == LATE_ROWS else ():
            if key not in place.late:
                names = ", ".join(map(repr, place.named)) or "none"
                raise ProgramError(
                    f"hint {LATE_ROWS} names {key!r}, which is no table, view or alias of this query's inputs",
                    where=hint.where,
                    remedy=f"name a table by its alias, if it has one; inputs with names: {names}",
                )


def _passed(rel: RelNode) -> tuple[RelNode, ...]:
    """The inputs whose rows a node passes on; none for a node that computes rows of its own."""
    if isinstance(rel, SetOp):
        return rel.inputs if rel.kind is SetKind.UNION and rel.all else ()
    return rel.inputs if isinstance(rel, _PASSING) else ()


def _marked(rel: RelNode, late: LateRows) -> RelNode:
    def marked(node: RelNode, inputs: tuple[RelNode, ...]) -> RelNode:
        if isinstance(node, Scan):
            return replace(node, late=late)
        return node.with_inputs(inputs) if inputs else node

    return fold_tree(rel, _passed, marked)


def _table(binder: Binder, node: ast.Node, text: str, own: ObjectIdentifier, source: str) -> CatalogTable:
    """The table with a name, which may leave out catalog and database of `own`; `source` is for messages."""
    names = name_parts(text)
    names = (*(own.catalog, own.database)[: max(0, 3 - len(names))], *names)
    entry = binder.catalog.find(names) if len(names) == 3 else None
    if isinstance(entry, CatalogTable):
        check_usable(entry, reading=False)
        return entry
    why = "is a view" if isinstance(entry, CatalogView) else "is not there"
    message = f"table {text!r}, which takes late rows of {source}, {why}"
    raise binder.source.error(node, message, "create it with CREATE TABLE before it is used")
