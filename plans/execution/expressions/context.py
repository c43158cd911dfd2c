"""The context of row expressions, beside their inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from pyspark.sql import functions as F

from compiled_plan.plans import rex as r
from compiled_plan.plans import types as t
from compiled_plan.plans.errors import UnsupportedError

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.rex import Call

UserFunction = Callable[["Call", tuple["Column", ...]], "Column | None"]
"""Translates a call of a user function; None if the function is unknown."""


class JavaCalls(Protocol):
    """Translator of calls of functions in Java."""

    def column(self, call: Call, arguments: Sequence[Column], where: str, *, is_table: bool = False) -> Column:
        """The column of a call; of a table function, an array of structs `v0`, `v1`, ...."""


@dataclass(frozen=True)
class ExpressionContext:
    """The context of an expression.

    Args:
        time_zone: the plan's session time zone (`table.local-time-zone`), a Java zone id. Spark's own session time
                zone is always UTC (see `functions.register`).
        proctime: the TIMESTAMP column that PROCTIME() and CURRENT_TIMESTAMP read; by default the batch's time.
        correlated: the struct column of each correlation variable, by name.
        counted: the number of rows before the current one, for RAND with a seed; None if rows are not counted.
        user_function: translates calls of functions in Python.
        java: the Java functions of the plan.
        current_watermark: the BIGINT column that CURRENT_WATERMARK reads, in ms; only rows directly from a source have
            one.
        where: the node, for errors.
    """

    time_zone: str = "UTC"
    proctime: Column | None = None
    correlated: Mapping[str, Column] = field(default_factory=dict)
    counted: Column | None = None
    user_function: UserFunction | None = None
    java: JavaCalls | None = None
    current_watermark: Column | None = None
    where: str = ""

    def now(self) -> Column:
        """The time as TIMESTAMP: one value per batch."""
        return F.current_timestamp() if self.proctime is None else self.proctime

    def unsupported(self, message: str, remedy: str = "") -> UnsupportedError:
        """An error about a part of an expression of this node."""
        return UnsupportedError(message, where=self.where, remedy=remedy)


def operand_types(call: Call) -> tuple[t.LogicalType, ...]:
    return tuple(r.type_of(operand) for operand in call.operands)


def is_time(type_: t.LogicalType) -> bool:
    return isinstance(type_, t.DateType | t.TimeType | t.TimestampBase | t.IntervalType)
