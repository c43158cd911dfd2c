"""Filter push-down of Flink's connector `jdbc`: comparisons of columns and constants.

Source: `JdbcFilterPushdownPreparedStatementVisitor` of that connector 4.0, run condition by condition.
"""

from __future__ import annotations

from collections.abc import Mapping

from compiled_plan.plans import types as t
from compiled_plan.plans.rex import Call, InputRef, Literal, RexNode
from compiled_plan.plans.trees import fold_tree

_COMPARED = frozenset(f"${sign}$1" for sign in ("=", "<>", "<", "<=", ">", ">="))
_CONSTANTS = (t.CharacterType, t.BooleanType, t.NumericType, t.DateType, t.TimeType)


def takes_over(rex: RexNode, options: Mapping[str, str]) -> bool:
    """Return True if the table's source accepts the push-down of a condition on its columns."""
    if options.get("filter.handling.policy", "always").lower() == "never":
        return False
    return bool(fold_tree(rex, _parts, _taken))


def _parts(rex: RexNode) -> tuple[RexNode, ...]:
    return rex.operands if isinstance(rex, Call) and rex.name in ("$AND$1", "$OR$1") else ()


def _taken(rex: RexNode, parts: tuple[bool, ...]) -> bool:
    if parts:
        return all(parts)
    if not isinstance(rex, Call):
        return False
    if rex.name in ("$IS NULL$1", "$IS NOT NULL$1"):
        return isinstance(rex.operands[0], InputRef)
    return (rex.name in _COMPARED or rex.name == "$LIKE$1") and all(map(_value, rex.operands))


def _value(rex: RexNode) -> bool:
    if isinstance(rex, InputRef):
        return True
    zoned = isinstance(rex, Literal) and isinstance(rex.type, t.TimestampType)
    return isinstance(rex, Literal) and (zoned or isinstance(rex.type, _CONSTANTS))
