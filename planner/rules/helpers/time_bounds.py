"""Detection of interval joins, whose time attributes bound each other so that state expires by time.

The condition must bound the time of one side by that of the other from below and from above (or equal it), each by a
constant distance. Anything else is a regular join.

Source: Flink's "Joins" page, "Interval Joins"; Flink 2.3's plans.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from compiled_plan.planner.algebra.expressions import MIRRORED, conjuncts
from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.algebra.nodes import Join
from compiled_plan.planner.algebra.timed import TimeBounds
from compiled_plan.plans.rex import Call, InputRef, Literal, RexNode, type_of, walk
from compiled_plan.plans.types import DayTimeIntervalType, TimeKind, TimestampBase, YearMonthIntervalType
from compiled_plan.plans.types.temporal import is_attribute, time_kind

_COMPARISONS = frozenset(("$<$1", "$<=$1", "$>$1", "$>=$1", "$=$1"))
_KINDS = (JoinKind.INNER, JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL)


@dataclass(frozen=True, slots=True)
class _Bound:
    """`left time <operator> right time + offset`."""

    operator: str
    offset: int
    left: int
    right: int
    kind: TimeKind
    part: RexNode

    @property
    def is_lower(self) -> bool:
        return self.operator in ("$>$1", "$>=$1")

    @property
    def inclusive(self) -> int:
        return self.offset + {"$>$1": 1, "$<$1": -1}.get(self.operator, 0)


def time_bounds(rel: Join) -> TimeBounds | None:
    """The time bounds of an interval join; None for a regular join."""
    if rel.kind not in _KINDS:
        return None
    width = len(rel.left.row_type.fields)
    bounds: list[_Bound] = []
    rest: list[RexNode] = []
    for part in conjuncts(rel.condition):
        if not _compares_times(part, width):
            rest.append(part)
            continue
        bound = _bound(part, width)
        if bound is None:
            return None
        bounds.append(bound)
    return _between(bounds, rest)


def _between(bounds: Sequence[_Bound], rest: list[RexNode]) -> TimeBounds | None:
    equal = [bound for bound in bounds if bound.operator == "$=$1"]
    if len(bounds) not in (1, 2) or len({(bound.left, bound.right) for bound in bounds}) > 1:
        return None
    first = bounds[0]
    if equal:
        lower = upper = equal[0].offset
        rest += [bound.part for bound in bounds if bound is not equal[0]]
    elif len(bounds) == 2 and first.is_lower is not bounds[1].is_lower:
        lower, upper = (item.inclusive for item in sorted(bounds, key=lambda bound: not bound.is_lower))
    else:
        return None
    return TimeBounds(first.kind is TimeKind.ROWTIME, lower, upper, first.left, first.right, tuple(rest))


def _compares_times(part: RexNode, width: int) -> bool:
    """Return True if a condition compares only a time attribute of one side with one of the other side."""
    if not (isinstance(part, Call) and part.name in _COMPARISONS and len(part.operands) == 2):
        return False
    left, right = map(_only_time, part.operands)
    if left is None or right is None:
        return False
    return (left.index < width) is not (right.index < width) and time_kind(left.type) is time_kind(right.type)


def _only_time(rex: RexNode) -> InputRef | None:
    """The time attribute, if it is the only column that an expression reads, and is read once."""
    refs = list(_inputs(rex))
    return refs[0] if len(refs) == 1 and is_attribute(refs[0].type) else None


def _inputs(rex: RexNode) -> Iterator[InputRef]:
    return (node for node in walk(rex) if isinstance(node, InputRef))


def _bound(part: RexNode, width: int) -> _Bound | None:
    """A comparison of times as a bound on the left time; None if the distance is unknown."""
    assert isinstance(part, Call)
    name, (first, second) = part.name, part.operands
    if next(_inputs(first)).index >= width:
        name, first, second = MIRRORED[name], second, first
    first_offset, second_offset = _offset(first), _offset(second)
    if first_offset is None or second_offset is None:
        return None
    left, right = next(_inputs(first)), next(_inputs(second))
    return _Bound(name, second_offset - first_offset, left.index, right.index - width, time_kind(left.type), part)


def _offset(rex: RexNode) -> int | None:
    """The constant offset in milliseconds that an expression adds to its time attribute; None if unknown."""
    if isinstance(rex, InputRef):
        return 0
    if not isinstance(rex, Call) or not isinstance(rex.type, TimestampBase):
        return None
    if rex.name == "$CAST$1" and type(type_of(rex.operands[0])) is type(rex.type):
        return _offset(rex.operands[0])
    if rex.name not in ("$+$1", "$-$1") or len(rex.operands) != 2:
        return None
    point, by = rex.operands
    base = _offset(point)
    if base is None or not isinstance(by, Literal) or by.value is None:
        return None
    length = int(str(by.value)) * (1 if rex.name == "$+$1" else -1)
    if isinstance(by.type, YearMonthIntervalType):
        # Flink uses the length of the months around the epoch.
        return _months_later(base, length)
    return base + length if isinstance(by.type, DayTimeIntervalType) else None


def _months_later(milliseconds: int, months: int) -> int | None:
    if milliseconds % 86_400_000:
        return None
    start = datetime.fromtimestamp(milliseconds // 1000, UTC)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    for day in range(start.day, 0, -1):
        try:
            return int(start.replace(year=year, month=month + 1, day=day).timestamp()) * 1000
        except ValueError:
            continue
    return None
