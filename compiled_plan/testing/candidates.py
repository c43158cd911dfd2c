"""Random input of programs: rows with few keys, and with values on both sides of the constants in their plans."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from itertools import cycle
from random import Random
from typing import Any

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.checks import changelog_of
from compiled_plan.plans.execution.testing.replacing import PlanTables, table_id
from compiled_plan.plans.inspection.lineage.same_tables import same_tables, tables_of
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.sort import TemporalSort
from compiled_plan.plans.nodes.tables import CatalogTable, FilterPushDown
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.rex import Literal
from compiled_plan.plans.types.changelog import ChangelogMode
from compiled_plan.testing.constants import constants_of
from compiled_plan.testing.inputs import Event, Input, Values
from compiled_plan.testing.running import read_columns
from compiled_plan.testing.values import ValueFault, internal_value

#: The time of the first row; each further one of an input is later by a step of one of the groups, in seconds.
_BEGIN = dt.datetime(2024, 1, 1, 10)
_LONG, _EVEN, _SHORT = (0, 1, 60, 1500, 3600), (60, 300, 600), (0, 0, 0, 0.1)
#: The groups in their turn. A sort drops all but the first row of one time unless a watermark came just before, so that
#: rows whose order matters take many inputs.
_GROUPS, _SORTED_GROUPS = (_LONG, _EVEN, _SHORT), (_LONG, _SHORT, _EVEN, _SHORT, _SHORT)
#: The times of the rows of one step, as multiples of it.
_SHIFTS = (0, 0, 0, 1, 2, -1.5)
#: Of so many rows one is NULL in the column that has NULLs, which this share of inputs has, each column in its turn:
#: more columns with NULLs would make most inputs end at a constraint of a sink.
_NULLS, _WITH_NULLS = 4, 0.5
#: The share of inputs with one row per table after the change: most rows from before do not change again.
_ENDING = 0.3
#: The share of columns whose numbers are those that concern them.
_OWN = 0.75
#: The share of columns whose numbers pass the comparisons that concern them.
_PASSING = 0.5
_TIMES = (t.TimestampType, t.TimestampLtzType, t.DateType, t.TimeType)

#: The tables that a program reads, by their names in the program before the change.
Tables = Mapping[str, CatalogTable]


def tables_read(old: CompiledPlan, new: CompiledPlan) -> tuple[Tables, Tables]:
    """The tables that each of two programs scans or looks up; a table that was renamed has its old name in both."""
    before, after = ({**tables.lookups, **tables.sources} for tables in map(PlanTables.of, (old, new)))
    same = same_tables(tables_of(old), tables_of(new))
    names = {table.identifier: name for name, table in before.items()}
    return before, {names.get(same.get(table.identifier, ""), name): table for name, table in after.items()}


class Candidates:
    """Draws input for two programs.

    Args:
        plans: the program before a change and the one after it.
        tables: the tables that each of them reads.
        seed: decides which input is drawn.
    """

    def __init__(self, plans: tuple[CompiledPlan, CompiledPlan], tables: tuple[Tables, Tables], seed: int) -> None:
        self._draw = Random(seed)
        self._tables = {name: table for side in tables for name, table in side.items()}
        #: A table that only one program reads has rows in its run alone.
        self._of_run = [[name for name in self._tables if name in side] for side in tables]
        #: By table and column its types, which are two if the change is one of the type.
        self._types: dict[str, dict[str, list[t.LogicalType]]] = {name: {} for name in self._tables}
        for side in tables:
            for name, table in side.items():
                for field in read_columns(table)[0].fields:
                    self._types[name].setdefault(field.name, []).append(field.type)
        self._read = {place for plan, side in zip(plans, tables, strict=True) for place in _columns_read(plan, side)}
        optional = [
            (name, column)
            for name, columns in self._types.items()
            for column, types in columns.items()
            if (name, column) in self._read and all(type_.nullable and not isinstance(type_, _TIMES) for type_ in types)
        ]
        self._draw.shuffle(optional)
        self._nulls = cycle(optional or [None])
        sorts = any(isinstance(node, TemporalSort) for plan in plans for node in plan.nodes)
        self._steps = cycle(_SORTED_GROUPS if sorts else _GROUPS)
        constants = [constant for plan in plans for constant in constants_of(plan)]
        self._constants = [constant.literal for constant in constants]
        names = {column for columns in self._types.values() for column in columns}
        #: The constants that concern a column: those of its name, or of no column that is read.
        self._own = {
            name: [constant for constant in constants if name in constant.columns or not constant.columns & names]
            for name in names
        }
        #: The values of a column, by table and column, where they are the same at all times.
        self._fixed: dict[tuple[str, str, bool], list[object]] = {}
        #: The numbers of an input, by table and column; and its texts, which tables share.
        self._few: dict[tuple[str, str], list[object]] = {}
        self._texts: list[object] = []

    def input(self, rows: int) -> Input:
        """Input with few numbers and texts, so that rows share them, and a number of rows for both tables in each run.

        More tables have fewer rows: joins of all of them have as many results.
        """
        rows = max(2, rows * 2 // max(2, len(self._tables)))
        self._few = {}
        self._texts = self._sample(_values(t.STRING, self._constants, _BEGIN), (2, 3))
        live: dict[str, list[Values]] = {name: [] for name in self._tables}
        at, steps = _BEGIN, next(self._steps)
        nulls = next(self._nulls) if self._draw.random() < _WITH_NULLS else None
        parts: list[tuple[Event, ...]] = []
        for names in self._of_run:
            events: list[Event] = []
            for _ in range(1 if parts and self._draw.random() < _ENDING else rows):
                step = self._draw.choice(steps)
                at += dt.timedelta(seconds=step)
                # Tables whose times differ hold rows of others back; some rows are late.
                places = [(name, at + dt.timedelta(seconds=step * self._draw.choice(_SHIFTS))) for name in names]
                events += (self._event(name, live[name], place, nulls) for name, place in places)
            parts.append(tuple(events))
        return Input(*parts)

    def splits(self, input_: Input) -> Iterator[Input]:
        """The input with the change at every place; events of a table that only one run reads stay in that run."""
        events = (*input_.before, *input_.after)
        both = set(self._of_run[False]) & set(self._of_run[True])
        for place in range(len(events) + 1):
            parts: tuple[list[Event], list[Event]] = ([], [])
            for at, event in enumerate(events):
                parts[at >= place if event.table in both else event.table in self._of_run[True]].append(event)
            yield Input(*map(tuple, parts))

    def simplest(self, table: str, column: str) -> object:
        """The simplest value of a column; None for a time."""
        is_time = isinstance(self._types[table][column][0], _TIMES)
        return None if is_time else self._values(table, column, _BEGIN)[0]

    def _event(self, name: str, live: list[Values], at: dt.datetime, nulls: tuple[str, str] | None) -> Event:
        table = self._tables[name]
        changes = changelog_of(table.options, reading=True) not in (None, ChangelogMode.INSERT)
        keys = list(table.primary_key)
        before = self._draw.choice(live) if changes and live and self._draw.random() < 0.4 else None
        after: dict[str, object] | None = None
        if before is None or self._draw.random() < 0.6:
            after = {
                column: None
                if nulls == (name, column) and self._draw.randrange(_NULLS) == 0
                else self._drawn(name, column, at)
                for column in self._types[name]
            }
            if before is not None:
                after |= {key: before[key] for key in keys}
            elif changes and keys:
                before = next((row for row in live if all(row[key] == after[key] for key in keys)), None)
        if before is not None:
            live.remove(before)
        if after is not None and changes:
            live.append(after)
        return Event(name, before, after)

    def _sample(self, values: list[object], sizes: Sequence[int]) -> list[object]:
        return self._draw.sample(values, min(len(values), self._draw.choice(sizes)))

    def _drawn(self, table: str, column: str, at: dt.datetime) -> object:
        """A value of a column: one of the few of the input; the simplest one if no program reads the column."""
        if (table, column) not in self._read:
            return self._values(table, column, at)[0]
        if isinstance(self._types[table][column][0], t.NumericType):
            if (table, column) not in self._few:
                # Numbers may be those of another column with which this one is joined.
                values = self._values(table, column, at, own=self._draw.random() < _OWN)
                values = self._passing(column, values) if self._draw.random() < _PASSING else values
                self._few[table, column] = self._sample(values, (2, 3, 3))
            return self._draw.choice(self._few[table, column])
        values = self._values(table, column, at)
        return self._draw.choice([value for value in values if value in self._texts] or values)

    def _passing(self, column: str, values: Sequence[object]) -> list[object]:
        """The numbers that pass most comparisons of a column with constants."""
        tests = [(item.passes, item.literal.value) for item in self._own[column] if item.passes is not None]
        passed = {value: sum(_passes(test, value, number) for test, number in tests) for value in values}
        return [value for value in values if passed[value] == max(passed.values())]

    def _values(self, table: str, column: str, at: dt.datetime, *, own: bool = False) -> list[object]:
        """Values of all types of a column, by all constants or those that concern it; NULL alone if there are none."""
        place, types = (table, column, own), self._types[table][column]
        if place in self._fixed:
            return self._fixed[place]
        values = _values(types[0], [item.literal for item in self._own[column]] if own else self._constants, at)
        fitting = [value for value in values if all(_fits(value, type_) for type_ in types)] or [None]
        if isinstance(types[0], t.NumericType | t.CharacterType):
            self._fixed[place] = fitting
        return fitting


def _columns_read(plan: CompiledPlan, tables: Tables) -> Iterator[tuple[str, str]]:
    """The tables and columns that a plan reads or by which changes of a table find their row."""
    looked_up = PlanTables.of(plan).lookups
    for name, table in tables.items():
        scans = [node for node in plan.nodes if isinstance(node, TableSourceScan) and _table_of(node) == table.path]
        filtered = any(isinstance(item, FilterPushDown) for node in scans for item in node.scan_table_source.abilities)
        # A column of a row that is read in part is the beginning of the names of these parts.
        names = [f"{column}_" for node in scans for column in node.output_type.names]
        for column in read_columns(table)[0].names:
            is_read = column in table.primary_key or any(read.startswith(f"{column}_") for read in names)
            if is_read or filtered or table_id(table) in looked_up:
                yield name, column


def _table_of(scan: TableSourceScan) -> tuple[str, ...]:
    return scan.scan_table_source.table.path


def _passes(test: Callable[[Any, Any], bool] | None, value: object, number: object) -> bool:
    with suppress(ArithmeticError, TypeError, ValueError):
        return test is not None and test(Decimal(str(value)), Decimal(str(number)))
    return False


def _values(type_: t.LogicalType, constants: Sequence[Literal], at: dt.datetime) -> list[object]:
    """Values for a type, the simplest one first; some may be none of the type."""
    match type_:
        case t.BooleanType():
            return [False, True]
        case t.IntegerType():
            return _distinct((1, *(int(number) for number in _around(constants) or (2, 3))))
        case t.DecimalType() | t.FloatType() | t.DoubleType():
            return _distinct((1, *(_around(constants) or (2, 3))))
        case t.CharacterType():
            texts = (item.value for item in constants if isinstance(item.type, t.CharacterType))
            return _distinct(("a", "b", *texts))
        case t.BytesType():
            return ["0x01", "0x02"]
        case t.DayTimeIntervalType():
            return ["1 h", "2 h"]
        case t.TimestampType() | t.TimestampLtzType():
            return [at.isoformat(sep=" ")]
        case t.DateType():
            return [at.date().isoformat()]
        case t.TimeType():
            return [at.time().isoformat()]
        case t.FieldsType():
            columns = [(field.name, _values(field.type, constants, at)) for field in type_.fields]
            return [{name: values[number % len(values)] for name, values in columns} for number in range(2)]
        case t.ArrayType() | t.MultisetType():
            elements = _values(type_.element, constants, at)
            return [elements[:1], elements[:2], []]
        case t.MapType():
            keys, values = (_values(part, constants, at) for part in (type_.key, type_.value))
            return [[[key, values[0]]] for key in keys]
    return [1, 2]


def _fits(value: object, type_: t.LogicalType) -> bool:
    with suppress(ValueFault):
        internal_value(value, type_)
        return True
    return False


def _distinct(values: Iterable[object]) -> list[object]:
    return [*dict.fromkeys(values)]


def _around(constants: Sequence[Literal]) -> list[Decimal]:
    """Numbers below, at and above the constants; two above, as a column may exceed one that exceeds a constant."""
    numbers: list[Decimal] = []
    for constant in constants:
        if isinstance(constant.type, t.NumericType) and constant.value is not None:
            with suppress(ArithmeticError):
                number = Decimal(str(constant.value))
                numbers += (number - 1, number, number + 1, number + 2)
    return numbers
