"""Legacy group windows: TUMBLE(ts, INTERVAL ...), HOP and SESSION in GROUP BY, and their auxiliary functions.

`GROUP BY TUMBLE(ts, ...)` is bound to a call `$TUMBLE$1`, `TUMBLE_START(ts, ...)` to `$TUMBLE_START$1` over the same
operands. Plans contain neither: the query block replaces the first by a window and the second by its property.

Source: Flink's page "Group Window Aggregation".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compiled_plan.planner.algebra.windows import Property, Window, WindowKind
from compiled_plan.planner.functions.casts import cast
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder, Context
from compiled_plan.planner.sql.binding.expressions import bind
from compiled_plan.plans.rex import Call, Literal, RexNode, type_of
from compiled_plan.plans.types import (
    DayTimeIntervalType,
    IntervalType,
    LogicalType,
    TimeKind,
    TimestampBase,
    TimestampLtzType,
    TimestampType,
)

#: The interval arguments of each function after the time, by their names in errors.
_LENGTHS = {"TUMBLE": ("size",), "HOP": ("slide", "size"), "SESSION": ("gap",)}
_SHOWN = {"_START": Property.START, "_END": Property.END, "_ROWTIME": Property.ROWTIME, "_PROCTIME": Property.PROCTIME}
GROUP_WINDOWS = frozenset(_LENGTHS)
#: Auxiliary functions and their window properties.
AUXILIARY = {name + suffix: shown for name in _LENGTHS for suffix, shown in _SHOWN.items()}

_STAMP = TimestampType(precision=3, nullable=False)
_CLOCK = TimestampLtzType(precision=3, kind=TimeKind.PROCTIME)


@dataclass(frozen=True, slots=True)
class GroupWindow:
    """A window of GROUP BY: its call, its time, and its lengths."""

    call: Call
    time: RexNode
    window: Window

    @property
    def time_type(self) -> TimestampBase:
        type_ = type_of(self.time)
        assert isinstance(type_, TimestampBase)
        return type_

    @property
    def properties(self) -> tuple[tuple[str, Property], ...]:
        """The properties in an aggregate by the window, with their column names."""
        properties = [("w$start", Property.START), ("w$end", Property.END), ("w$rowtime", Property.ROWTIME)]
        if self.time_type.kind is TimeKind.PROCTIME:
            properties.pop()
        return (*properties, ("w$proctime", Property.PROCTIME))

    def property_type(self, shown: Property) -> LogicalType:
        """The type of a window property."""
        return _property_type(shown, self.time_type)

    def shows(self, rex: RexNode) -> Property | None:
        """The property that an auxiliary call over the same operands returns; None for another expression."""
        if not is_auxiliary(rex) or not isinstance(rex, Call):
            return None
        name = rex.name[1:-2]
        base = name.rsplit("_", 1)[0]
        return AUXILIARY[name] if (f"${base}$1", rex.operands) == (self.call.name, self.call.operands) else None


def is_auxiliary(rex: RexNode) -> bool:
    """Return True for a call of TUMBLE_START or another auxiliary function."""
    return isinstance(rex, Call) and rex.name.startswith("$") and rex.name[1:-2] in AUXILIARY


def bind_group_window(binder: Binder, node: ast.Call, context: Context) -> RexNode:
    """A window function of GROUP BY, or an auxiliary function.

    Raises:
        ProgramError: it is not allowed here; the time is no time attribute; wrong lengths.
        UnsupportedError: a window with an alignment.
    """
    base = node.name if node.name in GROUP_WINDOWS else node.name.rsplit("_", 1)[0]
    if node.name in GROUP_WINDOWS and context.clause != "GROUP BY clause":
        raise binder.source.error(
            node, f"group function {node.name} can only appear in GROUP BY", f"select {node.name}_START(...) instead"
        )
    if node.name in AUXILIARY and not context.aggregates:
        raise binder.source.error(
            node, f"{node.name} cannot stand in {context.clause}", "use it where the query's groups are selected"
        )
    inside = context.without_aggregates(f"the arguments of {node.name}")
    operands = tuple(bind(binder, argument, inside) for argument in node.arguments)
    names = _LENGTHS[base]
    if (base != "SESSION" and len(operands) == len(names) + 2) or (base == "SESSION" and len(operands) == 3):
        raise binder.source.unsupported(
            node, f"{base} with an alignment", "use the window table function, which takes an offset"
        )
    if len(operands) != len(names) + 1:
        listed = ", ".join(("time", *names))
        raise binder.source.error(
            node, f"invalid number of arguments to {node.name}: {len(operands)} given", f"write {node.name}({listed})"
        )
    time = type_of(operands[0])
    if not isinstance(time, TimestampBase) or not time.is_time_attribute:
        raise binder.source.error(
            node.arguments[0],
            f"{base} in GROUP BY needs a time attribute, but the column is {time}",
            "declare WATERMARK FOR the column in CREATE TABLE, or use a column AS PROCTIME()",
        )
    for argument, rex in zip(node.arguments[1:], operands[1:], strict=True):
        _check_length(binder, argument, rex)
    if node.name in GROUP_WINDOWS:
        return Call(f"${node.name}$1", operands, time)
    shown = AUXILIARY[node.name]
    if shown is Property.ROWTIME and time.kind is not TimeKind.ROWTIME:
        raise binder.source.error(
            node, f"{node.name} needs a window over event time", f"use {base}_PROCTIME or {base}_END"
        )
    return Call(f"${node.name}$1", operands, _property_type(shown, time))


def group_window(binder: Binder, node: ast.Node | None, keys: Sequence[RexNode]) -> GroupWindow | None:
    """The window among the keys of a GROUP BY, or None.

    Raises:
        ProgramError: there are two.
    """
    windows = [key for key in keys if isinstance(key, Call) and key.name[1:-2] in GROUP_WINDOWS]
    if not windows:
        return None
    if len(windows) > 1:
        raise binder.source.error(
            node, "only a single window group function may be used in GROUP BY", "aggregate by one of them, then again"
        )
    (call,) = windows
    kind = WindowKind(call.name[1:-2])
    lengths = [_milliseconds(rex) for rex in call.operands[1:]]
    window = Window(kind, lengths[-1], lengths[0] if kind is WindowKind.HOP else None)
    return GroupWindow(call, call.operands[0], window)


def start_of(window: GroupWindow) -> RexNode:
    """A placeholder for the window among the keys, which no query can read."""
    return cast(Literal(None, window.time_type.as_regular().with_nullability(True)), window.time_type.as_regular())


def _property_type(shown: Property, time: TimestampBase) -> LogicalType:
    if shown is Property.ROWTIME:
        return time
    return _CLOCK if shown is Property.PROCTIME else _STAMP


def _check_length(binder: Binder, node: ast.Node, rex: RexNode) -> None:
    type_ = type_of(rex)
    if not isinstance(type_, IntervalType):
        raise binder.source.error(node, f"a window needs an interval here, not {type_}", "write INTERVAL '10' MINUTE")
    if not isinstance(type_, DayTimeIntervalType):
        raise binder.source.error(
            node,
            "windows have a length in SECOND, MINUTE, HOUR or DAY; MONTH and YEAR are not supported",
            "write the length in days",
        )
    if not isinstance(rex, Literal) or rex.value is None:
        raise binder.source.error(node, "only constant window lengths are supported", "write the interval as a literal")
    if _milliseconds(rex) <= 0:
        raise binder.source.error(node, "the length of a window must be positive", "write a longer interval")


def _milliseconds(rex: RexNode) -> int:
    assert isinstance(rex, Literal)
    return int(str(rex.value))
