"""Constraints of a sink: NOT NULL columns and declared lengths.

Source: Flink's configuration page, `table.exec.sink.not-null-enforcer`, `table.exec.sink.nested-constraint-enforcer`
and `table.exec.sink.type-length-enforcer`, and its ConstraintEnforcerExecutor for the order of the checks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.execution.interfaces.connectors import resolved_table, table_of
from compiled_plan.plans.execution.spark import lambdas
from compiled_plan.plans.execution.spark.types import to_spark
from compiled_plan.plans.nodes.configuration import NESTED, NOT_NULL, OPTIONS, TYPE_LENGTH
from compiled_plan.plans.nodes.table_rules import physical_row
from compiled_plan.plans.types import (
    MAX_LENGTH,
    ArrayType,
    BinaryType,
    BytesType,
    CharacterType,
    CharType,
    FieldsType,
    LogicalType,
    MapType,
)

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.nodes.sink import Sink


class _Phase(IntEnum):
    """Phases of checks: Flink checks all fields of a row in one phase before the next."""

    NOT_NULL = 0
    CHARACTERS = 1
    BYTES = 2
    ROWS = 3
    ARRAYS = 4
    MAPS = 5


@dataclass(frozen=True, slots=True)
class _Check:
    """A check of a field.

    Args:
        phase: its phase.
        fault: the message, or DROP; null for a valid value.
    """

    phase: _Phase
    fault: Column


#: The fault of a row to drop.
DROP = ""


@dataclass(frozen=True, slots=True)
class Enforced:
    """Rows after the enforcement of a sink's constraints.

    Args:
        condition: selects the rows to write; None for all.
        columns: their columns, which raise on invalid values.
    """

    condition: Column | None
    columns: tuple[Column, ...]


def enforced(node: Sink, columns: Sequence[Column], own: Column | None = None) -> Enforced:
    """Enforce the constraints of a sink.

    Args:
        node: the sink.
        columns: the columns of the rows: the written physical columns in order, then metadata.
        own: selects the rows of the sink; None for all.
    """
    checks = _Checks.of(node)
    # After the physical columns there may be metadata, without constraints.
    checked = list(zip(columns, physical_row(resolved_table(node)).fields, strict=False))
    checks_by_column = [list(checks.of_field(value, field.type, field.name)) for value, field in checked]
    condition = None
    if checks.drops and any(checks_by_column):
        dropped = F.coalesce(
            _first([check for column_checks in checks_by_column for check in column_checks]) == DROP, F.lit(False)
        )
        condition = ~(dropped if own is None else own & dropped)
    values = []
    for (value, field), of_field in zip(checked, checks_by_column, strict=True):
        type_ = field.type
        if checks.lengths == "TRIM_PAD":
            value = _fitted(value, type_, nested=checks.nested != "IGNORE")
        if checks.fail and of_field:
            fault = _first(of_field)
            failing = fault != DROP if own is None else own & (fault != DROP)
            value = F.when(failing, F.raise_error(fault).cast(to_spark(type_))).otherwise(value)
        values.append(value)
    return Enforced(condition, (*values, *columns[len(checked) :]))


def _first(checks: Sequence[_Check]) -> Column:
    """The fault of the first check that fails."""
    return F.coalesce(*(check.fault for check in sorted(checks, key=lambda check: check.phase)))


@dataclass(frozen=True, slots=True)
class _Checks:
    """The checks enabled by the options of a sink node."""

    sink: str
    drops: bool
    lengths: str
    nested: str

    @property
    def fail(self) -> bool:
        """True if a fault may fail the run."""
        return not self.drops or self.lengths == "ERROR"

    @staticmethod
    def of(node: Sink) -> _Checks:
        def option(key: str) -> str:
            return str(node.configuration.get(key, OPTIONS[key].default)).upper()

        return _Checks(".".join(table_of(node).path), option(NOT_NULL) == "DROP", option(TYPE_LENGTH), option(NESTED))

    def of_field(self, value: Column, type_: LogicalType, path: str) -> Iterator[_Check]:
        """The checks of a field of a row.

        Args:
            value: the field.
            type_: its type.
            path: its name, with the names of enclosing fields.
        """
        if not type_.nullable:
            yield _Check(_Phase.NOT_NULL, F.when(value.isNull(), F.lit(self._null(path))))
        if self.lengths == "ERROR" and isinstance(type_, CharacterType | BytesType) and type_.length < MAX_LENGTH:
            phase = _Phase.CHARACTERS if isinstance(type_, CharacterType) else _Phase.BYTES
            yield _Check(phase, self._length(value, type_, path))
        if self.nested == "IGNORE":
            return
        match type_:
            case FieldsType():
                fields = [
                    check
                    for field in type_.fields
                    for check in self.of_field(value.getField(field.name), field.type, f"{path}.{field.name}")
                ]
                if fields:
                    yield _Check(_Phase.ROWS, F.when(value.isNotNull(), _first(fields)))
            case ArrayType() if self.nested == "ROWS_AND_COLLECTIONS":
                yield from self._of_items(_Phase.ARRAYS, value, path, (("element", type_.element),))
            case MapType() if self.nested == "ROWS_AND_COLLECTIONS":
                parts = (("key", type_.key), ("value", type_.value))
                yield from self._of_items(_Phase.MAPS, F.map_entries(value), path, parts)

    def _of_items(
        self, phase: _Phase, items: Column, path: str, parts: tuple[tuple[str, LogicalType], ...]
    ) -> Iterator[_Check]:
        """The first fault among the items of a collection; those of a map are structs of key and value."""

        def checks(item: Column) -> list[_Check]:
            values = [item if phase is _Phase.ARRAYS else item.getField(name) for name, _ in parts]
            return [
                check
                for value, (name, type_) in zip(values, parts, strict=True)
                for check in self.of_field(value, type_, f"{path}[{name}]")
            ]

        if checks(F.lit(None)):
            faults = lambdas.transform(items, lambda item: _first(checks(item)))
            yield _Check(phase, F.get(F.array_compact(faults), 0))

    def _null(self, path: str) -> str:
        if self.drops:
            return DROP
        return (
            f"column '{path}' of sink {self.sink} is NOT NULL, and a null value is "
            f"being written into it; set '{NOT_NULL}' = 'DROP' to drop such rows"
        )

    def _length(self, value: Column, type_: CharacterType | BytesType, path: str) -> Column:
        length = F.length(value)
        wrong = length != type_.length if isinstance(type_, CharType | BinaryType) else length > type_.length
        text = F.concat(
            F.lit(f"column '{path}' of sink {self.sink} is {type_.with_nullability(True)}, and a value of length "),
            length.cast("string"),
            F.lit(f" is being written into it; '{TYPE_LENGTH}' says what happens to such values"),
        )
        return F.when(wrong, text)


def _fitted(value: Column, type_: LogicalType, *, nested: bool) -> Column:
    """The value truncated to the declared length, and padded if the type has a fixed one.

    Args:
        type_: its type.
        nested: also fit the fields of rows.
    """
    if not _has_lengths(type_):
        return value
    match type_:
        case CharacterType():
            cut = F.substring(value, 1, type_.length)
            return F.rpad(cut, type_.length, " ") if isinstance(type_, CharType) else cut
        case BytesType():
            cut = F.substring(value, 1, type_.length)
            return F.rpad(cut, type_.length, F.lit(b"\0")) if isinstance(type_, BinaryType) else cut
        case FieldsType() if nested:
            fields = (
                _fitted(value.getField(field.name), field.type, nested=True).alias(field.name) for field in type_.fields
            )
            return F.when(value.isNotNull(), F.struct(*fields))
        case _:
            return value


def _has_lengths(type_: LogicalType) -> bool:
    """Return True for a type with a length, or a row of such types."""
    if isinstance(type_, FieldsType):
        return any(_has_lengths(field.type) for field in type_.fields)
    return isinstance(type_, CharacterType | BytesType) and type_.length < MAX_LENGTH
