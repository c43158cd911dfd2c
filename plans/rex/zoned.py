"""Calls that depend on the session's time zone.

A call that takes or returns an instant (TIMESTAMP_LTZ) is assumed to depend on it, with known exceptions.
"""

from __future__ import annotations

from compiled_plan.plans.rex.nodes import CASTS, Call, type_of
from compiled_plan.plans.rex.python import python_function
from compiled_plan.plans.types import LogicalType, TimestampLtzType, TimestampType

#: Calls that depend on the time zone although neither arguments nor result are instants.
_BY_THE_CLOCK = frozenset(
    f"${name}$1" for name in ("CURRENT_DATE", "CURRENT_TIME", "LOCALTIME", "LOCALTIMESTAMP", "FROM_UNIXTIME")
)
#: Calls that take or return instants without converting them to or from local time.
_ZONELESS = frozenset(
    f"${name}$1"
    for name in (
        *("=", "<>", "<", "<=", ">", ">=", "IS NULL", "IS NOT NULL", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"),
        *("AND", "OR", "NOT", "BETWEEN", "NOT BETWEEN", "IN", "NOT IN", "SEARCH", "GREATEST", "LEAST"),
        *("CASE", "IF", "ifThenElse", "COALESCE", "IFNULL", "NULLIF", "IS_NULL", "IS_NOT_NULL", "TYPEOF"),
        *("ROW", "ARRAY", "MAP", "ITEM", "CARDINALITY", "ELEMENT", "OBJECT_OF", "OBJECT_UPDATE"),
        *("UNNEST_ROWS", "UNNEST_ROWS_WITH_ORDINALITY", "REPLICATE_ROWS", "LAST", "FIRST", "PREV", "NEXT", "FINAL"),
        *("+", "-", "REINTERPRET", "REINTERPRET_CAST", "PROCTIME", "PROCTIME_MATERIALIZE", "CURRENT_WATERMARK"),
        *("CURRENT_TIMESTAMP", "NOW", "CURRENT_ROW_TIMESTAMP", "SOURCE_WATERMARK", "STREAMRECORD_TIMESTAMP"),
        *("MATCH_ROWTIME", "MATCH_PROCTIME", "COUNT", "MIN", "MAX", "FIRST_VALUE", "LAST_VALUE"),
        # Texts are in UTC, or state their zone.
        *("TO_TIMESTAMP_LTZ", "JSON_OBJECT", "JSON_ARRAY", "JSON_STRING"),
    )
)


def depends_on_zone(call: Call) -> bool:
    """Return True if the result of a call depends on the session's time zone."""
    if call.name in _BY_THE_CLOCK or (call.name == "$UNIX_TIMESTAMP$1" and call.operands):
        return True
    if python_function(call) is not None:
        return False
    types = [type_of(operand) for operand in call.operands]
    if call.name in CASTS:
        return bool(types) and _is_moved(types[0], call.type)
    if not any(_holds(type_, TimestampLtzType) for type_ in (*types, call.type)):
        return False
    # Next to a TIMESTAMP, an instant is read as local time.
    mixed = any(_holds(type_, TimestampLtzType) for type_ in types) and any(
        _holds(type_, TimestampType) for type_ in types
    )
    return (mixed and call.name not in _CONSTRUCTORS) or call.name not in _ZONELESS


_CONSTRUCTORS = frozenset(("$ROW$1", "$OBJECT_OF$1", "$OBJECT_UPDATE$1", "$JSON_OBJECT$1", "$JSON_ARRAY$1", "$MAP$1"))


def _is_moved(source: LogicalType, target: LogicalType) -> bool:
    """Return True if a cast converts between an instant and another type."""
    if isinstance(source, TimestampLtzType) and isinstance(target, TimestampLtzType):
        return False
    return _holds(source, TimestampLtzType) or _holds(target, TimestampLtzType)


def _holds(type_: LogicalType, kind: type[LogicalType]) -> bool:
    return isinstance(type_, kind) or any(_holds(child, kind) for child in type_.children())
