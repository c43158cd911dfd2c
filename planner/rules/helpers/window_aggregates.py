"""Window aggregation: aggregates by window columns become operators per window.

An aggregate over a window table function assigns the windows itself, unless a node between the two reads them.

Source: Flink's page "Window Aggregation"; Flink 2.3's plans.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from compiled_plan.planner.algebra.nodes import Aggregate, AggregateCall, Expand, Filter, Project, RelNode
from compiled_plan.planner.algebra.plain_times import plain
from compiled_plan.planner.algebra.rows import identity, named_row
from compiled_plan.planner.algebra.windows import ByTime, Property, WindowAggregate, Windowing, WindowKind, WindowTable
from compiled_plan.planner.rules.helpers.window_columns import WindowColumns, Windows
from compiled_plan.plans.errors import ProgramWarning
from compiled_plan.plans.rex import InputRef, RexNode, input_refs, map_inputs, type_of
from compiled_plan.plans.types import Field, RowType, TimestampBase, TimestampType
from compiled_plan.plans.types.temporal import is_attribute, is_rowtime

_STAMP = TimestampType(precision=3, nullable=False)


def as_window_aggregate(rel: Aggregate, windows: Windows) -> RelNode | None:
    """Window aggregate for an aggregate by a window's start and end; None for another aggregate."""
    shown = windows.of(rel.input)
    grouped = frozenset(rel.grouping)
    if shown is None or not shown.has_bounds(grouped):
        _warn_of_missing_bound(rel)
        return None
    keys = tuple(index for index in rel.grouping if index not in shown.every)
    if shown.window.is_session and set(keys) != set(shown.window.partition):
        # A session is only defined for rows of its own partition.
        return None
    source, calls = _with_plain_times(rel, shown.times & grouped)
    read = {index for call in calls for index in (*call.args, call.filter) if index is not None}
    placed = None if read & shown.every else _without_windows(source, windows)
    windowing: Windowing
    if placed is None:
        window = windows.of(source)
        assert window is not None
        windowing = window.attached
    else:
        source, windowing = placed.rel, placed.windowing
        keys = tuple(placed.place[index] for index in keys)
        calls = tuple(call.moved(placed.place.__getitem__) for call in calls)
    return _above_windows(rel, _Parts(source, keys, calls, windowing), shown, grouped)


def _warn_of_missing_bound(rel: Aggregate) -> None:
    """Warn of an aggregate by one bound of a window: valid, but its groups never end."""
    bounds = {name for index in rel.grouping for name in _bound_of(rel.input, index)}
    if len(bounds) != 1 or not rel.where:  # DISTINCT has no place
        return
    (bound,) = bounds
    missing = "window_end" if bound == "window_start" else "window_start"
    message = f"GROUP BY with {bound} and without {missing} aggregates no windows: no group ends or leaves the state"
    remedy = f"group by {missing}, too, if each window is meant to have its result once, at its end"
    warnings.warn(f"{message}\n  at: {rel.where}\n  try: {remedy}", ProgramWarning, stacklevel=2)


def _bound_of(rel: RelNode, index: int) -> tuple[str, ...]:
    """The bound of a window table function that a column passes on; empty for other columns."""
    while isinstance(rel, Filter | Project):
        if isinstance(rel, Project):
            rex = rel.exprs[index]
            if not isinstance(rex, InputRef):
                return ()
            index = rex.index
        rel = rel.input
    bounds = ("window_start", "window_end")
    width = len(rel.row_type.fields)
    return bounds[index - width + 3 : index - width + 4] if isinstance(rel, WindowTable) and index >= width - 3 else ()


@dataclass(frozen=True, slots=True)
class _Parts:
    """Parts of a window aggregate."""

    source: RelNode
    keys: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    windowing: Windowing


def _above_windows(rel: Aggregate, parts: _Parts, shown: WindowColumns, grouped: frozenset[int]) -> RelNode:
    """The window aggregate, below the columns of the aggregate that it replaces."""
    time = replace(shown.time, nullable=False)
    properties = [("window_start", Property.START), ("window_end", Property.END)]
    stamps: list[TimestampBase] = [_STAMP, _STAMP]
    if shown.times & grouped:
        properties.append(("window_time", Property.ROWTIME if is_rowtime(time) else Property.PROCTIME))
        stamps.append(time)
    input_type = parts.source.row_type
    own = rel.columns.fields
    calls = own[len(rel.grouping) :]
    names = (
        *(input_type.names[index] for index in parts.keys),
        *(item.name for item in calls),
        *(name for name, _ in properties),
    )
    types = (
        *(input_type.types[index] for index in parts.keys),
        *(call.type for call in parts.calls),
        *stamps,
    )
    row = named_row(names, types)
    first = len(parts.keys) + len(parts.calls)
    named = tuple((name, kind) for name, (_, kind) in zip(row.names[first:], properties, strict=True))
    below = WindowAggregate(parts.source, parts.keys, parts.calls, parts.windowing, named, row, where=rel.where)
    refs = identity(row)
    following = iter(refs[: len(parts.keys)])
    exprs: list[RexNode] = []
    for index in rel.grouping:
        if index in shown.starts:
            exprs.append(refs[first])
        elif index in shown.ends:
            exprs.append(refs[first + 1])
        elif index in shown.times:
            exprs.append(refs[first + 2])
        else:
            exprs.append(next(following))
    exprs += refs[len(parts.keys) : first]
    fields = tuple(Field(item.name, type_of(rex), item.comment) for item, rex in zip(own, exprs, strict=True))
    return Project(below, tuple(exprs), RowType(fields=fields))


