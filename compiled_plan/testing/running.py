"""Runs of tests: the steps of a case on an engine, its failure, and what came instead of what was expected."""

from __future__ import annotations

import datetime as dt
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compiled_plan.compiling.scripts import Session, compiled, compiled_text
from compiled_plan.plans.errors import CompiledPlanError, ProgramError, UnsupportedError
from compiled_plan.plans.execution.testing.engine import QUICK, SPARK, Engine, Engines, TableRows
from compiled_plan.plans.execution.testing.quick import NotQuickError
from compiled_plan.plans.execution.testing.replacing import PlanTables
from compiled_plan.plans.files import quoted
from compiled_plan.plans.inspection.checked_plans import plan_from_file
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.inspection.identity import with_uids
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.inspection.recompile import recompile
from compiled_plan.plans.inspection.ttl import parse_edit, set_ttls
from compiled_plan.plans.nodes.table_rules import physical_row
from compiled_plan.plans.nodes.tables import CatalogTable, MetadataColumn
from compiled_plan.plans.types import Field, RowType
from compiled_plan.testing.cases import Case, Step, time_of
from compiled_plan.testing.comparing import Change, Difference, differences, table_of
from compiled_plan.testing.document import KINDS, KeyPath
from compiled_plan.testing.functions import check_called, with_results
from compiled_plan.testing.values import ValueFault, internal_row

if TYPE_CHECKING:
    from compiled_plan.plans.plan import CompiledPlan


@dataclass(frozen=True, slots=True)
class Failure:
    """The failure of a test.

    Args:
        where: the file and line of the step.
        message: what is wrong.
        differences: expected and actual rows, by table.
        fault: the error of the product; None if rows differ.
    """

    where: str
    message: str
    differences: tuple[Difference, ...] = ()
    fault: CompiledPlanError | None = None


@dataclass(frozen=True, slots=True)
class Expectation:
    """An `expect` of one table with the rows that came.

    Args:
        path: the place of its rows in the file.
        actual: the rows that came.
        row_type: their columns.
        changes: True for changes, False for rows of a table.
        differs: True if other rows were expected.
    """

    path: KeyPath
    actual: tuple[Change, ...]
    row_type: RowType
    changes: bool
    differs: bool


