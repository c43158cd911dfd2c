"""FOR SYSTEM_TIME AS OF: joins each row of the left side with the version of a table that is valid at its time.

Source: Flink's "Joins" page, "Temporal Joins"; the restrictions of Flink 2.3.
"""

from __future__ import annotations

from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.algebra.nodes import Filter, Hint, Project, RelNode, Scan
from compiled_plan.planner.algebra.rex import OuterRef
from compiled_plan.planner.algebra.timed import Snapshot, TemporalJoin
from compiled_plan.planner.catalog.connectors import can_look_up
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder, Context, Surroundings
from compiled_plan.planner.sql.binding.expressions import bind
from compiled_plan.planner.sql.binding.scopes import Scope
from compiled_plan.plans.rex import RexNode, type_of
from compiled_plan.plans.types import LogicalType, RowType, TimeKind, TimestampBase

_LEFT_TIME = "write FOR SYSTEM_TIME AS OF t.ts, with ts a time attribute of the table to the left"


def bind_snapshot(
    binder: Binder, node: ast.Expression, rel: RelNode, left: Scope | None, around: Surroundings
) -> RelNode:
    """A table as of the time `node`, bound over the row of the scope `left`.

    Raises:
        ProgramError: there is no table to the left, or the time is not one of its columns.
    """
    if left is None:
        raise binder.source.error(
            node, "time travel is not supported: FOR SYSTEM_TIME AS OF stands right of a JOIN", _LEFT_TIME
        )
    scope = Scope((), (), RowType(), left, binder.names.correlation())
    time = bind(binder, node, Context(scope, around.ctes, "FOR SYSTEM_TIME AS OF"))
    if not isinstance(time, OuterRef) and not time.children():
        raise binder.source.error(
            node, "a constant in FOR SYSTEM_TIME AS OF (time travel) is not supported", _LEFT_TIME
        )
    if not isinstance(time, OuterRef):
        raise binder.source.error(
            node,
            "temporal table join only supports FOR SYSTEM_TIME AS OF a time attribute of the left table",
            _LEFT_TIME,
        )
    return Snapshot(rel, time)


def join_snapshot(
    binder: Binder,
    node: ast.Join,
    left: RelNode,
    right: Snapshot,
    kind: JoinKind,
    condition: RexNode,
    hint: Hint | None = None,
) -> RelNode:
    """The temporal join of a FOR SYSTEM_TIME AS OF; `hint` is the LOOKUP hint for its table.

    Raises:
        ProgramError: the time is no time attribute, the versions have no rowtime, or one of another type; RIGHT or
            FULL JOIN.
    """
    source = binder.source
    if kind not in (JoinKind.INNER, JoinKind.LEFT):
        raise source.error(node, f"a temporal join cannot be a {kind.value} JOIN", "write JOIN or LEFT JOIN")
    time = right.time
    assert isinstance(time, OuterRef)
    of = _kind(type_of(time))
    if of is TimeKind.REGULAR:
        raise source.error(
            node.right,
            "temporal table join only supports FOR SYSTEM_TIME AS OF a time attribute of the left table",
            _LEFT_TIME,
        )
    where = source.where(node.right)
    if of is TimeKind.PROCTIME:
        can_look_up = _can_look_up(right.input)
        return TemporalJoin(left, right.input, kind, condition, time.index, None, can_look_up, hint, where=where)
    types = right.row_type.types
    version = next((at for at, type_ in enumerate(types) if _kind(type_) is TimeKind.ROWTIME), None)
    if version is None:
        raise source.error(
            node.right,
            "event-time temporal table join requires both primary key and row time attribute in versioned table, "
            "but no row time attribute can be found",
            "declare a WATERMARK on the table",
        )
    if types[version].with_nullability(True) != type_of(time).with_nullability(True):
        raise source.error(
            node.right,
            "event-time temporal table join requires the same rowtime type in left table and versioned table, "
            f"but the types are {type_of(time)} and {types[version]}",
        )
    return TemporalJoin(left, right.input, kind, condition, time.index, version, where=where)


def _can_look_up(rel: RelNode) -> bool:
    while isinstance(rel, Project | Filter):
        rel = rel.input
    return isinstance(rel, Scan) and can_look_up(rel.table)


def _kind(type_: LogicalType) -> TimeKind:
    return type_.kind if isinstance(type_, TimestampBase) else TimeKind.REGULAR
