"""Window table functions: TUMBLE, HOP, CUMULATE and SESSION in FROM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from compiled_plan.planner.algebra.windows import Window, WindowKind, WindowTable
from compiled_plan.planner.diagnostics.suggestions import did_you_mean
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder, Bound, Context
from compiled_plan.planner.sql.binding.expressions import bind
from compiled_plan.plans.rex import Literal, type_of
from compiled_plan.plans.types import DayTimeIntervalType, IntervalType, TimestampBase

#: The arguments of each function in order, for calls by position and by name; OFFSET is optional.
_ARGUMENTS = {
    WindowKind.TUMBLE: ("DATA", "TIMECOL", "SIZE", "OFFSET"),
    WindowKind.HOP: ("DATA", "TIMECOL", "SLIDE", "SIZE", "OFFSET"),
    WindowKind.CUMULATE: ("DATA", "TIMECOL", "STEP", "SIZE", "OFFSET"),
    WindowKind.SESSION: ("DATA", "TIMECOL", "GAP"),
}
WINDOW_TABLE_FUNCTIONS = frozenset(kind.value for kind in WindowKind)

#: Binds the table or query that an argument names.
BindTable = Callable[[ast.Relation], Bound]
#: Binds a call of a function over a table.
BindFunction = Callable[[Binder, ast.Call, Context, BindTable], Bound]


@dataclass(frozen=True)
class _Arguments:
    """A call's arguments by name."""

    binder: Binder
    call: ast.Call
    nodes: dict[str, ast.Expression]
    context: Context

    def lengths(self, *names: str) -> list[int | None]:
        """The interval arguments of these names in milliseconds; None for an omitted one.

        Raises:
            ProgramError: one is no constant interval of days to seconds.
        """
        return [None if name not in self.nodes else self._length(self.nodes[name]) for name in names]

    def length(self, name: str) -> int:
        """As `lengths`, for one required argument."""
        return self._length(self.nodes[name])

    def _length(self, node: ast.Expression) -> int:
        rex = bind(self.binder, node, self.context)
        type_ = type_of(rex)
        if not isinstance(type_, IntervalType):
            raise self.binder.source.error(
                node, f"{self.call.name} needs an interval here, not {type_}", "write INTERVAL '10' MINUTE"
            )
        if not isinstance(type_, DayTimeIntervalType):
            raise self.binder.source.error(
                node,
                "windows have a length in SECOND, MINUTE, HOUR or DAY; MONTH and YEAR are not supported",
                "write the length in days",
            )
        if not isinstance(rex, Literal) or rex.value is None:
            raise self.binder.source.error(
                node, "only constant window lengths are supported", "write the interval as a literal"
            )
        return int(str(rex.value))


def bind_window_table(binder: Binder, call: ast.Call, context: Context, bind_table: BindTable) -> Bound:
    """A window table function over its table: that table's columns, then window_start, window_end and window_time.

    Raises:
        ProgramError: wrong arguments; a time column that is unknown or no timestamp; inconsistent lengths.
    """
    kind = WindowKind(call.name)
    arguments = _by_name(binder, call, kind)
    table: ast.Node = arguments["DATA"]
    partition_by: tuple[ast.Expression, ...] = ()
    if isinstance(table, ast.TableArgument):
        if table.order is not None:
            raise binder.source.error(table, f"the table of {call.name} takes no ORDER BY", "leave it out")
        partition_by = table.partition_by
        table = table.table
    if partition_by and kind is not WindowKind.SESSION:
        raise binder.source.error(
            call,
            f"the table of {call.name} takes no PARTITION BY: only SESSION windows are made per partition",
            "leave PARTITION BY out; group by the columns instead",
        )
    if not isinstance(table, ast.TableRef | ast.Subquery):
        raise binder.source.error(table, f"{call.name} needs a table", "write TABLE name, or a query in parentheses")
    data = bind_table(table)
    partition = tuple(partition_column(binder, item, data) for item in partition_by)
    time = _time_column(binder, call, arguments["TIMECOL"], data)
    window = _WINDOWS[kind](_Arguments(binder, call, arguments, context), partition)
    rel = WindowTable(data.rel, window, time, where=binder.source.where(call))
    return Bound(rel, (*data.names, "window_start", "window_end", "window_time"))


# --- arguments ------------------------------------------------------------------------------------------------------


def _by_name(binder: Binder, call: ast.Call, kind: WindowKind) -> dict[str, ast.Expression]:
    names = _ARGUMENTS[kind]
    arguments = call.arguments
    by_name: dict[str, ast.Expression] = {}
    if any(isinstance(item, ast.NamedArgument) for item in arguments):
        for item in arguments:
            if not isinstance(item, ast.NamedArgument):
                raise binder.source.error(item, "arguments by name and by position cannot be mixed")
            name = item.name.upper()
            if name not in names or name in by_name:
                raise binder.source.error(
                    item, f"{call.name} has no argument {item.name!r} to give here", did_you_mean(name, names)
                )
            by_name[name] = item.value
    else:
        by_name = dict(zip(names, arguments, strict=False))
    missing = [name for name in names if name not in by_name and name != "OFFSET"]
    if missing or len(arguments) > len(names):
        listed = ", ".join(name for name in names if name != "OFFSET")
        raise binder.source.error(
            call,
            f"invalid number of arguments to {call.name}: {len(arguments)} given",
            f"write {call.name}({listed}{', OFFSET' if 'OFFSET' in names else ''}), OFFSET being optional"
            if "OFFSET" in names
            else f"write {call.name}({listed})",
        )
    return by_name


