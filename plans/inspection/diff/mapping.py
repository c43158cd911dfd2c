"""Mapping of a new operator's columns and calls to the state of its predecessor.

Operators and their state refer to columns by position. A changed projection moves, adds and removes columns; their
meaning (`plans.inspection.lineage`) identifies them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from compiled_plan.plans.inspection.lineage.drafting import zone_or_default
from compiled_plan.plans.inspection.lineage.expressions import Scope, meaning_of
from compiled_plan.plans.inspection.lineage.kernel_operators import ColumnSource, Computed, KernelInput, KernelOperator
from compiled_plan.plans.inspection.lineage.meaning import Meaning, compose, counts_rows, is_null, type_text
from compiled_plan.plans.inspection.lineage.plans import flows_of
from compiled_plan.plans.inspection.lineage.rows import Port, Rows, sides
from compiled_plan.plans.inspection.lineage.shifts import Shift, relate
from compiled_plan.plans.inspection.lineage.table_identity import by_name
from compiled_plan.plans.inspection.operators.calls import call_of
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.text.hadoop_paths import at_rest


@dataclass(frozen=True, slots=True, order=True)
class OldColumn:
    """A column of an old operator's input, by position."""

    input: int
    column: int


@dataclass(frozen=True, slots=True)
class StateMapping:
    """Positions of a new operator's columns and calls in the state of an old one."""

    source: str
    target: str
    #: For each column of each new input the old column; None if there was none.
    inputs: tuple[tuple[OldColumn | None, ...], ...]
    calls: tuple[int | None, ...] = ()  # for each new call the position of the old call; None if there was none
    names: tuple[tuple[str, ...], ...] = ()  # meanings of the columns, in words
    call_names: tuple[str, ...] = ()  # meanings of the calls, in words
    #: For each column of each new input, True if it needs no old column because it is always NULL.
    unwanted: tuple[tuple[bool, ...], ...] = ()
    #: The same for calls; COUNT(*) needs no old call because rows are counted anyway.
    unwanted_calls: tuple[bool, ...] = ()
    dropped: tuple[str, ...] = ()  # old columns and calls without a successor, in words

    @property
    def is_identity(self) -> bool:
        """Return True if every column and call keeps its position, and nothing is dropped."""
        return (
            not self.dropped
            and all(
                column == OldColumn(input_, at)
                for input_, columns in enumerate(self.inputs)
                for at, column in enumerate(columns)
            )
            and all(call == at for at, call in enumerate(self.calls))
        )

    @property
    def new_columns(self) -> tuple[str, ...]:
        """Columns and calls that are stored from now on and were not before, in words."""
        columns = [
            name
            for names, old_columns in zip(self.names, self.inputs, strict=True)
            for name, column in zip(names, old_columns, strict=True)
            if column is None
        ]
        calls = [name for name, call in zip(self.call_names, self.calls, strict=True) if call is None]
        return (*columns, *calls)

    def to_dict(self) -> dict[str, object]:
        """The mapping in the kernel's JSON form."""
        return {
            "from": self.source,
            "to": self.target,
            "inputs": [
                [None if column is None else {"input": column.input, "column": column.column} for column in columns]
                for columns in self.inputs
            ],
            "calls": list(self.calls),
        }