def _with_plain_times(rel: Aggregate, times: frozenset[int]) -> tuple[RelNode, tuple[AggregateCall, ...]]:
    """The input with plain timestamps for its time attributes, except `times`, and the calls over it."""
    row = rel.input.row_type
    exprs: list[RexNode] = [rex if rex.index in times else plain(rex) for rex in identity(row)]
    names = list(row.names)
    copies: dict[int, int] = {}

    def place(index: int) -> int:
        if index not in times or not is_attribute(row.types[index]):
            return index
        if index not in copies:
            copies[index] = len(exprs)
            exprs.append(plain(InputRef(index, row.types[index])))
            names.append(row.names[index])
        return copies[index]

    calls = tuple(replace(call, args=tuple(map(place, call.args)), type=call.type.as_regular()) for call in rel.calls)
    if tuple(exprs) == identity(row):
        return rel.input, calls
    return Project(rel.input, tuple(exprs), named_row(names, tuple(map(type_of, exprs)))), calls


# --- a window table function taken into the aggregate above it ------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Placed:
    """Rows before window assignment: `place` has the new positions of columns that are not window columns."""

    rel: RelNode
    place: Mapping[int, int]
    windowing: ByTime


def _without_windows(rel: RelNode, windows: Windows) -> _Placed | None:
    """The rows below a window table function; None if a node above it reads the windows."""
    if isinstance(rel, WindowTable):
        if rel.window.kind is WindowKind.HOP and (rel.window.step or 0) > rel.window.size:
            # Some rows have no window.
            return None
        time = rel.input.row_type.types[rel.index]
        assert isinstance(time, TimestampBase)
        place = {at: at for at in range(len(rel.input.row_type.fields))}
        return _Placed(rel.input, place, ByTime(rel.window, time, rel.index))
    if not isinstance(rel, Filter | Project | Expand):
        return None
    shown = windows.of(rel.input)
    below = _without_windows(rel.input, windows)
    if below is None or shown is None:
        return None
    match rel:
        case Filter():
            if input_refs(rel.condition) & shown.every:
                return None
            return replace(below, rel=Filter(below.rel, map_inputs(rel.condition, below.place.__getitem__)))
        case Project():
            return _projected(
                rel.columns, (rel.exprs,), shown, below, lambda rows, row: Project(below.rel, rows[0], row)
            )
        case Expand():
            mark = rel.columns.fields[rel.expand_id].name

            def expand(rows: tuple[tuple[RexNode, ...], ...], row: RowType) -> RelNode:
                return Expand(below.rel, rows, row, row.names.index(mark))

            return _projected(rel.columns, rel.projects, shown, below, expand)


def _projected(
    columns: RowType,
    rows: Sequence[Sequence[RexNode]],
    shown: WindowColumns,
    below: _Placed,
    make: Callable[[tuple[tuple[RexNode, ...], ...], RowType], RelNode],
) -> _Placed | None:
    """The projection (or several, of an Expand) without window columns, including the time attribute."""
    cells = list(zip(*rows, strict=True))
    readable: list[int] = []
    for at, column in enumerate(cells):
        read = frozenset().union(*map(input_refs, column))
        if not read & shown.every:
            readable.append(at)
        elif not all(isinstance(rex, InputRef) for rex in column):
            return None
    moved = [tuple(map_inputs(rex, below.place.__getitem__) for rex in cells[at]) for at in readable]
    fields = [columns.fields[at] for at in readable]
    windowing = below.windowing
    item = below.rel.row_type.fields[windowing.index]
    time = InputRef(windowing.index, item.type)
    places = [at for at, column in enumerate(moved) if all(rex == time for rex in column)]
    index = places[0] if places else len(moved)
    if not places:
        moved.append((time,) * len(rows))
        fields.append(Field(_new_name(item.name, [field.name for field in fields]), item.type))
    place = {old: new for new, old in enumerate(readable)}
    partition: list[int] = []
    for key in windowing.window.partition:
        key_places = [at for at, column in enumerate(moved) if all(_is_column(rex, key) for rex in column)]
        if not key_places:
            return None
        partition.append(key_places[0])
    window = replace(windowing.window, partition=tuple(sorted(partition)))
    rel = make(tuple(zip(*moved, strict=True)), RowType(fields=tuple(fields)))
    return _Placed(rel, place, ByTime(window, windowing.time, index))


def _is_column(rex: RexNode, index: int) -> bool:
    return isinstance(rex, InputRef) and rex.index == index


def _new_name(name: str, taken: Sequence[str]) -> str:
    number, unique = 0, name
    while unique in taken:
        unique = f"{name}_{number}"
        number += 1
    return unique