def _time_column(binder: Binder, call: ast.Call, node: ast.Expression, data: Bound) -> int:
    if not isinstance(node, ast.Descriptor):
        raise binder.source.error(node, f"{call.name} needs the time column here", "write DESCRIPTOR(column)")
    names = node.columns
    if len(names) != 1:
        raise binder.source.error(node, f"{call.name} takes one time column", "name one column in DESCRIPTOR")
    index = _column(binder, names[0], data)
    type_ = data.types[index]
    if not isinstance(type_, TimestampBase):
        raise binder.source.error(
            node,
            f"{call.name} requires the time column to be TIMESTAMP or TIMESTAMP_LTZ, but it is {type_}",
            "declare a column of the table for it, such as rt AS TO_TIMESTAMP_LTZ(n, 3) with WATERMARK FOR rt AS rt",
        )
    if not type_.is_time_attribute:
        raise not_a_time_attribute(binder, node, call.name, str(type_))
    return index


def not_a_time_attribute(binder: Binder, node: ast.Expression, consumer: str, type_: str) -> Exception:
    """The error for a window over a column that is a plain timestamp."""
    return binder.source.error(
        node,
        f"{consumer} requires a time attribute, but the column is a plain {type_}",
        "declare WATERMARK FOR the column in CREATE TABLE, or use a column AS PROCTIME()",
    )


def partition_column(binder: Binder, node: ast.Expression, data: Bound) -> int:
    """The index of a column in PARTITION BY.

    Raises:
        ProgramError: it is no column, or not one of the table.
    """
    if not isinstance(node, ast.ColumnRef) or len(node.parts) > 1:
        raise binder.source.error(node, "PARTITION BY of a window takes columns", "compute it in a subquery")
    return _column(binder, node.parts[0], data)


def _column(binder: Binder, name: ast.Identifier, data: Bound) -> int:
    places = [at for at, column in enumerate(data.names) if column == name.name]
    if not places:
        raise binder.source.error(
            name, f"column {name.name!r} not found in the table", did_you_mean(name.name, data.names)
        )
    if len(places) > 1:
        raise binder.source.error(name, f"column {name.name!r} is ambiguous", "give the columns aliases")
    return places[0]


# --- windows --------------------------------------------------------------------------------------------------------


def _check(arguments: _Arguments, sizes: Sequence[tuple[str, int]], offset: int | None, size: int) -> None:
    for name, value in sizes:
        if value <= 0:
            raise arguments.binder.source.error(
                arguments.nodes[name],
                f"{arguments.call.name} requires {name.lower()} to be positive, but got {value} ms",
            )
    if offset is not None and abs(offset) >= size:
        raise arguments.binder.source.error(
            arguments.nodes["OFFSET"],
            f"{arguments.call.name} must satisfy abs(offset) < size, but got size {size} ms and offset {offset} ms",
        )


def _tumble(arguments: _Arguments, partition: tuple[int, ...]) -> Window:
    size = arguments.length("SIZE")
    (offset,) = arguments.lengths("OFFSET")
    _check(arguments, [("SIZE", size)], offset, size)
    return Window(WindowKind.TUMBLE, size, None, offset)


def _hop(arguments: _Arguments, partition: tuple[int, ...]) -> Window:
    slide, size = arguments.length("SLIDE"), arguments.length("SIZE")
    (offset,) = arguments.lengths("OFFSET")
    _check(arguments, [("SLIDE", slide), ("SIZE", size)], offset, size)
    return Window(WindowKind.HOP, size, slide, offset)


def _cumulate(arguments: _Arguments, partition: tuple[int, ...]) -> Window:
    step, size = arguments.length("STEP"), arguments.length("SIZE")
    (offset,) = arguments.lengths("OFFSET")
    _check(arguments, [("STEP", step), ("SIZE", size)], offset, size)
    if size % step:
        raise arguments.binder.source.error(
            arguments.nodes["SIZE"],
            f"CUMULATE requires its size to be an integral multiple of step, but got {size} ms and step {step} ms",
            "make the size a multiple of the step",
        )
    return Window(WindowKind.CUMULATE, size, step, offset)


def _session(arguments: _Arguments, partition: tuple[int, ...]) -> Window:
    gap = arguments.length("GAP")
    _check(arguments, [("GAP", gap)], None, gap)
    return Window(WindowKind.SESSION, gap, partition=partition)


_WINDOWS: dict[WindowKind, Callable[[_Arguments, tuple[int, ...]], Window]] = {
    WindowKind.TUMBLE: _tumble,
    WindowKind.HOP: _hop,
    WindowKind.CUMULATE: _cumulate,
    WindowKind.SESSION: _session,
}
