"""What the kernel is told of an operator: a frozen dataclass each, and the one function that writes them as JSON.

The dataclass of an operator stands beside its lowering; its fields are those that the operator's class in the kernel
reads, in camel case. The kernel refuses a field that it does not read, and asks for one that is missing, so that the
two sides cannot drift apart.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.nodes.specs import SortField
    from compiled_plan.plans.types import LogicalType


class Parameters:
    """Base of what the kernel is told of one type of operator; `TYPE` is the operator's name there."""

    TYPE: ClassVar[str]


@dataclass(frozen=True, slots=True)
class JoinedCondition:
    """A condition over the concatenated columns of inputs, evaluated inside the stage."""

    types: tuple[LogicalType, ...]
    make: Callable[[Sequence[Column]], Column]


@dataclass(frozen=True, slots=True)
class SortColumn:
    """A column that rows are sorted by."""

    index: int
    ascending: bool
    nulls_last: bool


def sort_columns(fields: Sequence[SortField]) -> tuple[SortColumn, ...]:
    """The sort columns of a plan node."""
    return tuple(SortColumn(field.index, field.is_ascending, field.null_is_last) for field in fields)


@dataclass(frozen=True, slots=True)
class ValueType:
    """A type of values in state, by the kernel's names.

    Args:
        kind: of the kernel's `ValueType.Kind`.
        precision: digits of a DECIMAL.
        scale: of them, those after the point.
        children: the fields of a ROW, the element of an ARRAY, key and value of a MAP.
    """

    kind: str
    precision: int = 0
    scale: int = 0
    children: tuple[ValueType, ...] = ()


@dataclass(frozen=True, slots=True)
class PythonAggregate:
    """An aggregate function in Python.

    Args:
        executable: the Python that runs the worker.
        program: the worker's text, run with `-c`.
        payload: the pickled function, base64.
        token: equal for equal payloads.
        skips: arguments whose null leaves the row out.
        accumulator: the type of its accumulator; None if Python alone can read it.
    """

    executable: str
    program: str
    payload: str
    token: str
    skips: tuple[int, ...]
    accumulator: ValueType | None = None


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A call of an aggregate function.

    Args:
        function: its name in the plan, such as `$SUM$1`.
        args: columns of its arguments.
        filter: the column of its FILTER; -1 for none.
        distinct: whether each value counts once.
        need_retract: whether rows may be taken back.
        ignore_nulls: ARRAY_AGG's option.
        python: the function, where it is one in Python.
    """

    function: str
    args: tuple[int, ...]
    filter: int = -1
    distinct: bool = False
    need_retract: bool = False
    ignore_nulls: bool = False
    python: PythonAggregate | None = None


def to_dict(value: object, condition: Callable[[JoinedCondition], object]) -> Any:
    """Parameters, or a part of them, as JSON has them.

    Args:
        value: a dataclass of this package, or what one holds.
        condition: writes a condition.
    """
    if isinstance(value, JoinedCondition):
        return condition(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = (field.name for field in dataclasses.fields(value))
        return {camel(name): to_dict(getattr(value, name), condition) for name in names}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [to_dict(item, condition) for item in value]
    assert not isinstance(value, Mapping)
    return value


def camel(name: str) -> str:
    """`need_retract` as `needRetract`."""
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))
