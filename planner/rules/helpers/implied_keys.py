"""Transitive equalities: two columns equal to a third one, for a join between them without a condition.

`FROM a, b, c WHERE a.k = c.k AND b.k = c.k` joins `a` and `b` first, without a condition on the two. Their keys are
equal in each row of the result.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan.planner.algebra.expressions import conjuncts, equals, is_call, same_representation
from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.algebra.nodes import Filter, Join, Project, RelNode
from compiled_plan.plans.rex import InputRef, RexNode, input_refs
from compiled_plan.plans.types import TimestampBase


def implied_keys(rel: Join) -> list[RexNode]:
    """Equalities of columns of one input of an inner join, for joins without any in this input."""
    width = len(rel.left.row_type.fields)
    met: dict[int, list[InputRef]] = {}
    for left, right in _equal_columns(rel.condition):
        for column, partner in ((left, right), (right, left)):
            if (column.index < width) != (partner.index < width):
                met.setdefault(partner.index, []).append(column)
    keys: list[RexNode] = []
    for columns in met.values():
        first, *rest = columns
        for column in rest:
            offset, side = (0, rel.left) if first.index < width else (width, rel.right)
            if same_representation(first.type, column.type) and _unkeyed(
                side, first.index - offset, column.index - offset
            ):
                keys.append(equals(first, column))
    return keys


def _equal_columns(condition: RexNode) -> Iterator[tuple[InputRef, InputRef]]:
    for part in conjuncts(condition):
        left, right = part.children() if is_call(part, "$=$1") else (None, None)
        if not (isinstance(left, InputRef) and isinstance(right, InputRef)):
            continue
        # Equal times may belong to windows and intervals, which have their own joins.
        if not isinstance(left.type, TimestampBase) and same_representation(left.type, right.type):
            yield left, right


def _unkeyed(rel: RelNode, left: int, right: int) -> bool:
    """Return True if the join in which two columns meet is an inner one without an equality of its sides."""
    while True:
        if isinstance(rel, Filter):
            rel = rel.input
        elif isinstance(rel, Project):
            pair = (rel.exprs[left], rel.exprs[right])
            if not (isinstance(pair[0], InputRef) and isinstance(pair[1], InputRef)):
                return False
            (left, right), rel = (pair[0].index, pair[1].index), rel.input
        elif isinstance(rel, Join) and rel.kind is JoinKind.INNER:
            width = len(rel.left.row_type.fields)
            if (left < width) != (right < width):
                return not any(_is_key(part, width) for part in conjuncts(rel.condition))
            if left < width:
                rel = rel.left
            else:
                left, right, rel = left - width, right - width, rel.right
        else:
            return False


def _is_key(part: RexNode, width: int) -> bool:
    if not is_call(part, "$=$1"):
        return False
    sides = [{at < width for at in input_refs(side)} for side in part.children()]
    return sides in ([{True}, {False}], [{False}, {True}])
