"""Import of a Flink savepoint: read it, report what a plan imports, write the first generation of a checkpoint."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.state.flink.choices import Choices, Fate
from compiled_plan.plans.execution.state.flink.matching import (
    candidate_uids,
    matched,
    pending_sinks,
    rows_in_flight,
    source_of,
    targets,
)
from compiled_plan.plans.execution.state.flink.positions.errors import PositionError
from compiled_plan.plans.execution.state.flink.positions.reading import (
    Position,
    position_of,
    starts_of,
)
from compiled_plan.plans.execution.state.flink.report import (
    ImportReport,
    LeftState,
    OperatorImport,
    Outcome,
    SinkImport,
    SourceImport,
)
from compiled_plan.plans.execution.state.flink.savepoint.head import SavepointHead, SavepointOperator
from compiled_plan.plans.execution.state.flink.savepoint.reading import read_savepoint
from compiled_plan.plans.functions.naming import with_module_functions
from compiled_plan.plans.inspection.identity import keeps_state, with_uids
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.session_options import UTC, with_zone
from compiled_plan.plans.text.visible import counted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from compiled_plan.plans.execution import run
    from compiled_plan.plans.execution.session.options import RunOptions
    from compiled_plan.plans.execution.spark.storage import Folder
    from compiled_plan.plans.execution.stages import prepared
    from compiled_plan.plans.execution.state.flink import first_generation
    from compiled_plan.plans.execution.state.upgrade.decision import UpgradeRequest
    from compiled_plan.plans.execution.state.upgrade.start import Start
    from compiled_plan.plans.secrets import values
    from compiled_plan.plans.secrets.values import Secrets
else:
    values = deferred("compiled_plan.plans.secrets.values")
    prepared = deferred("compiled_plan.plans.execution.stages.prepared")
    run = deferred("compiled_plan.plans.execution.run")
    first_generation = deferred("compiled_plan.plans.execution.state.flink.first_generation")

#: The option that leaves state behind, named as in Flink.
ALLOW = "--allow-non-restored-state"


@dataclass(frozen=True, slots=True)
class ImportOptions(Choices):
    """Options of an import; see also `Choices`.

    Args:
        written_at: time of last write of entries without one, in ms; None for the time of the import.
        jars: jars with classes that are stored in the savepoint.
        allow_non_restored_state: leave state behind that is of no operator of the plan.
    """

    written_at: int | None = None
    jars: tuple[Path, ...] = ()
    allow_non_restored_state: bool = False

    @classmethod
    def of(
        cls,
        starts: Sequence[str],
        reset: Sequence[str],
        written_at: str,
        jars: Sequence[str],
        *,
        allow_non_restored_state: bool = False,
    ) -> ImportOptions:
        """The options of a command.

        Raises:
            CheckpointError: a value is malformed.
        """
        moment = _time_of(written_at)
        return cls(starts_of(starts), frozenset(reset), moment, tuple(map(Path, jars)), allow_non_restored_state)


def _time_of(text: str) -> int | None:
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise CheckpointError(f"--written-at {text} is no time with a zone", remedy="write it as 2026-01-31T12:00:00Z")
    return int(moment.timestamp() * 1000)


@dataclass(frozen=True, slots=True)
class Import:
    """A savepoint that was read, beside the plan that takes it over.

    Args:
        plan: the plan with uids.
        folder: the savepoint's neutral form.
        report: what the plan imports.
        entries: by node id, the files with the entries of its operator.
        positions: by node id of a scan, its position.
    """

    plan: CompiledPlan
    folder: Path
    report: ImportReport
    entries: Mapping[int, tuple[str, ...]]
    positions: Mapping[int, Position]

    @classmethod
    @contextmanager
    def open(cls, savepoint: str, plan: CompiledPlan, options: ImportOptions) -> Iterator[Import]:
        """Read a savepoint into a temporary folder.

        Raises:
            CheckpointError: it cannot be read, or is not of a job that ran the plan.
        """
        with TemporaryDirectory(prefix="compiled-plan-savepoint-") as name:
            folder = Path(name) / "form"
            plan = with_uids(plan)
            head = read_savepoint(savepoint, folder, uids=tuple(candidate_uids(plan)), jars=options.jars)
            yield examined(plan, folder, head, options)

    def check(self, options: RunOptions) -> values.Secrets:
        """Raise if anything is refused; return the secrets of the plan.

        Args:
            options: the functions of the plan.

        Raises:
            CheckpointError: names each part, with the reason and the remedy.
            UnsupportedError: the plan has something that does not run; names it.
            ExecutionError: secrets are missing; names them all.
        """
        self._check_refused()
        prepared.prepare(with_zone(with_module_functions(self.plan, options.functions_from), options.time_zone, UTC))
        secrets = values.Secrets(options.secrets)
        secrets.collect(self.plan)
        return secrets

    def _check_refused(self) -> None:
        self.report.check("the savepoint cannot be imported", self.report.savepoint)

    def write(self, spark: SparkSession, options: RunOptions, secrets: Secrets | None = None) -> None:
        """Write the first generation of a checkpoint.

        Args:
            spark: the session.
            options: the checkpoint, which is empty, and the functions of the plan.
            secrets: the secrets of the plan, if `check` has collected them.

        Raises:
            CheckpointError: the checkpoint is not empty, or state has an unknown form; nothing is left.
        """
        self._check_refused()
        run.Run(spark, self.plan, options, begin=self.start(spark), secrets=secrets).prepare()

    def start(self, spark: SparkSession) -> Callable[[Folder, UpgradeRequest], Start]:
        """The start of a run on an empty checkpoint, with the state that is not refused."""
        report = self.report
        imported = first_generation.ImportedState(
            self.entries, self.positions, report.watermark or 0, report.written_at
        )
        return partial(first_generation.ImportStart, spark=spark, imported=imported)


def examined(plan: CompiledPlan, folder: Path, head: SavepointHead, options: ImportOptions) -> Import:
    """Decide what a plan imports.

    Args:
        plan: the plan with uids.
        folder: the savepoint's neutral form.
        head: its head.
        options: see `ImportOptions`.

    Raises:
        CheckpointError: the savepoint is not of a job that ran the plan, or an option names an unknown part.
    """
    return _Examined(plan, folder, head, options).imported()


@dataclass(frozen=True, slots=True)
class _Examined:
    plan: CompiledPlan
    folder: Path
    head: SavepointHead
    options: ImportOptions

    def imported(self) -> Import:
        operators = matched(self.plan, self.head)
        stateful = [node for node in self.plan.in_order if keeps_state(node)]
        self.options.check_reset([node.uid or "" for node in stateful], "plan")
        states = tuple(self._operator(node, operators.get(node.id, ())) for node in stateful)
        sources, positions = self._sources(operators)
        report = ImportReport(
            savepoint=self.head.savepoint,
            taken_at=self.head.time,
            watermark=self._watermark(),
            written_at=int(time.time() * 1000) if self.options.written_at is None else self.options.written_at,
            operators=states,
            sources=sources,
            sinks=self._sinks(),
            left=tuple(self._left(operators, {node.id for node in stateful})),
        )
        continued = {state.node for state in states if state.outcome in (Outcome.TAKEN, Outcome.COMPUTED)}
        entries: dict[int, tuple[str, ...]] = {}
        for node in operators.keys() & continued:
            files = tuple(str(self.folder / file) for operator in operators[node] for file in operator.files)
            for target in continued.intersection(targets(self.plan, node)):
                entries[target] = (*entries.get(target, ()), *files)
        return Import(self.plan, self.folder, report, entries, positions)

    def _operator(self, node: PlanNode, operators: Sequence[SavepointOperator]) -> OperatorImport:
        entries, size = (sum(getattr(operator, name) for operator in operators) for name in ("entries", "bytes"))
        fate = self._fate(node, operators, entries)
        return OperatorImport(
            node.id, node.uid or "", node.description, fate.outcome, entries, size, fate.why, fate.remedy
        )

    def _fate(self, node: PlanNode, operators: Sequence[SavepointOperator], entries: int) -> Fate:
        if operators and not entries:
            return Fate(Outcome.EMPTY, "the savepoint has no state of it")
        if node.uid in self.options.reset:
            return Fate(Outcome.EMPTY, "--reset")
        mapping = node.flink_mapping
        if not operators and mapping.stateless:
            return Fate(Outcome.EMPTY, "Flink keeps no state of it")
        states = dict.fromkeys(state.name for operator in operators for state in operator.converted_states)
        refusal, remedy = mapping.refusal_of(states), f"--reset {node.uid} starts it empty"
        if not operators:
            refusal = "the savepoint does not have this operator"
        elif mapping.timed and not any(state.kind == "TIMERS" for operator in operators for state in operator.states):
            refusal = "the savepoint has none of its timers: Flink leaves those on the heap out of native savepoints"
            remedy = f"take a canonical savepoint; {remedy}"
        if refusal:
            return self.options.refused(refusal, remedy)
        unless = mapping.unless and f"refused by the import if {mapping.unless}"
        outcome = Outcome.COMPUTED if mapping.computation else Outcome.TAKEN
        return Fate(outcome, "; ".join(filter(None, (mapping.computation, unless))))

    def _left(self, operators: Mapping[int, Sequence[SavepointOperator]], stateful: Set[int]) -> Iterator[LeftState]:
        """The operators with state that no operator of the plan continues; Flink refuses them, too."""
        continued = {operator.id for node in stateful & operators.keys() for operator in operators[node]}
        sources = {operator.id for group in operators.values() for operator in group}
        for operator in self.head.operators:
            has_state = operator.entries or source_of((operator,)).splits
            lost = operator.id not in continued if operator.entries else operator.id not in sources
            if in_flight := rows_in_flight(operator):
                why = f"it has {counted(in_flight, 'row')} in flight, which Flink would compute again"
                remedy = f"take the savepoint when no rows arrive, or leave them behind: {ALLOW}"
            elif has_state and lost:
                why = "no operator of the plan has this state"
                remedy = f"import the plan that the job ran, or leave it behind: {ALLOW}"
            else:
                continue
            name = operator.uid or operator.name or operator.id
            about = partial(LeftState, name, entries=operator.entries, bytes=operator.bytes, why=why)
            if self.options.allow_non_restored_state:
                yield about(Outcome.NOT_RESTORED)
            else:
                yield about(Outcome.REFUSED, remedy=remedy)

    def _sources(
        self, operators: Mapping[int, Sequence[SavepointOperator]]
    ) -> tuple[tuple[SourceImport, ...], Mapping[int, Position]]:
        sources: list[SourceImport] = []
        positions: dict[int, Position] = {}
        for scan, name, table, start in self.options.sources(self.plan):
            try:
                position = position_of(table, source_of(operators.get(scan.id, ())), start)
            except PositionError as error:
                remedy = error.remedy.replace("TABLE", name) or f"say where it starts: --start {name}=earliest"
                sources.append(SourceImport(scan.id, name, Outcome.REFUSED, why=str(error), remedy=remedy))
                continue
            positions[scan.id] = position
            outcome = Outcome.EMPTY if position.begins else Outcome.TAKEN
            sources.append(SourceImport(scan.id, name, outcome, position.words))
        return tuple(sources), positions

    def _sinks(self) -> tuple[SinkImport, ...]:
        """The sinks; output that Flink has not committed is in the savepoint alone, and would be lost.

        Flink commits the output of a job that stops behind its last savepoint, which still has it.
        """
        pending = pending_sinks(self.plan, self.head)
        sinks = []
        for node in self.plan.in_order:
            if not isinstance(node, Sink):
                continue
            name = node.dynamic_table_sink.table.name
            if node.id in pending and self.head.stopped:
                why = "Flink has committed its output, if `flink stop` ended without an error"
                sinks.append(SinkImport(node.id, name, Outcome.TAKEN, why))
            elif node.id in pending:
                why = "the savepoint has output that Flink has not committed"
                remedy = "stop the job with `flink stop`, which commits it, and import that savepoint"
                sinks.append(SinkImport(node.id, name, Outcome.REFUSED, why, remedy))
            else:
                sinks.append(SinkImport(node.id, name, Outcome.TAKEN))
        return tuple(sinks)

    def _watermark(self) -> int | None:
        """The least watermark that an operator has stored."""
        times = [
            value
            for operator in self.head.operators
            for stored in operator.lists
            if stored.name == "watermark" and stored.type == "LONG"
            for elements in stored.elements
            for value in elements
        ]
        return min(times, default=None)