@dataclass(frozen=True)
class KernelSide:
    """A plan with its operators in the kernel's form."""

    plan: CompiledPlan
    operators: Mapping[int, KernelOperator]  # by node
    place: Callable[[str], str] = at_rest  # resolves a path to its full name

    @cached_property
    def views(self) -> tuple[Mapping[int, Rows], Mapping[int, Rows]]:
        """Meanings of columns, with tables identified by name, and by the location of their rows."""
        return flows_of(self.plan, identity_of=by_name), flows_of(self.plan, self.place)

    def columns(self, node: int) -> list[list[_ColumnMeaning]]:
        """Meanings of the columns of each input of an operator."""
        operator = self.operators[node]
        ports = [self._ports(operator, view) for view in self.views]
        return [
            [
                _ColumnMeaning(
                    tuple(self._meaning(operator.reader, port_list[at], source) for port_list in ports),
                    type_text(type_),
                )
                for source, type_ in zip(input_.sources, input_.types, strict=True)
            ]
            for at, input_ in enumerate(operator.inputs)
        ]

    def calls(self, node: int) -> list[_ColumnMeaning]:
        """Meanings of an operator's aggregate calls."""
        operator = self.operators[node]
        meanings = []
        for call in operator.calls:
            views = []
            for view in self.views:
                (port, *_), (input_, *_) = self._ports(operator, view), operator.inputs
                views.append(call_of(call, partial(self._source, operator.reader, port, input_)))
            meanings.append(_ColumnMeaning(tuple(views), type_text(call.type)))
        return meanings

    def _ports(self, operator: KernelOperator, view: Mapping[int, Rows]) -> tuple[Port, ...]:
        return sides([view[below.id] for below in self.plan.inputs(operator.reader)])

    def _source(self, reader: int, port: Port, input_: KernelInput, at: int) -> Meaning:
        return self._meaning(reader, port, input_.sources[at])

    def _meaning(self, reader: int, port: Port, source: ColumnSource) -> Meaning:
        match source:
            case int():
                return port.column(source)
            case Computed():
                parts = [port.column(at) for at in source.columns]
                shown = ", ".join(part.text for part in parts)
                return compose("computed", parts, source.how, text=f"{source.how} of {shown}")
        return meaning_of(source, Scope(port.column, zone_or_default(self.plan.node(reader))))


@dataclass(frozen=True, slots=True)
class _ColumnMeaning:
    views: tuple[Meaning, ...]
    type: str

    @property
    def text(self) -> str:
        return self.views[0].text

    def equals(self, successor: _ColumnMeaning) -> bool:
        """Return True if both have the same meaning with tables identified by name, or by location."""
        return any(
            old_view.digest == new_view.digest for old_view, new_view in zip(self.views, successor.views, strict=True)
        )

    def shift(self, successor: _ColumnMeaning) -> Shift | None:
        """The shift to a column that is computed alike, such as over rows of one more table, or with a wider type."""
        shifts = [relate(old_view, new_view) for old_view, new_view in zip(self.views, successor.views, strict=True)]
        return min((shift for shift in shifts if shift is not None), key=lambda shift: shift.value, default=None)


def mapping_of(old: KernelSide, new: KernelSide, old_node: int, new_node: int, uids: tuple[str, str]) -> StateMapping:
    """Map an operator to the state of its predecessor.

    Equal meanings match first, at the same position if several are equal; then columns that are computed alike. The
    verdict relies on the same matches: both use `lineage.shifts`. `uids` are the operator's uids in the old and the new
    state.
    """
    before, after = old.columns(old_node), new.columns(new_node)
    inputs = []
    used: set[OldColumn] = set()
    for at, columns in enumerate(after):
        candidates = before[at] if at < len(before) else []
        old_places = _places(candidates, columns)
        inputs.append(tuple(None if place is None else OldColumn(at, place) for place in old_places))
        used |= {column for column in inputs[-1] if column is not None}
    old_calls, new_calls = old.calls(old_node), new.calls(new_node)
    calls = tuple(_places(old_calls, new_calls))
    dropped = [
        column.text
        for at, columns in enumerate(before)
        for place, column in enumerate(columns)
        if OldColumn(at, place) not in used
    ]
    dropped += [call.text for at, call in enumerate(old_calls) if at not in calls]
    return StateMapping(
        *uids,
        tuple(inputs),
        calls,
        tuple(tuple(column.text for column in columns) for columns in after),
        tuple(call.text for call in new_calls),
        tuple(tuple(is_null(column.views[0]) for column in columns) for columns in after),
        tuple(counts_rows(call.views[0]) for call in new_calls),
        tuple(dropped),
    )


def _places(old: Sequence[_ColumnMeaning], new: Sequence[_ColumnMeaning]) -> list[int | None]:
    """For each new meaning the position of its old one, or None."""
    places: list[int | None] = [
        _place(at, [candidate.equals(meaning) for candidate in old]) for at, meaning in enumerate(new)
    ]
    for at, meaning in enumerate(new):
        if places[at] is None:
            free = [place for place in range(len(old)) if place not in places]
            alike = {place: shift for place in free if (shift := old[place].shift(meaning)) is not None}
            places[at] = min(alike, key=lambda place: (alike[place].value, place != at, place), default=None)
    return places


def _place(at: int, equal: Sequence[bool]) -> int | None:
    """The position of an equal meaning: the same position if possible."""
    if at < len(equal) and equal[at]:
        return at
    return next((place for place, is_equal in enumerate(equal) if is_equal), None)