@dataclass(slots=True)
class Result:
    """The result of a test.

    Args:
        case: the test.
        engine: the engine that ran it.
        reason: why the quick engine did not; empty if it did, or was not to.
        seconds: the time that it took.
        started: True once its program has started.
        taken: the number of steps that it has taken without a failure.
        failure: its failure; None if it passed.
        expectations: what came where something was expected.
        notes: remarks, such as verdicts of upgrades.
    """

    case: Case
    engine: str
    reason: str = ""
    seconds: float = 0.0
    started: bool = False
    taken: int = 0
    failure: Failure | None = None
    expectations: list[Expectation] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class FailedError(Exception):
    """The failure of a step, as an exception."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def compiled_case(case: Case) -> CompiledPlan:
    """The plan of a test's program.

    Raises:
        ProgramError, UnsupportedError: it does not compile.
        PlanError: it is a plan file that cannot be read.
    """
    return _compiled(case, case.program, case.sql)


def run_case(
    case: Case,
    engines: Engines,
    engine: str = QUICK,
    *,
    collect: bool = False,
    compiled: Callable[[Case], CompiledPlan] = compiled_case,
    spark: bool = True,
) -> Result:
    """Run a test.

    Args:
        case: the test.
        engines: creates engines.
        engine: the engine to use, unless the test demands Spark; a plan or step that only Spark runs goes there.
        collect: go on after rows that differ, to collect all that came.
        compiled: compiles the program of the test.
        spark: False to fail instead of going to Spark.
    """
    begin, chosen, reason = time.monotonic(), case.engine or engine, ""
    while True:
        result = Result(case, chosen, reason)
        running = Running(case, engines, chosen, result, collect=collect, compiled=compiled)
        try:
            if chosen == SPARK and not spark:
                raise NotQuickError("the test demands Spark")
            running.start()
            result.started = True
            for step in () if case.error else case.steps:
                running.take(step)
                result.taken += 1
        except NotQuickError as fault:
            if not spark:
                result.failure = _needs_spark(result, str(fault))
                return result
            chosen, reason = SPARK, str(fault)
            continue
        except FailedError as fault:
            result.failure = fault.failure
        finally:
            running.close()
        result.seconds = time.monotonic() - begin
        return result


def _needs_spark(result: Result, reason: str) -> Failure:
    case = result.case
    where = case.document.where(case.steps[result.taken].spot if result.started else case.path)
    fault = UnsupportedError(
        f"only Spark runs this test: {reason}",
        where=where,
        remedy="run it with `test-plan --spark` on the command line",
    )
    return Failure(where, fault.message, fault=fault)


def _compiled(case: Case, program: str, sql: str = "") -> CompiledPlan:
    """The plan of a program of a test, with calls of functions whose results the test fixes.

    Raises:
        ProgramError, UnsupportedError: it does not compile.
        PlanError: it is a plan file that cannot be read.
    """
    session = Session(case.settings, tuple(map(case.file, case.init)))
    if sql:
        return compiled_text(sql, session, _silent).plan
    file = case.file(program)
    if program.endswith(".json"):
        return plan_from_file(file)
    try:
        return compiled(file, session, _silent).plan
    except CompiledPlanError as fault:
        if session.concerned(fault, file) and quoted(file) not in fault.render():
            fault.where = ", ".join(filter(None, (quoted(file), fault.where)))
        raise


def _silent(_: str) -> None:
    """Say nothing."""


class Running:
    """A test that runs.

    Args:
        case: the test; its steps are those that `take` is given.
        engines: creates engines.
        engine: the engine to use.
        result: receives notes and expectations.
        collect: go on after rows that differ.
        compiled: compiles the program of the test.
    """

    def __init__(
        self,
        case: Case,
        engines: Engines,
        engine: str,
        result: Result,
        *,
        collect: bool,
        compiled: Callable[[Case], CompiledPlan] = compiled_case,
    ) -> None:
        self._compile = compiled
        self.case, self.engines, self.result, self.collect = case, engines, result, collect
        self.chosen, self.now = engine, case.clock
        self._engine: Engine | None = None
        self._plan: CompiledPlan | None = None
        self._tables = PlanTables({}, {}, {})
        self._looked_up: dict[str, list[tuple[object, ...]]] = {}
        #: By table, all changes so far, and the number of those that were compared.
        self._changes: dict[str, list[Change]] = {}
        self._compared: Counter[str] = Counter()

    @property
    def engine(self) -> Engine:
        assert self._engine is not None
        return self._engine

    @property
    def plan(self) -> CompiledPlan:
        assert self._plan is not None
        return self._plan

    def changes(self, table: str) -> Sequence[Change]:
        """All changes of a table so far, by `table_id`."""
        return self._changes.get(table, ())

    def close(self) -> None:
        """Release the resources of the test."""
        if self._engine is not None:
            self._engine.close()

    def start(self) -> None:
        """Compile the program and start it.

        Raises:
            FailedError: it fails, or does not as it should.
            NotQuickError: it needs Spark.
        """
        where = self.case.document.where(self.case.place("program"))
        with self._failing(where, self.case.error):
            plan = self._compile(self.case)
            check_called(plan, self.case)
            self._plan = with_uids(with_results(plan, self.case))
            self._engine = self.engines(self.chosen, self.case.clock)
            self._start(self._plan)

    def take(self, step: Step) -> None:
        """Take a step.

        Raises:
            FailedError: it fails, or does not as it should.
            NotQuickError: it needs Spark.
        """
        with self._failing(self.case.document.where(step.spot), step.error):
            getattr(self, f"_{step.kind}")(step)
            self._collect()

    @contextmanager
    def _failing(self, where: str, error: str) -> Iterator[None]:
        """Turn errors into failures, and an error that is expected into none."""
        try:
            yield
        except CompiledPlanError as fault:
            if error and error.lower() in fault.render().lower():
                return
            expected = f"instead of an error with {error!r}: " if error else ""
            raise FailedError(Failure(where, f"{expected}{fault.message}", fault=fault)) from fault
        if error:
            raise FailedError(Failure(where, f"no error came, expected one with {error!r}"))

    def _start(
        self, plan: CompiledPlan, *, accepts_partial: bool = False, migrates: bool = False, reset: Sequence[str] = ()
    ) -> None:
        bounded = self.case.ends
        self.engine.start(plan, bounded=bounded, accepts_partial=accepts_partial, migrates=migrates, reset=reset)
        before, self._plan, self._tables = self._tables.sinks, plan, PlanTables.of(plan)
        for name, table in before.items():
            if name in self._tables.sinks:
                self._changes[name] = _with_columns_of(self._tables.sinks[name], table, self._changes.get(name, []))
        for name, rows in self._looked_up.items():
            if name in self._tables.lookups:
                self.engine.look_up(name, rows)

    def _collect(self) -> None:
        for name, chunks in self.engine.take().items():
            changes = self._changes.setdefault(name, [])
            for chunk in chunks:
                rows = zip(*chunk.columns, strict=True) if chunk.columns else [()] * len(chunk.kinds)
                changes += [Change(KINDS[kind], tuple(row)) for kind, row in zip(chunk.kinds, rows, strict=True)]

    # ---- steps

    def _rows(self, step: Step) -> None:
        fed = self._feed(step)
        late = self.engine.late_rows()
        if late:
            self.result.notes.append(
                f"{self.case.document.where(step.spot)}: {late} of {fed} rows came late and were dropped"
            )

    def _late(self, step: Step) -> None:
        fed, late = self._feed(step), self.engine.late_rows()
        if late != fed:
            raise self._fault(step.spot, f"{late} of {fed} rows came late and were dropped", "")

    def _feed(self, step: Step) -> int:
        """Give the rows of a step; return their number."""
        rows: dict[str, TableRows] = {}
        order = 0
        for written, items in (step.value or {}).items():
            path = (*step.spot, written)
            name, table = self._table(written, path, {**self._tables.sources, **self._tables.lookups}, "reads")
            row_type, keys = read_columns(table)
            kinds, values = [], []
            for at, item in enumerate(items or ()):
                change = self._change(item, row_type, (*path, at))
                kinds.append(KINDS.index(change.kind))
                values.append(change.row)
            if name in self._tables.lookups:
                self._change_lookup(name, kinds, values)
            if name in self._tables.sources:
                rows[name] = TableRows(kinds, range(order, order + len(kinds)), values, keys)
                order += len(kinds)
        if rows:
            self.engine.feed(rows)
        return order

    def _change_lookup(self, name: str, kinds: Sequence[int], rows: Sequence[tuple[object, ...]]) -> None:
        width = len(self._tables.lookups[name].stored_columns)
        held = self._looked_up.setdefault(name, [])
        for kind, row in zip(kinds, rows, strict=True):
            if KINDS[kind] in ("+I", "+U"):
                held.append(row[:width])
            elif row[:width] in held:
                held.remove(row[:width])
        self.engine.look_up(name, held)

    def _change(self, item: object, row_type: RowType, path: KeyPath) -> Change:
        kind, value = "+I", item
        if isinstance(item, Mapping) and len(item) == 1 and next(iter(item)) in KINDS:
            ((kind, value),) = item.items()
            path = (*path, kind)
        try:
            return Change(kind, internal_row(value, row_type))
        except ValueFault as fault:
            raise self._fault((*path, *fault.path), fault.message, fault.remedy) from None

    def _table(
        self, written: str, path: KeyPath, tables: Mapping[str, CatalogTable], verb: str
    ) -> tuple[str, CatalogTable]:
        fitting = tables_named(written, tables)
        if len(fitting) == 1:
            return fitting[0], tables[fitting[0]]
        names = ", ".join(sorted(table.name for table in tables.values())) or "none"
        problem = (
            f"the program {verb} several tables {written!r}" if fitting else f"the program {verb} no table {written!r}"
        )
        remedy = f"write one of {', '.join(fitting)}" if fitting else f"it {verb} {names}"
        raise self._fault(path, problem, remedy)

    def _fault(self, path: KeyPath, message: str, remedy: str) -> ProgramError:
        return self.case.document.error(path, message, remedy)

    def _clock(self, step: Step) -> None:
        at = time_of(self.case.document, step.spot, step.value, self.now)
        if at < self.now:
            raise self._fault(step.spot, "the clock cannot go back", f"it shows {_text(self.now)}")
        self.now = at
        self.engine.set_clock(at)

    def _watermark(self, step: Step) -> None:
        self.engine.set_watermark(time_of(self.case.document, step.spot, step.value))

    def _end(self, step: Step) -> None:
        self.engine.end()

    def _restart(self, step: Step) -> None:
        self.engine.stop()
        self._start(self.plan)

    def _kill(self, step: Step) -> None:
        self.engine.stop(kill=True)
        self._start(self.plan)

    def _ttl(self, step: Step) -> None:
        edits = [parse_edit(f"{_operator(self.plan, str(target))}={ttl}") for target, ttl in step.value.items()]
        text, changes = set_ttls(self.plan.to_json(), edits)
        self.result.notes += [f"{change.uid}.{change.entry}: {change.old} -> {change.new}" for change in changes]
        self.engine.stop()
        self._start(type(self.plan).from_json(text))

    def upgraded(self, program: str) -> CompiledPlan:
        """The plan of a program that continues.

        Raises:
            ProgramError, UnsupportedError: it does not compile.
            PlanError: it is a plan file that cannot be read.
        """
        return over(with_results(_compiled(self.case, program), self.case), self.plan)

    def verdict(self, plan: CompiledPlan) -> str:
        """The verdict on the state for a plan that continues."""
        return diff_plans(self.plan, plan).verdict.value

    def _upgrade(self, step: Step) -> None:
        value = step.value if isinstance(step.value, dict) else {"program": step.value}
        plan = self.upgraded(value["program"])
        verdict = self.verdict(plan)
        self.result.notes.append(f"{value['program']}: {verdict}")
        expected = value.get("verdict")
        if expected not in (None, verdict):
            raise self._fault((*step.spot, "verdict"), f"the verdict is {verdict!r}, expected {expected!r}", "")
        self.engine.stop()
        accepts = expected not in (None, Verdict.FULL.value)
        reset = [_operator(plan, name) for name in value.get("reset", ())]
        self._start(plan, accepts_partial=accepts, migrates=True, reset=reset)

    def _expect(self, step: Step) -> None:
        failed = []
        for written, expected in step.value.items():
            path = (*step.spot, written)
            name, table = self._table(written, path, self._tables.sinks, "writes")
            row_type = written_columns(table)
            whole = isinstance(expected, Mapping)
            if whole:
                path, expected = (*path, "table"), expected["table"]
            wanted = [self._change(item, row_type, (*path, at)) for at, item in enumerate(expected or ())]
            changes = self._changes.get(name, [])
            key = [row_type.names.index(column) for column in table.primary_key]
            actual = table_of(changes, row_type, key) if whole else changes[self._compared[name] :]
            self._compared[name] = len(changes)
            difference = differences(written, wanted, actual, row_type, key, in_order=not whole)
            came = Expectation(path, tuple(actual), row_type, not whole, difference is not None)
            self.result.expectations.append(came)
            failed += [] if difference is None else [difference]
        if failed and not self.collect:
            names = " and ".join(difference.table for difference in failed)
            raise FailedError(Failure(self.case.document.where(step.spot), f"{names} differs", tuple(failed)))


def _operator(plan: CompiledPlan, target: str) -> str:
    """An operator of a step, with or without a state entry, with the whole uid: its fingerprint may be omitted."""
    name, dot, entry = target.rpartition(".")
    name, entry = (name, entry) if dot else (target, "")
    fitting = [str(node.uid) for node in plan.nodes if node.uid and str(node.uid).rpartition("-")[0] == name]
    return f"{fitting[0]}{dot}{entry}" if len(fitting) == 1 else target


def over(new: CompiledPlan, old: CompiledPlan) -> CompiledPlan:
    """A plan with the uids and edited TTLs of the plan that it continues."""
    return recompile(with_uids(new), old).plan


def tables_named(written: str, tables: Mapping[str, CatalogTable]) -> list[str]:
    """The `table_id`s of the tables that a step names."""
    return [name for name in tables if name == written or name.endswith(f".{written}")]


def short_name(name: str, tables: Mapping[str, CatalogTable]) -> str:
    """The own name of a table, if no other table has it; else its `table_id`."""
    own = tables[name].name
    return own if sum(table.name == own for table in tables.values()) == 1 else name


def read_columns(table: CatalogTable) -> tuple[RowType, tuple[str, ...]]:
    """The columns of rows for a source, with its metadata columns; and the keys of the metadata."""
    assert table.resolved_table is not None
    metadata = [column for column in table.resolved_table.table_schema.columns if isinstance(column, MetadataColumn)]
    fields = [*physical_row(table.resolved_table).fields, *(Field(c.name, c.data_type) for c in metadata)]
    return RowType(fields=tuple(fields)), tuple(column.key for column in metadata)


def _with_columns_of(new: CatalogTable, old: CatalogTable, changes: Sequence[Change]) -> list[Change]:
    """Changes of a table with the columns that it has after an upgrade; new ones are NULL."""
    names = [column.name for column in old.stored_columns]
    places = [names.index(c.name) if c.name in names else None for c in new.stored_columns]
    return [Change(c.kind, tuple(None if at is None else c.row[at] for at in places)) for c in changes]


def written_columns(table: CatalogTable) -> RowType:
    """The columns of rows of a sink."""
    assert table.resolved_table is not None
    return physical_row(table.resolved_table)


def _text(millis: int) -> str:
    return (dt.datetime(1970, 1, 1) + dt.timedelta(milliseconds=millis)).isoformat(sep=" ")
