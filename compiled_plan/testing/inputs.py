"""Input of programs: events of their tables, before a change and after it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from compiled_plan.testing.document import KINDS

#: The values of a row by column, as in a test's file.
Values = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a table: a new row, or in a changelog also another row in place of an earlier one, or its end.

    Args:
        table: the table, as in `Tables`.
        before: the earlier row; None for a new one.
        after: the row; None for an end.
    """

    table: str
    before: Values | None
    after: Values | None

    @property
    def rows(self) -> list[Values]:
        """The rows of both sides."""
        return [row for row in (self.before, self.after) if row is not None]

    def items(self, columns: Sequence[str]) -> Iterator[object]:
        """The rows as in a test's file: inserts without their kind, all without NULLs."""
        kinds = ("-D" if self.after is None else "-U", "+I" if self.before is None else "+U")
        for kind, row in zip(kinds, (self.before, self.after), strict=True):
            if row is not None:
                values = {name: row[name] for name in columns if row.get(name) is not None}
                yield values if kind == KINDS[0] else {kind: values}

    def with_value(self, column: str, old: object, new: object) -> Event:
        """The event with another value of a column where it has this one."""
        rows = (
            {**row, column: new} if row is not None and row.get(column) == old else row
            for row in (self.before, self.after)
        )
        return Event(self.table, *rows)


@dataclass(frozen=True, slots=True)
class Input:
    """The events of both runs, each of which has them in one micro-batch."""

    before: tuple[Event, ...]
    after: tuple[Event, ...]

    def __len__(self) -> int:
        return len(self.before) + len(self.after)

    def values(self) -> list[tuple[str, str, object]]:
        """The tables, columns and values of all rows, once each."""
        values: list[tuple[str, str, object]] = []
        for event in (*self.before, *self.after):
            for place in ((event.table, *item) for row in event.rows for item in row.items()):
                values += [] if place in values else [place]
        return values

    def with_value(self, table: str, column: str, old: object, new: object) -> Input:
        """The input with another value in a column of a table."""
        parts = (
            tuple(event.with_value(column, old, new) if event.table == table else event for event in events)
            for events in (self.before, self.after)
        )
        return Input(*parts)

    def is_possible(self) -> bool:
        """Return True if every row that changes or ends is there."""
        there: list[tuple[str, Values]] = []
        for event in (*self.before, *self.after):
            if event.before is not None:
                if (event.table, event.before) not in there:
                    return False
                there.remove((event.table, event.before))
            if event.after is not None:
                there.append((event.table, event.after))
        return True

    def smaller(self, size: int) -> Iterator[Input]:
        """The input without a number of consecutive events of one run."""
        width = len(self.before)
        for begin, end in ((0, width), (width, len(self))):
            for at in range(begin, end, size):
                yield self._without(range(at, min(at + size, end)))

    def without_two(self) -> Iterator[Input]:
        """The input without any two events."""
        yield from map(self._without, combinations(range(len(self)), 2))

    def _without(self, places: Collection[int]) -> Input:
        """The input without some events; later ones change or end the row that was there before these."""
        instead: list[tuple[str, Values, Values | None]] = []
        runs: tuple[list[Event], list[Event]] = ([], [])
        for at, event in enumerate((*self.before, *self.after)):
            row = event.before
            known = next((entry for entry in instead if entry[:2] == (event.table, row)), None)
            if known is not None:
                instead.remove(known)
                row = known[2]
            if at not in places and (row, event.after) != (None, None):
                runs[at >= len(self.before)].append(Event(event.table, row, event.after))
            elif event.after is not None:
                instead.append((event.table, event.after, row))
        return Input(*map(tuple, runs))
