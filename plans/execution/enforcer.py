"""What a sink checks of its rows: NOT NULL columns and declared lengths.

Source: Flink's configuration page, `table.exec.sink.not-null-enforcer`, `table.exec.sink.nested-constraint-enforcer`
and `table.exec.sink.type-length-enforcer`. Lengths are those of columns alone: within values Flink 2.3 fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.execution import lambdas
from compiled_plan.plans.execution.expressions.joining import balanced
from compiled_plan.plans.execution.operators.base import refuse
from compiled_plan.plans.execution.tables import resolved_table, table_of
from compiled_plan.plans.execution.types import to_spark
from compiled_plan.plans.nodes.tables import PhysicalColumn
from compiled_plan.plans.types import (
    ArrayType,
    BinaryType,
    BytesType,
    CharacterType,
    CharType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
)

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.nodes.sink import Sink

_NOT_NULL = "table.exec.sink.not-null-enforcer"
_NESTED = "table.exec.sink.nested-constraint-enforcer"
_LENGTH = "table.exec.sink.type-length-enforcer"


@dataclass(frozen=True, slots=True)
class _Breach:
    """A place that is NOT NULL, and whether a row has a null there."""

    path: str
    found: Column

    def among(self, mine: Column | None) -> _Breach:
        """The same of some rows alone."""
        return self if mine is None else _Breach(self.path, mine & self.found)


@dataclass(frozen=True, slots=True)
class Enforced:
    """What is written of rows.

    Args:
        kept: which of them; None for all.
        columns: their columns, which fail where a value may not be written.
    """

    kept: Column | None
    columns: tuple[Column, ...]


def enforced(node: Sink, columns: Sequence[Column], mine: Column | None = None) -> Enforced:
    """The rows that may be written.

    Args:
        node: the sink.
        columns: those of the rows: the physical columns that are written in their order, then metadata.
        mine: which of them are for the sink; None for all.

    Raises:
        UnsupportedError: something that does not run; names it.
    """
    mode = _choice(node, _NOT_NULL, "ERROR", "DROP")
    nested = _choice(node, _NESTED, "IGNORE", "ROWS", "ROWS_AND_COLLECTIONS")
    lengths = _choice(node, _LENGTH, "IGNORE", "TRIM_PAD", "ERROR")
    sink = ".".join(table_of(node).path)
    # Behind the physical columns there may be those of metadata, of which nothing is asked.
    checked = list(zip(columns, persisted_columns(node), strict=False))
    breaches = [
        [breach.among(mine) for breach in _breaches(column, each.data_type, each.name, nested)]
        for column, each in checked
    ]
    kept = None
    if mode == "DROP" and any(breaches):
        kept = ~balanced([breach.found for found in breaches for breach in found], or_)
    values = []
    for (value, each), found in zip(checked, breaches, strict=True):
        type_ = each.data_type
        if lengths == "TRIM_PAD":
            value = _fitted(value, type_)
        elif lengths == "ERROR":
            value = _checked(value, type_, f"column '{each.name}' of sink {sink}", mine)
        # What is checked last is outermost: outer places are told before those within.
        for breach in reversed(found if mode == "ERROR" else ()):
            value = _failing(breach.found, F.lit(_told(breach, sink)), value, type_)
        values.append(value)
    return Enforced(kept, (*values, *columns[len(checked) :]))


def _told(breach: _Breach, sink: str) -> str:
    return (
        f"column '{breach.path}' of sink {sink} is NOT NULL, and a null value is "
        f"being written into it; set '{_NOT_NULL}' = 'DROP' to drop such rows"
    )


def _choice(node: Sink, key: str, default: str, *others: str) -> str:
    value = node.configuration.get(key, default).upper()
    if value not in (default, *others):
        raise refuse(node, f"{key} = {value}", f"set one of {', '.join((default, *others))}")
    return value


def _failing(breached: Column, text: Column, value: Column, type_: LogicalType) -> Column:
    return F.when(breached, F.raise_error(text).cast(to_spark(type_))).otherwise(value)


def _breaches(value: Column, type_: LogicalType, path: str, nested: str) -> Iterator[_Breach]:
    """The places of a column that may be no null, outer ones first."""
    if not type_.nullable:
        yield _Breach(path, value.isNull())
    if nested == "IGNORE":
        return
    if isinstance(type_, RowType):
        for field in type_.fields:
            for inner in _breaches(value.getField(field.name), field.type, f"{path}.{field.name}", nested):
                yield _Breach(inner.path, value.isNotNull() & inner.found)
    elif nested == "ROWS_AND_COLLECTIONS":
        for items, item_type, place in _items(value, type_, path):
            # Whatever the element: one look through them finds all its places.
            if list(_breaches(F.lit(None), item_type, place, nested)):
                yield _Breach(place, _any(items, item_type, place, nested))


def _items(value: Column, type_: LogicalType, path: str) -> Iterator[tuple[Column, LogicalType, str]]:
    match type_:
        case ArrayType():
            yield value, type_.element, f"{path}[element]"
        case MapType():
            yield F.map_keys(value), type_.key, f"{path}[key]"
            yield F.map_values(value), type_.value, f"{path}[value]"
        case MultisetType():
            yield F.map_keys(value), type_.element, f"{path}[element]"


def _any(items: Column, type_: LogicalType, path: str, nested: str) -> Column:
    def breached(item: Column) -> Column:
        return reduce(or_, (breach.found for breach in _breaches(item, type_, path, nested)))

    return F.coalesce(lambdas.exists(items, breached), F.lit(False))


def _checked(column: Column, type_: LogicalType, what: str, mine: Column | None) -> Column:
    """The value, or a failure where it does not have the length that its type says."""
    if not isinstance(type_, CharacterType | BytesType):
        return column
    fixed = isinstance(type_, CharType | BinaryType)
    length = F.length(column)
    wrong = length != type_.length if fixed else length > type_.length
    text = F.concat(
        F.lit(f"{what} is {type_.with_nullability(True)}, and a value of length "),
        length.cast("string"),
        F.lit(f" is being written into it; '{_LENGTH}' says what happens to such values"),
    )
    found = F.coalesce(wrong, F.lit(False))
    return _failing(found if mine is None else mine & found, text, column, type_)


def persisted_columns(node: Sink) -> list[PhysicalColumn]:
    """The columns of a sink's table that are written."""
    return [column for column in resolved_table(node).table_schema.columns if isinstance(column, PhysicalColumn)]


def _fitted(column: Column, type_: LogicalType) -> Column:
    """The value cut to the declared length, and padded to it where the type has a fixed one."""
    if isinstance(type_, CharacterType):
        cut = F.substring(column, 1, type_.length)
        return F.rpad(cut, type_.length, " ") if isinstance(type_, CharType) else cut
    if isinstance(type_, BytesType):
        cut = F.substring(column, 1, type_.length)
        return F.rpad(cut, type_.length, F.lit(b"\0")) if isinstance(type_, BinaryType) else cut
    return column
