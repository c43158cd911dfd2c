"""Random input of programs: rows with few keys, and with values on both sides of the constants in their plans."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from random import Random

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.checks import changelog_of
from compiled_plan.plans.execution.testing.replacing import PlanTables
from compiled_plan.plans.inspection.lineage.same_tables import same_tables, tables_of
from compiled_plan.plans.nodes.model import objects_in
from compiled_plan.plans.nodes.tables import CatalogTable
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.rex import Literal, RexNode, walk
from compiled_plan.plans.types.changelog import ChangelogMode
from compiled_plan.testing.running import read_columns

#: The time of the first row; each further one of an input is later by a step of one of the groups, in seconds.
_BEGIN = dt.datetime(2024, 1, 1, 10)
_STEPS = ((1, 60, 1500, 3600), (1, 60, 1500, 3600), (0, 0.1))
#: Of so many rows one is NULL in a column that allows it.
_NULLS = 12

#: The values of a row by column, as in a test's file.
Values = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a table: a new row, or in a changelog also another row in place of an earlier one, or its end.

    Args:
        table: the table by `table_id`.
        before: the earlier row; None for a new one.
        after: the row; None for an end.
    """

    table: str
    before: Values | None
    after: Values | None

    def rows(self) -> Iterator[tuple[str, Values]]:
        """The rows with their kinds."""
        if self.before is not None:
            yield ("-D" if self.after is None else "-U"), self.before
        if self.after is not None:
            yield ("+I" if self.before is None else "+U"), self.after

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

    def values(self) -> Iterator[tuple[str, str, object]]:
        """The tables, columns and values of all rows, once each."""
        rows = (
            (event.table, column, value)
            for event in (*self.before, *self.after)
            for _, row in event.rows()
            for column, value in row.items()
        )
        yield from dict.fromkeys(rows)

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


def sources_of(old: CompiledPlan, new: CompiledPlan) -> tuple[Mapping[str, CatalogTable], Mapping[str, CatalogTable]]:
    """The tables that each of two programs reads; a table that was renamed has its old name in both."""
    before, after = PlanTables.of(old).sources, PlanTables.of(new).sources
    same = same_tables(tables_of(old), tables_of(new))
    names = {table.identifier: name for name, table in before.items()}
    return before, {names.get(same.get(table.identifier, ""), name): table for name, table in after.items()}


class Candidates:
    """Draws input for two programs.

    Args:
        plans: the program before a change and the one after it.
        seed: decides which input is drawn.
    """

    def __init__(self, plans: tuple[CompiledPlan, CompiledPlan], seed: int) -> None:
        self._draw = Random(seed)
        sources = sources_of(*plans)
        self._tables = {name: table for side in sources for name, table in side.items()}
        self._columns = {
            name: dict(_columns(*(side[name] for side in sources if name in side))) for name in self._tables
        }
        #: A table that only one program reads has rows in its run alone.
        self._of_run = [[name for name in self._tables if name in side] for side in sources]
        self._constants = [literal for plan in plans for literal in _constants(plan)]

    def input(self, rows: int) -> Input:
        """Input with a number of rows per table and run."""
        live: dict[str, list[Values]] = {name: [] for name in self._tables}
        at, steps = _BEGIN, self._draw.choice(_STEPS)
        parts: list[tuple[Event, ...]] = []
        for names in self._of_run:
            events: list[Event] = []
            for _ in range(rows):
                at += dt.timedelta(seconds=self._draw.choice(steps))
                events += (self._event(name, live[name], at) for name in names)
            parts.append(tuple(events))
        return Input(*parts)

    def simplest(self, table: str, column: str) -> object:
        """The simplest value of a column; None for a time."""
        return simple_values(self._columns[table][column], (), _BEGIN)[0] if not self._is_time(table, column) else None

    def _is_time(self, table: str, column: str) -> bool:
        return isinstance(self._columns[table][column], t.TimestampType | t.TimestampLtzType | t.DateType | t.TimeType)

    def _event(self, name: str, live: list[Values], at: dt.datetime) -> Event:
        table = self._tables[name]
        changes = changelog_of(table.options, reading=True) is not ChangelogMode.INSERT
        keys = list(table.primary_key)
        before = self._draw.choice(live) if changes and live and self._draw.random() < 0.4 else None
        after: dict[str, object] | None = None
        if before is None or self._draw.random() < 0.6:
            after = {column: self._value(type_, at) for column, type_ in self._columns[name].items()}
            if before is not None:
                after |= {key: before[key] for key in keys}
            elif changes and keys:
                before = next((row for row in live if all(row[key] == after[key] for key in keys)), None)
        if before is not None:
            live.remove(before)
        if after is not None and changes:
            live.append(after)
        return Event(name, before, after)

    def _value(self, type_: t.LogicalType, at: dt.datetime) -> object:
        if type_.nullable and not isinstance(type_, t.TimestampType) and self._draw.randrange(_NULLS) == 0:
            return None
        return self._draw.choice(simple_values(type_, self._constants, at))


def simple_values(type_: t.LogicalType, constants: Sequence[Literal], at: dt.datetime) -> list[object]:
    """Values of a type, the simplest one first."""
    match type_:
        case t.BooleanType():
            return [False, True]
        case t.IntegerType():
            return [*dict.fromkeys((1, 2, 3, *_around(constants, int)))]
        case t.DecimalType() | t.FloatType() | t.DoubleType():
            return [*dict.fromkeys((1, 2, *_around(constants, float)))]
        case t.CharacterType():
            texts = [item.value for item in constants if isinstance(item.type, t.CharacterType)]
            return [*dict.fromkeys(text[: type_.length] for text in ("a", "b", *texts) if isinstance(text, str))]
        case t.TimestampType() | t.TimestampLtzType():
            return [at.isoformat(sep=" ")]
        case t.DateType():
            return [at.date().isoformat()]
        case t.TimeType():
            return [at.time().isoformat()]
    return [None]


def _around(constants: Sequence[Literal], class_: type[int] | type[float]) -> Iterator[int | float]:
    """Numbers below, at and above the constants."""
    for constant in constants:
        if isinstance(constant.type, t.NumericType) and constant.value is not None:
            with suppress(ValueError, ArithmeticError):
                number = class_(Decimal(str(constant.value)))
                yield from (number - 1, number, number + 1)


def _constants(plan: CompiledPlan) -> Iterator[Literal]:
    for node in plan.nodes:
        for top in objects_in(node, RexNode):
            yield from (rex for rex in walk(top) if isinstance(rex, Literal) and rex.symbol is None)


def _columns(*tables: CatalogTable) -> Iterator[tuple[str, t.LogicalType]]:
    """The columns of a table in both programs."""
    for table in tables:
        row_type, _ = read_columns(table)
        yield from ((field.name, field.type) for field in row_type.fields)
