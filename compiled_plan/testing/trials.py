"""Runs of a program that continues and of one from scratch, over the same input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from compiled_plan.plans.execution.testing.continuing import as_continued
from compiled_plan.plans.execution.testing.engine import WATCHED, Engines
from compiled_plan.plans.execution.testing.replacing import PlanTables, table_id
from compiled_plan.plans.inspection.diff.build import diff_of
from compiled_plan.plans.inspection.diff.model import OperatorEdit, PlanDiff, SinkEdit
from compiled_plan.plans.inspection.diff.sides import PlanPair, PlanSide
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.inspection.lineage.rows import port
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.sort import TemporalSort
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.trees import reached
from compiled_plan.plans.types import Field, RowType
from compiled_plan.testing.candidates import Tables
from compiled_plan.testing.cases import Case, Step, cases_of_text
from compiled_plan.testing.comparing import Change, table_of
from compiled_plan.testing.inputs import Event, Input
from compiled_plan.testing.outcomes import AFTER, BEFORE, Differing, Outcome, Watch, differing_changes, differs
from compiled_plan.testing.running import FailedError, Result, Running, read_columns, short_name, written_columns


class EndedError(Exception):
    """The end of a program by its input."""


@dataclass(frozen=True)
class Trials:
    """Runs of both programs over inputs.

    Args:
        old: the program before the change.
        new: the program after it.
        engines: creates engines.
        tables: the tables that each of them reads.
    """

    old: CompiledPlan
    new: CompiledPlan
    engines: Engines
    tables: tuple[Tables, Tables]
    _outcomes: dict[str, Outcome | None] = field(default_factory=dict, compare=False)

    @cached_property
    def _case(self) -> Case:
        """A test whose input ends."""
        (case,) = cases_of_text("steps: [{end: }]")
        return case

    @cached_property
    def _both(self) -> PlanPair:
        return PlanPair.of(self.old, self.new)

    @cached_property
    def diff(self) -> PlanDiff:
        return diff_of(self._both)

    @cached_property
    def _renamed(self) -> CompiledPlan:
        """The new program with the uids that it has when it continues, so that both runs share one query."""
        return as_continued(self.new, self.diff)

    @cached_property
    def reset(self) -> tuple[str, ...]:
        """The uids of the operators that only start empty."""
        continued = (Verdict.FULL, Verdict.PARTIAL)
        return tuple(
            edit.uid for edit in self.diff.operators if edit.new_node is not None and edit.verdict not in continued
        )

    @cached_property
    def watches(self) -> tuple[Watch, ...]:
        """The parts of the new program, operators in the order of the data flow first."""
        return tuple(self._watches())

    def _watches(self) -> Iterator[Watch]:
        new = self._both.new
        for part in self.diff.parts:
            if isinstance(part, OperatorEdit):
                ends = [(self._both.old, part.old_node), (new, part.new_node)]
                before, after = (None if node is None else _holder(side, node) for side, node in ends)
                nodes = [] if after is None or after < 0 else [after]
            elif isinstance(part, SinkEdit) or part.verdict is not Verdict.FULL:
                before, nodes = None, [*part.new_nodes]
            else:
                continue
            if nodes:
                below = frozenset(reached(nodes, lambda node: [next_.id for next_ in new.plan.consumers(node)]))
                above = frozenset(reached(nodes, lambda node: [input_.id for input_ in new.plan.inputs(node)]))
                sinks = frozenset(node for node in below if isinstance(new.plan.node(node), Sink))
                own = frozenset(nodes) if isinstance(part, SinkEdit) else sinks
                yield Watch(part, (before, nodes[0]), own, above - {*nodes})

    def seen(self) -> Iterator[Outcome]:
        """The outcomes so far."""
        yield from filter(None, self._outcomes.values())

    def outcome(self, input_: Input) -> Outcome | None:
        """The rows of both runs; None if an earlier run over this input ended a program.

        Raises:
            CompiledPlanError: a program does not start.
            EndedError: the input ends a program.
        """
        key = repr(input_)
        if key not in self._outcomes:
            self._outcomes[key] = None
            self._outcomes[key] = self._outcome(input_)
        return self._outcomes[key]

    def _outcome(self, input_: Input) -> Outcome:
        upgrade = {
            "program": "",
            "verdict": self.diff.verdict.value,
            **({"reset": [*self.reset]} if self.reset else {}),
        }
        first, before = ([*_rows(input_.before, side), *self._watermark(input_.before)] for side in self.tables)
        after, end = _rows(input_.after, self.tables[True]), [Step("end", None, ())]
        steps = [first, [Step("upgrade", upgrade, ())], after, end]
        continued = self._run(self.old, steps[0], [step for part in steps[1:] for step in part])
        # A run that starts again ends its input only after further rows, as one that continues does.
        restart = Step("restart", None, ())
        scratch = self._run(self._renamed, before, [restart, *after, *end])
        sinks = dict(self._sinks(scratch, continued))
        operators = dict(self._operators(scratch, continued))
        return Outcome(
            input_,
            [step for part in steps for step in part],
            self._results(continued),
            sinks,
            operators,
            frozenset(node for node, name in self._names.items() if scratch.changes(name)),
        )

    @cached_property
    def _times(self) -> tuple[Mapping[str, str], ...]:
        """By program, the tables with a watermark, and the column of their time."""
        return tuple(
            {
                name: table.resolved_table.table_schema.watermark_specs[0].rowtime_attribute
                for name, table in side.items()
                if table.resolved_table is not None and table.resolved_table.table_schema.watermark_specs
            }
            for side in self.tables
        )

    def _watermark(self, events: Sequence[Event]) -> Iterator[Step]:
        """The watermark behind rows, where the programs read different tables that could hold it back.

        Rows that are late for one watermark alone are no matter of the state.
        """
        first, second = self._times
        read = {event.table for event in events}
        if first.keys() != second.keys() and all(read & side.keys() for side in self.tables):
            times = {**first, **second}
            last = max(
                (str(at) for e in events if e.table in times for row in e.rows if (at := row.get(times[e.table]))),
                default=None,
            )
            yield from [] if last is None else [Step("watermark", last, ())]

    def _run(self, first: CompiledPlan, before: Sequence[Step], after: Sequence[Step]) -> _Trial:
        case = replace(self._case, steps=(*before, *after))
        trial = _Trial(case, self.engines, first, self.new, self.diff.verdict.value)
        trial.run(before, after)
        return trial

    @cached_property
    def _tables_written(self) -> Mapping[int, tuple[str, str, RowType, Sequence[int]]]:
        """By node of a sink: the id of its table, its name in tests, the columns, and the primary key."""
        tables = PlanTables.of(self.new).sinks
        sinks = [node for node in self.new.nodes if isinstance(node, Sink)]
        written = {}
        for sink in sinks:
            table = sink.dynamic_table_sink.table
            columns, name = written_columns(table), table_id(table)
            key = [columns.names.index(column) for column in table.primary_key]
            written[sink.id] = name, short_name(name, tables), columns, key
        return written

    def _sinks(self, scratch: _Trial, continued: _Trial) -> Iterator[tuple[int, Differing]]:
        for node, (name, short, columns, key) in self._tables_written.items():
            changes = scratch.changes(name), continued.changes(name)
            wanted, came = (table_of(side, columns, key) for side in changes)
            table = Differing(short, wanted, came, columns, key, in_order=False)
            if differs(wanted, came, columns) or (node in self._sorted and differs(*changes, columns, in_order=True)):
                yield node, table

    @cached_property
    def _sorted(self) -> frozenset[int]:
        """The sinks whose rows have an order, by node."""
        new = self._both.new
        return frozenset(
            node
            for node in self._tables_written
            if any(isinstance(new.plan.node(above), TemporalSort) for above in new.before(node))
        )

    def _results(self, continued: _Trial) -> dict[str, tuple[Sequence[Change], RowType]]:
        """The rows of all sinks, and their columns."""
        return {
            short: (table_of(continued.changes(name), columns, key), columns)
            for name, short, columns, key in self._tables_written.values()
        }

    @cached_property
    def _names(self) -> Mapping[int, str]:
        """By node of an operator or sink, the name of its rows in a run."""
        operators = {watch.nodes[1]: str(watch.nodes[1]) for watch in self.watches}
        return operators | {node: name for node, (name, *_) in self._tables_written.items()}

    def _operators(self, scratch: _Trial, continued: _Trial) -> Iterator[tuple[int, Differing]]:
        """By node, what operators emit from the change on if that differs; else what they emitted before."""
        for watch in self.watches:
            if not isinstance(watch.part, OperatorEdit):
                continue
            before, node = watch.nodes
            row_type = _emitted(self.new, node)
            differing = differing_changes(AFTER, scratch.after(node), continued.after(node), row_type)
            if differing is None and before is not None and watch.part.verdict is Verdict.PARTIAL:
                places = self._shared(before, node)
                wanted = [_at(change, [*places.keys()]) for change in scratch.before(node)]
                came = [_at(change, [*places.values()]) for change in continued.before(before)]
                shared = RowType(fields=tuple(row_type.fields[at] for at in places))
                differing = differing_changes(BEFORE, wanted, came, shared)
            if differing is not None:
                yield node, differing

    def _shared(self, old: int, new: int) -> dict[int, int]:
        """The columns that an operator emits in both programs, by lineage; by name if lineage knows none."""
        before, after = (
            [column.digest for column in port(side.lineage.flows[node]).all_columns()]
            for side, node in ((self._both.old, old), (self._both.new, new))
        )
        names = [_emitted(plan, node).names for plan, node in ((self.old, old), (self.new, new))]
        by_lineage = {at: before.index(digest) for at, digest in enumerate(after) if digest in before}
        return by_lineage or {at: names[0].index(name) for at, name in enumerate(names[1]) if name in names[0]}


class _Trial(Running):
    """A run of one program, or of two in succession."""

    def __init__(self, case: Case, engines: Engines, first: CompiledPlan, second: CompiledPlan, verdict: str) -> None:
        super().__init__(case, engines, WATCHED, Result(case, WATCHED), collect=True, compiled=lambda _: first)
        self._second, self._verdict = second, verdict
        #: By table or node, the number of changes before the change of the program.
        self._before: dict[str, int] = {}

    def upgraded(self, program: str) -> CompiledPlan:
        return self._second

    def verdict(self, plan: CompiledPlan) -> str:
        return self._verdict

    def _rows(self, step: Step) -> None:
        self._feed(step)

    def before(self, node: int) -> Sequence[Change]:
        """The rows that an operator emitted before the change."""
        return self.changes(str(node))[: self._before.get(str(node), 0)]

    def after(self, node: int) -> Sequence[Change]:
        """The rows that an operator emitted from the change on."""
        return self.changes(str(node))[self._before.get(str(node), 0) :]

    def run(self, before: Sequence[Step], after: Sequence[Step]) -> None:
        """Take all steps.

        Raises:
            CompiledPlanError: a program does not start.
            EndedError: the input ends a program.
        """
        starting = True
        try:
            self.start()
            starting = False
            for step in before:
                self.take(step)
            self._before = {name: len(changes) for name, changes in self._changes.items()}
            for step in after:
                starting = step.kind == "upgrade"
                self.take(step)
        except FailedError as failure:
            if starting and failure.failure.fault is not None:
                raise failure.failure.fault from None
            raise EndedError from failure
        finally:
            self.close()


def _holder(side: PlanSide, node: int) -> int:
    """The operator with the state of a node: itself, or the last phase of a first one; -1 if there is none."""
    return node if node in side.operators else side.last_phase(node)


def _emitted(plan: CompiledPlan, node: int) -> RowType:
    """The columns that a node emits."""
    fields = plan.node(node).output_type.fields
    return RowType(fields=tuple(Field(item.name, item.type.as_regular()) for item in fields))


def _at(change: Change, columns: Sequence[int]) -> Change:
    return Change(change.kind, tuple(change.row[at] for at in columns))


def _rows(events: Sequence[Event], tables: Tables) -> list[Step]:
    """A step with rows of a program's tables, if there are any."""
    rows: dict[str, list[object]] = {}
    own = {table_id(table): table for table in tables.values()}
    for event in events:
        if event.table in tables:
            table = tables[event.table]
            items = event.items(read_columns(table)[0].names)
            rows.setdefault(short_name(table_id(table), own), []).extend(items)
    return [Step("rows", rows, ())] if rows else []
