"""Null handling and replacement: fillna, dropna, replace.

Source: FLIP-155, "Null Data Handling".
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import reduce

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.inserts import summary
from compiled_plan.planner.table.building.nodes import column_at, named
from compiled_plan.planner.table.building.planned import PlannedTable, T
from compiled_plan.planner.table.building.python_literals import exact
from compiled_plan.planner.table.expressions.core import Operand
from compiled_plan.planner.table.expressions.expression import Expression
from compiled_plan.planner.table.expressions.types import type_node
from compiled_plan.planner.table.operations import all_columns, listed, names_of, place_of
from compiled_plan.planner.table.selecting import where, with_columns_at
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    CharacterType,
    DateType,
    FieldsType,
    LogicalType,
    MapType,
    NumericType,
    TimestampBase,
    TimeType,
    VarBinaryType,
)

#: Maximum number of terms in a sum without parentheses.
_FLAT = 32

#: Column types that can hold a Python value; the first matching class decides.
_KINDS: tuple[tuple[type | tuple[type, ...], tuple[type[LogicalType], ...]], ...] = (
    (bool, (BooleanType,)),
    ((int, float, Decimal), (NumericType,)),
    (str, (CharacterType,)),
    (bytes, (BinaryType, VarBinaryType)),
    (datetime.datetime, (TimestampBase,)),
    (datetime.date, (DateType,)),
    (datetime.time, (TimeType,)),
    (tuple, (FieldsType,)),
    (list, (ArrayType,)),
)


def fillna(table: T, value: object, fields: Sequence[object] | None) -> T:
    """Replace NULLs: CASE WHEN a IS NULL THEN value ELSE a END for the columns."""
    if isinstance(value, Mapping):
        if fields is not None:
            raise ProgramError(
                "fillna() takes a mapping of columns to values, or one value and columns, not both",
                where="fillna()",
                remedy="leave the list of columns out",
            )
        names = names_of("fillna", list(value), table._rows)
        values = dict(zip(names, value.values(), strict=True))
    else:
        names = (
            _fitting(table, [value], "fillna")
            if fields is None
            else names_of("fillna", listed("fillna", fields), table._rows)
        )
        values = dict.fromkeys(names, value)
    return with_columns_at(table, {_place(table, name): _filled(table, name, values[name]) for name in names}, "fillna")


def _filled(table: PlannedTable, name: str, value: object) -> ast.Expression:
    if value is None:
        raise ProgramError("fillna() cannot fill with None", where="fillna()", remedy="give a value")
    column = _column(table, name)
    branch = ast.When(ast.IsPredicate(column, "NULL"), _node(value, _type(table, name)))
    return named(ast.Case((branch,), column), f"fillna of col({name!r}) with {value!r}")


def dropna(table: T, thresh: object, fields: Sequence[object] | None) -> T:
    """Keep the rows with at least `thresh` values that are not NULL."""
    if not isinstance(thresh, int) or isinstance(thresh, bool) or thresh < -1:
        raise ProgramError(
            f"dropna() takes a number of values, not {thresh!r}",
            where="dropna()",
            remedy="give how many values must not be NULL, or -1 to drop the rows of NULLs alone",
        )
    rows = table._rows
    columns = (
        all_columns(rows)
        if fields is None
        else [_column(table, name) for name in names_of("dropna", listed("dropna", fields), rows)]
    )
    if not columns:
        raise ProgramError("dropna() has no columns to look at", where="dropna()", remedy="leave the list out for all")
    total = _sum([_present(node) for node in columns])
    least = ast.Constant(str(1 if thresh == -1 else thresh))
    return where(table, Expression(ast.Binary(">=", total, least)), "dropna")


def _sum(terms: list[ast.Expression]) -> ast.Expression:
    """The sum from left to right; many terms are split in halves, to limit the nesting."""
    if len(terms) <= _FLAT:
        return reduce(lambda left, right: ast.Binary("+", left, right), terms)
    half = len(terms) // 2
    return ast.Binary("+", _sum(terms[:half]), _sum(terms[half:]))


def _present(node: ast.Expression) -> ast.Expression:
    branch = ast.When(ast.IsPredicate(node, "NULL", negated=True), ast.Constant("1"))
    return ast.Case((branch,), ast.Constant("0"))


def replace(table: T, replacement: object, fields: Sequence[object] | None) -> T:
    """Replace values: CASE WHEN a = key THEN value ... ELSE a END for the columns."""
    if not isinstance(replacement, Mapping) or not replacement:
        raise ProgramError(
            f"replace() takes a mapping of values to values, not {replacement!r}",
            where="replace()",
            remedy="write replace({1: 3}, ['a'])",
        )
    names = (
        _fitting(table, list(replacement), "replace")
        if fields is None
        else names_of("replace", listed("replace", fields), table._rows)
    )
    changed = {_place(table, name): _replaced(table, name, replacement) for name in names}
    return with_columns_at(table, changed, "replace")


def _replaced(table: PlannedTable, name: str, replacement: Mapping[object, object]) -> ast.Expression:
    column, type_ = _column(table, name), _type(table, name)

    def condition(key: object) -> ast.Expression:
        if key is None:
            return ast.IsPredicate(column, "NULL")
        return ast.Binary("=", column, _node(key, type_))

    branches = tuple(ast.When(condition(key), _node(value, type_)) for key, value in replacement.items())
    return named(ast.Case(branches, column), f"replace in col({name!r})")


def _fitting(table: PlannedTable, values: Sequence[object], operation: str) -> list[str]:
    """The columns whose type can hold the values.

    Raises:
        ProgramError: there are none.
    """
    kinds = [_kinds(value) for value in values if value is not None]
    rows = table._rows
    types = [rows.rel.row_type.types[column.index] for column in rows.visible]
    fitting = [
        name for name, type_ in zip(rows.names, types, strict=True) if all(isinstance(type_, kind) for kind in kinds)
    ]
    if not fitting:
        shown = ", ".join(map(repr, values))
        columns = ", ".join(f"{name} {summary(type_)}" for name, type_ in zip(rows.names, types, strict=True))
        raise ProgramError(
            f"no column can hold {shown}", where=f"{operation}()", remedy=f"name the columns; there are: {columns}"
        )
    return fitting


def _kinds(value: object) -> tuple[type[LogicalType], ...]:
    if isinstance(value, Operand):
        return (LogicalType,)
    return next((types for classes, types in _KINDS if isinstance(value, classes)), (LogicalType,))


def _place(table: PlannedTable, name: str) -> int:
    return place_of("fillna", name, table._rows)


def _column(table: PlannedTable, name: str) -> ast.Expression:
    return column_at(name, _place(table, name))


def _type(table: PlannedTable, name: str) -> LogicalType:
    rows = table._rows
    return rows.rel.row_type.types[rows.visible[_place(table, name)].index]


def _node(value: object, type_: LogicalType) -> ast.Expression:
    """The node of a value; a Python row or collection takes the column's type, including field names."""
    if isinstance(value, Operand):
        return value._node
    if value is not None and isinstance(type_, FieldsType | ArrayType | MapType):
        return ast.Cast(exact(value), type_node(type_.with_nullability(True)))
    return exact(value)
