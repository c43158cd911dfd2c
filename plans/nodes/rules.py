"""Checks that the rules of several nodes share: consistency of a node's fields and output with its inputs.

A rule is a node's method `faults`. It yields faults with their paths in the node's JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from compiled_plan.plans.findings import Fault
from compiled_plan.plans.nodes.base import Inputs
from compiled_plan.plans.nodes.specs import JoinSpec, PartitionSpec, SortSpec
from compiled_plan.plans.rex import RexNode
from compiled_plan.plans.rex.typing import Columns, Path, condition_faults, expression_faults
from compiled_plan.plans.types import BIGINT, LogicalType, RowType, TimeKind, TimestampBase
from compiled_plan.plans.types.likeness import alike

__all__ = [
    "Columns",
    "Path",
    "condition_faults",
    "expression_faults",
    "index",
    "indices",
    "join",
    "joined_types",
    "order",
    "output",
    "partition",
    "rowtime",
    "same_as_input",
]

#: The type of a row number.
ROW_NUMBER = BIGINT


def index(value: int, columns: Columns, path: Path, *, none: int | None = None) -> Iterator[Fault]:
    """Fault of a column index out of range. `none` is the index that means no column."""
    if value != none and not 0 <= value < len(columns):
        remedy = f"columns are numbered 0 to {len(columns) - 1}" if columns else "there are none"
        yield Fault(path, f"no column {value}: there are {len(columns)} columns", remedy, value)


def indices(values: Iterable[int], columns: Columns, path: Path, *, once: bool = False) -> Iterator[Fault]:
    """Faults of column indices out of range; with `once`, also of duplicates."""
    seen: set[int] = set()
    for at, value in enumerate(values):
        yield from index(value, columns, (*path, at))
        if once and value in seen:
            yield Fault((*path, at), f"column {value} is there twice", "remove one", value)
        seen.add(value)


def output(row: RowType, wanted: Sequence[LogicalType], origin: str, *, kinds: bool = False) -> Iterator[Fault]:
    """Fault of an output type other than `wanted`, which `origin` ("the projection") produces; with `kinds`, time
    attributes must match, too."""
    if len(row.fields) != len(wanted):
        message = f"the output type has {len(row.fields)} fields, and {origin} gives {len(wanted)}"
        yield Fault(("outputType",), message, "make the numbers equal", len(row.fields))
        return
    for field, type_ in zip(row.fields, wanted, strict=True):
        if not alike(field.type, type_, kinds=kinds):
            message = f"field {field.name!r} of the output type is {field.type}, and {origin} gives {type_}"
            yield Fault(("outputType",), message, f"make it {type_}", str(field.type))
    names = [field.name for field in row.fields]
    for name in {name for name in names if names.count(name) > 1}:
        yield Fault(("outputType",), f"the output type has two fields {name!r}", "rename one", name)


def same_as_input(row: RowType, inputs: Inputs, more: Sequence[LogicalType] = ()) -> Iterator[Fault]:
    """Fault of an output type other than the input's columns followed by `more`."""
    yield from output(row, (*inputs.types, *more), "its input" if not more else "the operator", kinds=not more)


def order(spec: SortSpec, columns: Columns, path: Path) -> Iterator[Fault]:
    """Faults of sort columns out of range or of types without an order."""
    for at, field in enumerate(spec.fields):
        place = (*path, "fields", at, "index")
        yield from index(field.index, columns, place)
        if 0 <= field.index < len(columns) and not is_ordered(columns[field.index]):
            message = f"column {field.index} of type {columns[field.index]} has no order"
            yield Fault(place, message, "order by another column", field.index)


def is_ordered(type_: LogicalType) -> bool:
    """Return True if values of the type can be sorted."""
    return type_.ROOT not in ("MAP", "MULTISET", "RAW", "BITMAP", "VARIANT", "DESCRIPTOR", "SYMBOL")


def partition(spec: PartitionSpec, columns: Columns, path: Path) -> Iterator[Fault]:
    """Faults of partition columns out of range."""
    yield from indices(spec.fields, columns, (*path, "fields"))


def join(spec: JoinSpec, inputs: Inputs, path: Path) -> Iterator[Fault]:
    """Faults of key pairs and of a condition that is not boolean."""
    left, right = inputs.rows[0].types, inputs.rows[1].types
    before = [
        *indices(spec.left_keys, left, (*path, "leftKeys")),
        *indices(spec.right_keys, right, (*path, "rightKeys")),
    ]
    yield from before
    if len(spec.left_keys) != len(spec.right_keys):
        message = f"{len(spec.left_keys)} keys on the left, and {len(spec.right_keys)} on the right"
        yield Fault((*path, "rightKeys"), message, "give each key its other side", list(spec.right_keys))
    elif not before:
        for at, (left_key, right_key) in enumerate(zip(spec.left_keys, spec.right_keys, strict=True)):
            if not alike(left[left_key], right[right_key]):
                message = f"the left key is {left[left_key]}, and the right key {right[right_key]}"
                yield Fault((*path, "rightKeys", at), message, "join columns of equal types", right_key)
    if len(spec.filter_nulls) != len(spec.left_keys):
        message = f"{len(spec.filter_nulls)} values for {len(spec.left_keys)} keys"
        yield Fault((*path, "filterNulls"), message, "one for each key", list(spec.filter_nulls))
    yield from condition_faults(spec.non_equi_condition, inputs.all_types, (*path, "nonEquiCondition"))


def joined_types(spec: JoinSpec, inputs: Inputs) -> Columns:
    """The output columns of a join."""
    return inputs.rows[0].types if spec.join_type in ("SEMI", "ANTI") else inputs.all_types


def timestamp(value: int, columns: Columns, path: Path) -> Iterator[Fault]:
    """Fault of a column index that does not refer to a timestamp."""
    yield from index(value, columns, path)
    if 0 <= value < len(columns) and not isinstance(columns[value], TimestampBase):
        message = f"column {value} is {columns[value]}, and a time is needed"
        yield Fault(path, message, "name a TIMESTAMP or TIMESTAMP_LTZ column", value)


def rowtime(value: int, columns: Columns, path: Path) -> Iterator[Fault]:
    """Fault of a column index that does not refer to a rowtime attribute."""
    faults = list(timestamp(value, columns, path))
    yield from faults
    type_ = None if faults else columns[value]
    if isinstance(type_, TimestampBase) and type_.kind is not TimeKind.ROWTIME:
        message = f"column {value} of type {type_} has no watermark"
        yield Fault(path, message, "name the column of the table's WATERMARK", value)


def lengths(name: str, count: int, wanted: int, noun: str) -> Iterator[Fault]:
    """Fault of a list whose length is not `wanted`."""
    if count != wanted:
        yield Fault((name,), f"{count} values for {wanted} {noun}", f"one for each of the {noun}", count)


def expressions(
    rexes: Sequence[RexNode], columns: Columns, wanted: Sequence[LogicalType] | None, path: Path
) -> Iterator[Fault]:
    """Faults of expressions over columns; with `wanted`, also of their types."""
    for at, rex in enumerate(rexes):
        yield from expression_faults(rex, columns, (*path, at), wanted[at] if wanted is not None else None)
