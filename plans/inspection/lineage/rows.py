"""Rows along the edges of a plan: the meanings of their columns, and the identity of the rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from compiled_plan.plans.inspection.lineage.meaning import Meaning, compose, either, listed, listed_in_full


@dataclass(frozen=True, slots=True)
class Branch:
    """Rows of one origin, such as one input of a UNION."""

    origin: Meaning  # a table, or an operator over its inputs
    columns: tuple[Meaning, ...]
    #: Predicates that hold for every row, sorted by digest. They are separate from the columns: a predicate changes the
    #: set of rows, not the meaning of their columns.
    filter: tuple[Meaning, ...] = ()
    watermarks: tuple[Meaning, ...] = ()  # watermark strategies of the rows
    history: str = ""  # digest of everything upstream, including filters of operators above
    # Facts that follow from the operator that emits the rows, and are part of no identity here.
    selected: tuple[Meaning, ...] = ()  # predicates by which it selected them
    equal: tuple[frozenset[str], ...] = ()  # digests of pairs of columns with equal values: the keys of an inner join

    def column(self, at: int) -> Meaning:
        """The meaning of a column; a missing position has its own meaning."""
        if 0 <= at < len(self.columns):
            return self.columns[at]
        return compose("column", (self.origin,), at, text=f"column {at} of {self.origin.text}")

    def where(self, predicates: Iterable[Meaning]) -> Branch:
        """Add predicates to the rows."""
        return replace(self, filter=in_order((*self.filter, *predicates)))


Rows = tuple[Branch, ...]


def in_order(meanings: Iterable[Meaning]) -> tuple[Meaning, ...]:
    """Remove duplicates and sort, for meanings whose order is irrelevant."""
    return tuple(sorted(dict.fromkeys(meanings), key=lambda meaning: meaning.digest))


@dataclass(frozen=True, slots=True)
class Port:
    """All rows of one input of an operator."""

    rows: Rows
    name: str = ""  # the input's name in properties: "" for a single input, "left", "right"
    at: int = 0

    def column(self, at: int) -> Meaning:
        return either([branch.column(at) for branch in self.rows]) if self.rows else compose("nothing", text="nothing")

    def all_columns(self) -> tuple[Meaning, ...]:
        width = max((len(branch.columns) for branch in self.rows), default=0)
        return tuple(self.column(at) for at in range(width))

    @property
    def origin(self) -> Meaning:
        return either([branch.origin for branch in self.rows]) if self.rows else compose("nothing", text="nothing")

    @property
    def filter(self) -> tuple[Meaning, ...]:
        """The predicates; with several branches, each with its rows."""
        if len(self.rows) == 1:
            return self.rows[0].filter
        return tuple(
            compose(
                "filtered",
                (branch.origin, *branch.filter),
                text=f"{branch.origin.text}: {listed(branch.filter) or 'all'}",
                full=f"{branch.origin.full}: {listed_in_full(branch.filter) or 'all'}",
            )
            for branch in self.rows
            if any(sibling.filter for sibling in self.rows)
        )

    @property
    def watermarks(self) -> tuple[Meaning, ...]:
        return in_order(watermark for branch in self.rows for watermark in branch.watermarks)

    @property
    def histories(self) -> list[str]:
        return [branch.history for branch in self.rows]

    def named(self, subject: str) -> str:
        return f"{self.name} {subject}" if self.name else subject


def port(rows: Rows, name: str = "", at: int = 0) -> Port:
    """An input; the order of a union's inputs is irrelevant."""

    def key(branch: Branch) -> tuple[object, ...]:
        return (
            branch.origin.digest,
            branch.history,
            [predicate.digest for predicate in branch.filter],
            [column.digest for column in branch.columns],
        )

    return Port(tuple(sorted(rows, key=key)), name, at)


def sides(inputs: Sequence[Rows]) -> tuple[Port, ...]:
    """The named inputs of an operator."""
    if len(inputs) == 1:
        return (port(inputs[0]),)
    names = ("left", "right") if len(inputs) == 2 else tuple(f"input {at}" for at in range(len(inputs)))
    return tuple(port(rows, name, at) for at, (rows, name) in enumerate(zip(inputs, names, strict=True)))
