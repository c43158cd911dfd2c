"""What flows along the edges of a plan: the meanings of the columns, and beside them which rows there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from compiled_plan.plans.inspection.lineage.meaning import Meaning, either, listed, listed_in_full, made_of


@dataclass(frozen=True, slots=True)
class Branch:
    """Rows of one origin."""

    origin: Meaning  # where they come from: a table, an operator over others
    columns: tuple[Meaning, ...]
    #: What holds for every row, in the order of their digests. It is kept apart from the columns: a predicate changes
    #: which rows there are, and not what their columns mean.
    filter: tuple[Meaning, ...] = ()
    watermarks: tuple[Meaning, ...] = ()  # how the watermarks of the rows are made
    history: str = ""  # digest of all that happens to the rows before, filters of operators above included

    def column(self, at: int) -> Meaning:
        """What a column means; a position that is not there is a meaning of its own."""
        if 0 <= at < len(self.columns):
            return self.columns[at]
        return made_of("column", (self.origin,), at, text=f"column {at} of {self.origin.text}")

    def where(self, predicates: Iterable[Meaning]) -> Branch:
        """The rows for which more holds."""
        return replace(self, filter=in_order((*self.filter, *predicates)))


Rows = tuple[Branch, ...]


def in_order(meanings: Iterable[Meaning]) -> tuple[Meaning, ...]:
    """Meanings whose order says nothing, each once."""
    return tuple(sorted(dict.fromkeys(meanings), key=lambda each: each.digest))


@dataclass(frozen=True, slots=True)
class Port:
    """All rows that come to one input of an operator."""

    rows: Rows
    name: str = ""  # the input's name in properties: "" of one input, "left", "right"
    at: int = 0

    def column(self, at: int) -> Meaning:
        """What a column means."""
        return either([branch.column(at) for branch in self.rows]) if self.rows else made_of("nothing", text="nothing")

    def all_columns(self) -> tuple[Meaning, ...]:
        """What all columns mean."""
        width = max((len(branch.columns) for branch in self.rows), default=0)
        return tuple(self.column(at) for at in range(width))

    @property
    def origin(self) -> Meaning:
        """Which rows these are."""
        return either([branch.origin for branch in self.rows]) if self.rows else made_of("nothing", text="nothing")

    @property
    def filter(self) -> tuple[Meaning, ...]:
        """The predicates, those of several branches with the rows that they hold for."""
        if len(self.rows) == 1:
            return self.rows[0].filter
        return tuple(
            made_of(
                "filtered",
                (branch.origin, *branch.filter),
                text=f"{branch.origin.text}: {listed(branch.filter) or 'all'}",
                full=f"{branch.origin.full}: {listed_in_full(branch.filter) or 'all'}",
            )
            for branch in self.rows
            if any(other.filter for other in self.rows)
        )

    @property
    def watermarks(self) -> tuple[Meaning, ...]:
        """How the watermarks are made."""
        return in_order(each for branch in self.rows for each in branch.watermarks)

    @property
    def histories(self) -> list[str]:
        """What happened to the rows before."""
        return [branch.history for branch in self.rows]

    def named(self, what: str) -> str:
        """The name of a property of this input."""
        return f"{self.name} {what}" if self.name else what


def port(rows: Rows, name: str = "", at: int = 0) -> Port:
    """An input; the order in which a union names its inputs says nothing."""

    def key(branch: Branch) -> tuple[object, ...]:
        return (
            branch.origin.digest,
            branch.history,
            [each.digest for each in branch.filter],
            [each.digest for each in branch.columns],
        )

    return Port(tuple(sorted(rows, key=key)), name, at)


def sides(inputs: Sequence[Rows]) -> tuple[Port, ...]:
    """The inputs of an operator with their names."""
    if len(inputs) == 1:
        return (port(inputs[0]),)
    names = ("left", "right") if len(inputs) == 2 else tuple(f"input {at}" for at in range(len(inputs)))
    return tuple(port(rows, name, at) for at, (rows, name) in enumerate(zip(inputs, names, strict=True)))
