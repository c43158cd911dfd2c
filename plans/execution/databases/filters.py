"""Pushed-down filters: conditions on rows as SQL, if the database evaluates them as the plan does.

The plan filters every row again, so a condition may pass too many rows but never too few: because of collations,
rounding and conversions, most pairs of types are left to the plan.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from compiled_plan.plans import types as t
from compiled_plan.plans.rex import Call, InputRef, Literal, Range, RexNode, Sarg
from compiled_plan.plans.trees import fold_tree

_COMPARED = {"$=$1": "=", "$<>$1": "<>", "$<$1": "<", "$<=$1": "<=", "$>$1": ">", "$>=$1": ">="}
_TURNED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
#: Codes of java.sql.Types; names of types, if several types share a code.
_WHOLE = {-6, 5, 4, -5}
_TEXTS = {"text", "varchar", "bpchar", "char", "character varying"}
_DATE, _TIMESTAMP = 91, 93
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?P<clock> \d\d:\d\d:\d\d(\.\d{1,6})?)?")
#: Maximum number of ranges in a statement.
_RANGES = 200


@dataclass(frozen=True, slots=True)
class TypedColumn:
    """A column of a table.

    Args:
        name: in statements.
        type: the type that the plan declares.
        code: the database's code of java.sql.Types.
        type_name: the database's own name of the type.
    """

    name: str
    type: t.LogicalType
    code: int
    type_name: str


def condition(rex: RexNode, columns: Sequence[TypedColumn | None]) -> str | None:
    """The SQL condition that passes all rows for which an expression is true; None if there is none.

    Args:
        rex: the expression.
        columns: the columns of its references; None for references to anything else.
    """
    text: str | None = fold_tree(rex, _parts, partial(_text, columns))
    return text


def _parts(rex: RexNode) -> tuple[RexNode, ...]:
    return rex.operands if isinstance(rex, Call) and rex.name in ("$AND$1", "$OR$1") else ()


def _text(columns: Sequence[TypedColumn | None], rex: RexNode, parts: tuple[str | None, ...]) -> str | None:
    if not isinstance(rex, Call):
        return None
    texts = [part for part in parts if part is not None]
    match rex.name:
        case "$AND$1":
            return f"({' AND '.join(texts)})" if texts else None
        case "$OR$1":
            return f"({' OR '.join(texts)})" if len(texts) == len(parts) else None
        case "$IS NULL$1" | "$IS NOT NULL$1":
            column = _column(rex.operands[0], columns)
            return None if column is None else f"{column.name} {rex.name[1:-2]}"
        case "$SEARCH$1":
            return _search(rex, columns)
    return _compared(rex, columns) if rex.name in _COMPARED else None


def _column(rex: RexNode, columns: Sequence[TypedColumn | None]) -> TypedColumn | None:
    return columns[rex.index] if isinstance(rex, InputRef) else None


def _compared(rex: Call, columns: Sequence[TypedColumn | None]) -> str | None:
    left, right = rex.operands
    operator = _COMPARED[rex.name]
    if isinstance(left, Literal):
        left, right, operator = right, left, _TURNED[operator]
    column = _column(left, columns)
    if column is None or not isinstance(right, Literal):
        return None
    value = _value(right.value, right.type, column)
    if value is None or (isinstance(column.type, t.CharacterType) and operator != "="):
        return None
    return f"{column.name} {operator} {value}"


def _search(rex: Call, columns: Sequence[TypedColumn | None]) -> str | None:
    column, sarg = _column(rex.operands[0], columns), rex.operands[1]
    if column is None or not isinstance(sarg, Sarg) or not 0 < len(sarg.ranges) <= _RANGES:
        return None
    ranges = [_range(item, sarg.type, column) for item in sarg.ranges]
    texts = [text for text in ranges if text is not None]
    if len(texts) < len(ranges):
        return None
    if sarg.null_as == "TRUE":
        texts.append(f"{column.name} IS NULL")
    return f"({' OR '.join(texts)})"


def _range(item: Range, type_: t.LogicalType, column: TypedColumn) -> str | None:
    bounds = [
        (operator, _value(value, type_, column))
        for has, operator, value in (
            (item.has_lower, ">=" if item.lower_closed else ">", item.lower),
            (item.has_upper, "<=" if item.upper_closed else "<", item.upper),
        )
        if has
    ]
    if not bounds or any(value is None for _, value in bounds):
        return None
    if len(bounds) == 2 and item.lower == item.upper:
        return f"{column.name} = {bounds[0][1]}"
    if isinstance(column.type, t.CharacterType):
        return None
    return f"({' AND '.join(f'{column.name} {operator} {value}' for operator, value in bounds)})"


def _value(value: object, type_: t.LogicalType, column: TypedColumn) -> str | None:
    """The SQL literal that the database compares with a column as the plan does; None if there is none."""
    match column.type:
        case t.IntegerType() if column.code in _WHOLE and isinstance(type_, t.IntegerType):
            return None if value is None else str(int(str(value)))
        case t.CharacterType() if column.type_name.lower() in _TEXTS and isinstance(type_, t.CharacterType):
            # A backslash escapes in some databases.
            return None if not isinstance(value, str) or "\\" in value else "'" + value.replace("'", "''") + "'"
        case t.DateType() if column.code == _DATE and isinstance(type_, t.DateType):
            return _moment("DATE", value, clock=False)
        case t.TimestampType() if column.code == _TIMESTAMP and column.type_name.lower() in ("timestamp", "datetime"):
            return _moment("TIMESTAMP", value, clock=True) if isinstance(type_, t.TimestampType) else None
    return None


def _moment(kind: str, value: object, *, clock: bool) -> str | None:
    match = _MOMENT.fullmatch(value) if isinstance(value, str) else None
    return f"{kind} '{value}'" if match is not None and bool(match["clock"]) is clock else None
