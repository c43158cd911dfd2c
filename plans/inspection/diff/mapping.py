"""How the state of one operator is found in that of another: which old column and which old call each new one is.

Operators work with columns by their places, and so does what they keep. Where a projection changes, columns change
places, come and go; what they mean (`plans.inspection.lineage`) says which is which.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from compiled_plan.plans.inspection.lineage.drafting import said_zone
from compiled_plan.plans.inspection.lineage.expressions import Scope, meaning_of
from compiled_plan.plans.inspection.lineage.kernel_operators import ColumnSource, Computed, KernelOperator
from compiled_plan.plans.inspection.lineage.meaning import Meaning, counts_rows, is_null, made_of, type_text
from compiled_plan.plans.inspection.lineage.plans import flows_of
from compiled_plan.plans.inspection.lineage.rows import Port, Rows, sides
from compiled_plan.plans.inspection.lineage.shifts import Shift, relate
from compiled_plan.plans.inspection.lineage.table_identity import at_rest, by_name
from compiled_plan.plans.inspection.operators.calls import call_of
from compiled_plan.plans.plan import CompiledPlan


@dataclass(frozen=True, slots=True, order=True)
class OldColumn:
    """A column of an input of an old operator, by its place."""

    input: int
    column: int


@dataclass(frozen=True, slots=True)
class StateMapping:
    """The places of a new operator's columns and calls in the state of an old one."""

    source: str
    target: str
    #: For each column of each new input the old column; None where there was none.
    inputs: tuple[tuple[OldColumn | None, ...], ...]
    calls: tuple[int | None, ...] = ()  # for each new call the place of the old call; None where there was none
    names: tuple[tuple[str, ...], ...] = ()  # what the columns mean, in words
    call_names: tuple[str, ...] = ()  # the same of the calls
    #: For each column of each new input whether no old one is wanted for it, since it is always NULL.
    unwanted: tuple[tuple[bool, ...], ...] = ()
    unwanted_calls: tuple[bool, ...] = ()  # the same of calls, since they count rows, which is known anyway
    dropped: tuple[str, ...] = ()  # old columns and calls that nothing new is made of, in words

    @property
    def is_identity(self) -> bool:
        """Whether every column and call is where it was, and nothing is dropped."""
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
        """What is kept from now on and was not before, in words."""
        columns = [
            name
            for names, found in zip(self.names, self.inputs, strict=True)
            for name, column in zip(names, found, strict=True)
            if column is None
        ]
        calls = [name for name, call in zip(self.call_names, self.calls, strict=True) if call is None]
        return (*columns, *calls)

    def to_dict(self) -> dict[str, Any]:
        """As the kernel takes it."""
        return {
            "from": self.source,
            "to": self.target,
            "inputs": [
                [None if each is None else {"input": each.input, "column": each.column} for each in columns]
                for columns in self.inputs
            ],
            "calls": list(self.calls),
        }


@dataclass(frozen=True)
class KernelSide:
    """A plan with its operators as the kernel gets them."""

    plan: CompiledPlan
    operators: Mapping[int, KernelOperator]  # by node
    place: Callable[[str], str] = at_rest  # the full name of a path

    @cached_property
    def views(self) -> tuple[Mapping[int, Rows], Mapping[int, Rows]]:
        """What columns mean, with tables known by name, and by where their rows are."""
        return flows_of(self.plan, telling=by_name), flows_of(self.plan, self.place)

    def columns(self, node: int) -> list[list[_Meant]]:
        """What the columns of each input of an operator mean."""
        operator = self.operators[node]
        ports = [self._ports(operator, view) for view in self.views]
        return [
            [
                _Meant(tuple(self._meaning(operator.reader, each[at], source) for each in ports), type_text(type_))
                for source, type_ in zip(input_.sources, input_.types, strict=True)
            ]
            for at, input_ in enumerate(operator.inputs)
        ]

    def calls(self, node: int) -> list[_Meant]:
        """What an operator's aggregate calls mean."""
        operator = self.operators[node]
        found = []
        for call in operator.calls:
            views = []
            for view in self.views:
                (port, *_), (input_, *_) = self._ports(operator, view), operator.inputs
                views.append(
                    call_of(
                        call,
                        lambda at, port=port, input_=input_: self._meaning(operator.reader, port, input_.sources[at]),  # type: ignore[misc]
                    )
                )
            found.append(_Meant(tuple(views), type_text(call.type)))
        return found

    def _ports(self, operator: KernelOperator, view: Mapping[int, Rows]) -> tuple[Port, ...]:
        return sides([view[below.id] for below in self.plan.inputs(operator.reader)])

    def _meaning(self, reader: int, port: Port, source: ColumnSource) -> Meaning:
        match source:
            case int():
                return port.column(source)
            case Computed():
                parts = [port.column(at) for at in source.columns]
                shown = ", ".join(each.text for each in parts)
                return made_of("computed", parts, source.how, text=f"{source.how} of {shown}")
        return meaning_of(source, Scope(port.column, said_zone(self.plan.node(reader))))


@dataclass(frozen=True, slots=True)
class _Meant:
    views: tuple[Meaning, ...]
    type: str

    @property
    def text(self) -> str:
        return self.views[0].text

    def equals(self, other: _Meant) -> bool:
        """Whether both mean the same by the names of tables, or by their places."""
        return any(one.digest == two.digest for one, two in zip(self.views, other.views, strict=True))

    def shift(self, other: _Meant) -> Shift | None:
        """How another one differs that is computed alike, as over rows of one more table, or with a wider type."""
        found = [relate(one, two) for one, two in zip(self.views, other.views, strict=True)]
        return min((each for each in found if each is not None), key=lambda each: each.value, default=None)


def mapping_of(old: KernelSide, new: KernelSide, old_node: int, new_node: int, uids: tuple[str, str]) -> StateMapping:
    """Find what an operator keeps in the state of the operator that it was.

    Equal meanings come first, at the same place where several are equal; then what is computed alike. What is found
    here is what the verdict takes as known: both go by `lineage.shifts`. `uids` are its names in the old and new state.
    """
    before, after = old.columns(old_node), new.columns(new_node)
    inputs = []
    used: set[OldColumn] = set()
    for at, columns in enumerate(after):
        candidates = before[at] if at < len(before) else []
        found = _found(candidates, columns)
        inputs.append(tuple(None if each is None else OldColumn(at, each) for each in found))
        used |= {each for each in inputs[-1] if each is not None}
    old_calls, new_calls = old.calls(old_node), new.calls(new_node)
    calls = tuple(_found(old_calls, new_calls))
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
        tuple(tuple(each.text for each in columns) for columns in after),
        tuple(each.text for each in new_calls),
        tuple(tuple(is_null(each.views[0]) for each in columns) for columns in after),
        tuple(counts_rows(each.views[0]) for each in new_calls),
        tuple(dropped),
    )


def _found(old: Sequence[_Meant], new: Sequence[_Meant]) -> list[int | None]:
    """For each of the new the place of the old one that it is."""
    found: list[int | None] = [_place(at, [each.equals(one) for each in old]) for at, one in enumerate(new)]
    for at, one in enumerate(new):
        if found[at] is None:
            free = [each for each in range(len(old)) if each not in found]
            alike = {each: shift for each in free if (shift := old[each].shift(one)) is not None}
            found[at] = min(alike, key=lambda each: (alike[each].value, each != at, each), default=None)
    return found


def _place(at: int, equal: Sequence[bool]) -> int | None:
    """The place among the equal ones: the same place if it is one of them."""
    if at < len(equal) and equal[at]:
        return at
    return next((place for place, each in enumerate(equal) if each), None)
