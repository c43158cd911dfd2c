"""Two programs over the rows of one test: what each writes, compared by key as in a shadow run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.interfaces.connectors import TableSpec
from compiled_plan.plans.execution.shadow.comparing import SHOWN, result_of
from compiled_plan.plans.execution.shadow.programs import tables_of
from compiled_plan.plans.execution.shadow.report import Example, Rows, TablesReport
from compiled_plan.plans.execution.tables.sides import (
    CASES,
    EQUAL,
    ONLY_NEW,
    ONLY_OLD,
    OTHER_VALUES,
    SEQUENCE,
    Pair,
)
from compiled_plan.plans.execution.testing.engine import QUICK, SPARK, Engines
from compiled_plan.plans.execution.testing.quick import NotQuickError
from compiled_plan.plans.execution.testing.replacing import PlanTables
from compiled_plan.plans.inspection.diff.build import diff_of
from compiled_plan.plans.inspection.diff.model import nodes_in_both
from compiled_plan.plans.inspection.diff.named import named_columns
from compiled_plan.plans.inspection.diff.sides import PlanPair
from compiled_plan.testing.cases import Case, Step
from compiled_plan.testing.comparing import ADDS, Change
from compiled_plan.testing.document import KINDS
from compiled_plan.testing.functions import called_functions
from compiled_plan.testing.running import FailedError, Result, Running, read_columns, tables_named
from compiled_plan.testing.values import comparable, written_value

if TYPE_CHECKING:
    from compiled_plan.plans.plan import CompiledPlan

#: The steps that two programs can share.
_SHARED = frozenset(("rows", "late", "clock", "watermark", "restart", "kill", "end"))
#: The steps with rows.
FEEDS = frozenset(("rows", "late"))
_EXPECT = "expect"


def side_by_side(case: Case, plans: tuple[CompiledPlan, CompiledPlan], engines: Engines) -> TablesReport:
    """Run two programs from scratch over the rows of a test, and compare what they write.

    A program gets the rows of the tables and columns that it reads. Expectations of the test have no effect.

    Args:
        case: the test; its program has no effect.
        plans: the old program and the new one.
        engines: creates engines.

    Raises:
        UnsupportedError: only Spark runs a program or the test, or the test is one of a single program.
        CompiledPlanError: a program does not start, or ends by an error.
    """
    steps = [step for step in case.steps if step.kind != _EXPECT]
    own = next((step for step in steps if step.kind not in _SHARED or step.error), None)
    if own is not None or case.error:
        what = "error" if own is None or own.error else own.kind
        raise UnsupportedError(
            f"{what!r} in a test is about one program, and two run over its rows",
            where=case.document.where(case.path if own is None else own.spot),
            remedy=f"leave it to a test of its own; two programs share the steps {', '.join(sorted(_SHARED))}",
        )
    both = PlanPair.of(*plans)
    tables = PlanTables.of(plans[0]), PlanTables.of(plans[1])
    try:
        if case.engine == SPARK:
            raise NotQuickError("the test demands it")
        old, new = (
            _run(case, plan, [_readable(step, *sides) for step in steps], engines)
            for plan, sides in zip(plans, (tables, tables[::-1]), strict=True)
        )
    except NotQuickError as reason:
        raise UnsupportedError(
            f"only Spark runs the programs over these rows: {reason}",
            where=case.document.where(case.path),
            remedy="compare them with `execute-plan --shadow`",
        ) from None
    specs = [{table.identifier: table for table in tables_of(plan).values()} for plan in plans]
    compared, matched = list[Rows](), (set[str](), set[str]())
    for names, named in _named(both).items():
        pair = Pair(*(side[name] for side, name in zip(specs, names, strict=True)))
        before, after = (run.changes(name) for run, name in zip((old, new), names, strict=True))
        compared.append(compared_rows(pair, before, after, named))
        for side, name in zip(matched, names, strict=True):
            side.add(name)
    only_old, only_new = (
        tuple(name for name in side if name not in seen) for side, seen in zip(specs, matched, strict=True)
    )
    return TablesReport(tables=tuple(compared), only_old=only_old, only_new=only_new)


def _named(both: PlanPair) -> Mapping[tuple[str, str], frozenset[str] | None]:
    """The tables that both programs write, by their identifiers, with the columns that may differ in any sink."""
    diff = diff_of(both)
    before, after = tables_of(both.old.plan), tables_of(both.new.plan)
    tables: dict[tuple[str, str], frozenset[str] | None] = {}
    for sink in diff.sinks:
        for old, new in nodes_in_both(sink):
            names = before[old].identifier, after[new].identifier
            columns, more = tables.get(names, frozenset()), named_columns(both, diff, sink)
            tables[names] = None if columns is None or more is None else columns | more
    return tables


def _run(case: Case, plan: CompiledPlan, steps: Sequence[Step], engines: Engines) -> Running:
    """A program after all steps."""
    called = called_functions(plan)
    functions = {name: value for name, value in case.functions.items() if name in called}
    case = replace(case, steps=tuple(steps), functions=functions)
    running = Running(case, engines, QUICK, Result(case, QUICK), collect=True, compiled=lambda _: plan)
    try:
        running.start()
        for step in steps:
            # Whether rows are late depends on the program.
            running.take(replace(step, kind="rows") if step.kind in FEEDS else step)
    except FailedError as failure:
        assert failure.failure.fault is not None, "without expectations, only an error fails a step"
        raise failure.failure.fault from None
    finally:
        running.close()
    return running


def _readable(step: Step, own: PlanTables, others: PlanTables) -> Step:
    """A step without the tables and columns that the other program alone reads."""
    if step.kind not in FEEDS:
        return step
    sides = [{**side.sources, **side.lookups} for side in (own, others)]
    rows = {}
    for written, items in (step.value or {}).items():
        mine, theirs = ([side[name] for name in tables_named(written, side)] for side in sides)
        if theirs and not mine:
            continue
        columns = [{name for table in tables for name in read_columns(table)[0].names} for tables in (mine, theirs)]
        rows[written] = [_without(item, columns[1] - columns[0]) for item in items or ()]
    return replace(step, value=rows)


def _without(item: object, names: set[str]) -> object:
    """A row, or a change with its kind before the row, without some columns."""
    if not isinstance(item, Mapping):
        return item
    if len(item) == 1 and (kind := next(iter(item))) in KINDS:
        return {kind: _without(item[kind], names)}
    return {name: value for name, value in item.items() if name not in names}


# ---- comparison


@dataclass(slots=True)
class _Key:
    """The changes of a key on one side: the last row, and kinds and values of all."""

    last: Change
    values: Hashable
    count: int
    all: list[Hashable]

    @property
    def is_there(self) -> bool:
        """False if the last change is the end of the row."""
        return self.last.kind in ADDS


def compared_rows(pair: Pair, old: Sequence[Change], new: Sequence[Change], named: frozenset[str] | None) -> Rows:
    """Compare the changes of a table by key, as `Pair` does in Spark.

    Args:
        pair: the table.
        old: the changes that the old program writes, in their order.
        new: the same of the new program.
        named: see `named_columns`.
    """
    sides = _by_key(pair, pair.old, old), _by_key(pair, pair.new, new)
    keys = {key: tuple(side.get(key) for side in sides) for key in {**sides[0], **sides[1]}}
    case_of = _case_by_key if pair.is_keyed else _case_by_count
    cases = {key: case_of(*both) for key, both in keys.items()}
    columns = Counter(
        name
        for key, (was, now) in keys.items()
        if cases[key] == OTHER_VALUES and was is not None and now is not None
        for name in pair.others
        if _cell(pair.old, was, name) != _cell(pair.new, now, name)
    )
    shown = [
        example
        for case in CASES[1:]
        for example in sorted(
            (_example(pair, case, *both) for key, both in keys.items() if cases[key] == case),
            key=lambda example: example.key,
        )[:SHOWN]
    ]
    return result_of(pair, Counter(cases.values()), columns, tuple(shown), named)


def _by_key(pair: Pair, table: TableSpec, changes: Sequence[Change]) -> dict[Hashable, _Key]:
    keys: dict[Hashable, _Key] = {}
    for change in changes:
        key, values = (_cells(table, change.row, names) for names in (pair.key, pair.others))
        of_key = keys.setdefault(key, _Key(change, values, 0, []))
        of_key.last, of_key.values = change, values
        of_key.count += 1 if change.kind in ADDS else -1
        of_key.all.append((change.kind, values))
    return keys


def _case_by_key(old: _Key | None, new: _Key | None) -> str:
    """The case of a key, by the last row of both sides."""
    was, now = (side is not None and side.is_there for side in (old, new))
    # A row from before that one program deletes, and the other one does not touch, is in the table of the latter.
    if not now and (was or old is None):
        return ONLY_OLD
    if not was and (now or new is None):
        return ONLY_NEW
    assert old is not None and new is not None
    if was and old.values != new.values:
        return OTHER_VALUES
    return EQUAL if old.all == new.all else SEQUENCE


def _case_by_count(old: _Key | None, new: _Key | None) -> str:
    """The case of a row, by the number of times that it occurs on both sides."""
    was, now = (0 if side is None else side.count for side in (old, new))
    if was != now:
        return ONLY_OLD if was > now else ONLY_NEW
    return EQUAL if old is not None and new is not None and old.all == new.all else SEQUENCE


def _cells(table: TableSpec, row: Sequence[object], names: Sequence[str]) -> tuple[Hashable, ...]:
    columns = table.columns
    places = (columns.names.index(name) for name in names)
    return tuple(comparable(row[at], columns.types[at], exact=True) for at in places)


def _cell(table: TableSpec, key: _Key, name: str) -> Hashable:
    return _cells(table, key.last.row, [name])


def _example(pair: Pair, case: str, old: _Key | None, new: _Key | None) -> Example:
    sides = ((pair.old, old), (pair.new, new))
    key = next(_json(table, side, pair.key) for table, side in sides if side is not None)
    if not pair.is_keyed:
        return Example(case, key, *(None if side is None else str(side.count) for _, side in sides))
    rows = (_json(table, side, pair.others) if side is not None and side.is_there else None for table, side in sides)
    return Example(case, key, *rows)


def _json(table: TableSpec, key: _Key, names: Sequence[str]) -> str:
    columns = table.columns
    places = {name: columns.names.index(name) for name in names}
    return _dump({name: written_value(key.last.row[at], columns.types[at]) for name, at in places.items()})


def _dump(value: object) -> str:
    """JSON with the digits of decimal numbers."""
    match value:
        case Decimal():
            return f"{value:f}"
        case dict():
            return f"{{{','.join(f'{_dump(name)}:{_dump(item)}' for name, item in value.items())}}}"
        case list():
            return f"[{','.join(map(_dump, value))}]"
    return json.dumps(value, ensure_ascii=False)
