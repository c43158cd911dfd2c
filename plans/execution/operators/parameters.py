"""Parameters of the kernel's operators: one frozen dataclass each, and the function that writes them as JSON.

An operator's dataclass is beside its lowering; its fields are those that the operator's class in the kernel reads, in
camel case. The kernel refuses unread fields and requires missing ones, so that the two sides cannot diverge.
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
    """Base of the parameters of one type of operator; `TYPE` is the operator's name in the kernel."""

    TYPE: ClassVar[str]


@dataclass(frozen=True, slots=True)
class JoinedCondition:
    """A condition over the concatenated columns of inputs, evaluated inside the stage."""

    types: tuple[LogicalType, ...]
    make: Callable[[Sequence[Column]], Column]


@dataclass(frozen=True, slots=True)
class SortColumn:
    """A column to sort by."""

    index: int
    ascending: bool
    nulls_last: bool


def sort_columns(fields: Sequence[SortField]) -> tuple[SortColumn, ...]:
    return tuple(SortColumn(field.index, field.is_ascending, field.null_is_last) for field in fields)


@dataclass(frozen=True, slots=True)
class ValueType:
    """A type of values in state, in the kernel's terms.

    Args:
        kind: a name of the kernel's `ValueType.Kind`.
        precision: digits of a DECIMAL.
        scale: digits after the point.
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
        skips: arguments for which a null skips the row.
        accumulator: the type of its accumulator; None if only Python can read it.
    """

    executable: str
    program: str
    payload: str
    token: str
    skips: tuple[int, ...]
    accumulator: ValueType | None = None


@dataclass(frozen=True, slots=True)
class JavaAggregate:
    """An aggregate function in Java.

    Args:
        function: the call as JSON, for the kernel's `FunctionSpec`.
        accumulator: the type of its accumulator.
    """

    function: str
    accumulator: ValueType


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A call of an aggregate function.

    Args:
        function: its name in the plan, such as `$SUM$1`.
        args: columns of its arguments.
        filter: the column of its FILTER; -1 for none.
        distinct: True if each value counts once.
        need_retract: True if rows may be retracted.
        ignore_nulls: ARRAY_AGG's option.
        python: the function, if it is one in Python.
        java: the function, if it is one in Java.
    """

    function: str
    args: tuple[int, ...]
    filter: int = -1
    distinct: bool = False
    need_retract: bool = False
    ignore_nulls: bool = False
    python: PythonAggregate | None = None
    java: JavaAggregate | None = None


def to_dict(value: object, condition: Callable[[JoinedCondition], object]) -> Any:
    """Parameters, or a part of them, as JSON.

    Args:
        value: a dataclass of this package, or the value of a field.
        condition: serialises a condition.
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
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))
