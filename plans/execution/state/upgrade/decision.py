"""The decision of a start on a checkpoint: resume in place, migrate the state into a new generation, or refuse."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from compiled_plan.plans.errors import CheckpointError, CompiledPlanError
from compiled_plan.plans.execution.functions.columns import PythonFunctions
from compiled_plan.plans.execution.session.options import CHECK, CORRECT, MIGRATE_PARTIAL, NATIVE, RunOptions
from compiled_plan.plans.execution.stages.hosts import hosted
from compiled_plan.plans.execution.stages.prepared import PreparedPlan, prepare, table_spec
from compiled_plan.plans.execution.state.checkpoint.comparison import StartingPoint
from compiled_plan.plans.execution.state.checkpoint.description import Setting, clock_of, stages_of
from compiled_plan.plans.execution.state.checkpoint.offsets import entries, progress_of
from compiled_plan.plans.execution.state.checkpoint.sources import names_of
from compiled_plan.plans.execution.state.checkpoint.store import Store
from compiled_plan.plans.execution.state.upgrade.excerpt import above
from compiled_plan.plans.execution.state.upgrade.filling import Filling
from compiled_plan.plans.execution.state.upgrade.history import FileTimes
from compiled_plan.plans.execution.state.upgrade.outputs import astray
from compiled_plan.plans.execution.state.upgrade.partly import partly_after, partly_of
from compiled_plan.plans.execution.state.upgrade.pasts import Pasts, tables_with_watermarks
from compiled_plan.plans.execution.state.upgrade.planning import (
    begins_to_expire,
    check_columns,
    kept_uids,
    plan_state,
    steps_of_history,
    steps_of_sources,
    uids_of,
)
from compiled_plan.plans.execution.state.upgrade.refusing import UpgradeError, refusal
from compiled_plan.plans.execution.state.upgrade.steps import (
    RESET,
    TOUCHED,
    CompareTable,
    FinishBatch,
    MoveState,
    Publish,
    ReadState,
    SendCorrections,
    Step,
    WarmUp,
    WriteState,
)
from compiled_plan.plans.execution.state.upgrade.touched import Touched, check_sinks, read_back, touched_by
from compiled_plan.plans.execution.state.upgrade.warming import ALL, Warming
from compiled_plan.plans.inspection.checkpoints import Head
from compiled_plan.plans.inspection.diff.build import diff_of
from compiled_plan.plans.inspection.diff.concerns import Concern, accepts, concerns, fill_options, reset_uids
from compiled_plan.plans.inspection.diff.description import facts_of, read_description
from compiled_plan.plans.inspection.diff.mapping import StateMapping, mapping_of
from compiled_plan.plans.inspection.diff.model import OperatorEdit, PlanDiff
from compiled_plan.plans.inspection.diff.sides import PlanPair
from compiled_plan.plans.inspection.identity import renamed
from compiled_plan.plans.inspection.judging.verdicts import Verdict, worst
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.secrets.values import Secrets

if TYPE_CHECKING:
    from compiled_plan.plans.execution.spark.storage import Folder


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision of a start on a checkpoint.

    Args:
        known: the checkpoint as the start uses it.
        steps: the migration of the state into a new generation; empty to resume in place.
        partitions: the number of shuffle partitions of the state from now on.
        verdict: compatibility of the migrated state.
        diff: the difference of the plans; None if they were not compared.
        findings: incompatibilities that were accepted.
        filling: the operators to fill from history, and the history; None if there are none.
        filled: mappings of these operators' state from the replayed query.
        partly: by uid, why an operator's state does not reflect all rows read, see `upgrade.partly`.
    """

    known: StartingPoint
    steps: tuple[Step, ...] = ()
    partitions: int = 0
    verdict: Verdict = Verdict.FULL
    diff: PlanDiff | None = None
    findings: tuple[Concern, ...] = ()
    filling: Filling | None = None
    filled: tuple[StateMapping, ...] = ()
    partly: Mapping[str, str] = field(default_factory=dict)

    @property
    def migrates(self) -> bool:
        """Return True if the state migrates into a new generation."""
        return bool(self.steps)


@dataclass(frozen=True, slots=True)
class UpgradeRequest:
    """A request to start a program.

    Args:
        prepared: the plan to start.
        setting: the environment of the run.
        options: the options of the run.
        functions: the Python functions of the plan.
        times: modification times of files; None disables filling from history.
        secrets: the secrets to which options of tables refer.
        astray: the tables with rows that a rollback or rewind has left; None to take them from the checkpoint.
    """

    prepared: PreparedPlan
    setting: Setting
    options: RunOptions
    functions: PythonFunctions | None = None
    times: FileTimes | None = None
    secrets: Secrets = field(default_factory=Secrets)
    astray: frozenset[str] | None = None


def decide(store: Store, request: UpgradeRequest) -> Decision | None:
    """Decide how to start; None for a new checkpoint.

    Raises:
        UpgradeError: the options do not permit the required change of state.
        CheckpointError: the folder is the checkpoint of another release or tool.
    """
    head = store.head()
    if head is None:
        wanted = [("--reset", uid) for uid in request.options.reset]
        wanted += [("--warm-up", uid) for uid in request.options.warm_up if uid != ALL]
        for option, uid in wanted:
            raise CheckpointError(
                f"{option} {uid}: no program was started on this checkpoint",
                where=store.root.shown,
                remedy=f"leave {option} out",
            )
        return None
    return _Deciding(store, head, request).decision()


def unguarded(store: Store, request: UpgradeRequest) -> Decision | None:
    """Resume in place despite any difference, to show the consequences in tests."""
    head = store.head()
    return None if head is None else _Deciding(store, head, request).in_place()


class _Deciding:
    def __init__(self, store: Store, head: Head, request: UpgradeRequest) -> None:
        self.store, self.head, self.request = store, head, request
        self.prepared, self.setting, self.options = request.prepared, request.setting, request.options
        files = store.program(head)
        self.old = read_description(files.description, store.root.shown)
        self.old_plan = CompiledPlan.from_json(files.plan)
        runs = facts_of(self.old, self.old_plan), self.setting.facts
        self.both = PlanPair.of(self.old_plan, self.prepared.plan, runs)
        self.folder: Folder = store.generation(head.generation).folder

    def decision(self) -> Decision:
        diff = diff_of(self.both)
        chosen = reset_uids(diff, self.options.reset, self.store.root.shown)
        corrects = self.options.upgrade == CORRECT
        touched = self._touched(diff, chosen) if corrects else Touched()
        reset = dict.fromkeys(touched.uids, TOUCHED) | dict.fromkeys(chosen, RESET)
        # A correction fills everything that starts empty.
        warm_up = (ALL,) if touched.uids else self.options.warm_up
        filling = self._filling(diff, reset.keys(), warm_up, touched.sinks)
        if filling is not None:
            check_sinks(self.prepared, filling.sinks, self.setting.place, self.store.root.uri)
            diff = self._filled(filling)
        concerned = tuple(concern for concern in concerns(diff, reset.keys()) if concern.what not in touched.settled)
        verdict = worst(concern.verdict for concern in concerned)
        if not accepts(verdict, partial=self.options.upgrade == MIGRATE_PARTIAL):
            raise refusal(concerned, diff, self.store.root.uri, (*self._fillings(diff, concerned, reset.keys()),))
        named = (*self.options.reset, *(uid for uid in self.options.warm_up if uid != ALL))
        moves = named or filling is not None or self.options.upgrade not in (CHECK, CORRECT)
        if not moves and not self._touches_state(diff):
            return replace(self.in_place(), diff=diff)
        return self._migration(diff, reset, concerned, verdict, filling)

    def _touched(self, diff: PlanDiff, reset: Set[str]) -> Touched:
        """The scope of a correction."""
        rest = self.request.astray
        rest = astray(self.store, self.head.generation) if rest is None else rest
        return touched_by(self.both, diff, self.prepared, self._partly, reset, rest)

    def in_place(self) -> Decision:
        """Resume in place, despite any difference."""
        known = StartingPoint(kept_uids(self.both), self.old["partitions"], self.old)
        return Decision(known, partitions=self.old["partitions"], partly=self._partly)

    @cached_property
    def _partly(self) -> Mapping[str, str]:
        return partly_of(self.store, self.head, self.old)

    @cached_property
    def _old_prepared(self) -> PreparedPlan:
        return hosted(prepare(self.old_plan), self.old["host"])

    # ---- history

    def _fillings(self, diff: PlanDiff, concerned: Sequence[Concern], reset: Set[str]) -> Iterator[str]:
        """The options that fill operators of concerns from history, all or one, where it yields their state."""
        uids = {concern.uids[0] for concern in concerned if concern.uids}
        edits = [edit for edit in diff.operators if edit.new_node is not None and edit.uid in uids]
        together = self._fills(diff, edits, reset) if edits else ""
        if together or len(edits) < 2:
            yield from filter(None, [together])
            return
        yield from filter(None, (self._fills(diff, [edit], reset) for edit in edits))

    def _fills(self, diff: PlanDiff, edits: Sequence[OperatorEdit], reset: Set[str]) -> str:
        """The options that fill these operators; empty if history does not yield their state."""
        if NATIVE in (self.old["host"], self.setting.host):
            return ""
        emptied = {*reset, *(uid for edit in edits for uid in (edit.uid, edit.old_uid) if uid)}
        try:
            filling = self._filling(diff, emptied, (*self.options.warm_up, *(edit.uid for edit in edits)))
        except CompiledPlanError:
            return ""
        if filling is None or not {edit.uid for edit in edits} <= {edit.uid for edit in filling.edits}:
            return ""
        return fill_options(edits, concerns(self._filled(filling), emptied))

    def _filled(self, filling: Filling) -> PlanDiff:
        """The difference with operators that are filled."""
        return self._with_partial_downstream(diff_of(self.both, filling.nodes), filling)

    def _filling(
        self, diff: PlanDiff, reset: Set[str], warm_up: Sequence[str], sinks: Collection[int] = ()
    ) -> Filling | None:
        """The operators to fill from history, and the sinks to correct; None if there are none, or none requested."""
        if not (warm_up or sinks) or self.request.times is None:
            return None
        empty = tuple(
            edit
            for edit in diff.operators
            if edit.new_node in self.prepared.layout.levels
            and (
                edit.old_node not in self._old_prepared.layout.levels or not {edit.uid, edit.old_uid}.isdisjoint(reset)
            )
        )
        pasts = Pasts(
            prepare(renamed(self.prepared.plan, dict(uids_of(diff, self.prepared)))),
            names_of(self.prepared, self.setting, self.old),
            self.old,
            self.folder,
            entries(self.folder),
            self.request.times,
            self.options.warm_up_from or {},
        )
        warming = Warming(
            pasts,
            diff,
            empty,
            self._partly,
            self.store.origin(self.head.generation) is not None,
            progress_of(self.folder),
            tables_with_watermarks(self.old_plan) if self.old["clock"] == "event time" else frozenset(),
            self.options.max_files_per_batch,
            self.store.root.uri,
            self.options.upgrade == CORRECT,
        )
        return warming.filling(warm_up, sinks)

    def _with_partial_downstream(self, diff: PlanDiff, filling: Filling) -> PlanDiff:
        """The difference, with a partial verdict for operators downstream of refilled ones with partial old state."""
        edits = {edit.uid: edit for edit in diff.operators}
        for refilled in filling.edits:
            if refilled.old_uid not in self._partly:
                continue
            assert refilled.new_node is not None
            why = f"its rows came from {refilled.words}: {self._partly[refilled.old_uid]}, and is made anew"
            for edit in diff.operators:
                ids = (
                    () if edit.new_node is None or edit.old_node is None else above(self.prepared.plan, [edit.new_node])
                )
                if refilled.new_node in ids and edit.new_node != refilled.new_node and edit.verdict is Verdict.FULL:
                    edits[edit.uid] = replace(edit, verdict=Verdict.PARTIAL, why=why)
        return diff.with_operators(edits.values())

    def _touches_state(self, diff: PlanDiff) -> bool:
        """Return True if content or format of the state differs."""
        return (
            self.old["host"] != self.setting.host
            or self.old["clock"] != clock_of(self.prepared)
            or self._partitions != self.old["partitions"]
            or not self.both.keeps_the_same
            or self._moves_by_name_or_stage(diff)
            or begins_to_expire(diff)
        )

    def _moves_by_name_or_stage(self, diff: PlanDiff) -> bool:
        """Return True if state has another uid, or is in another of Spark's operators."""
        before = {operator["uid"]: operator["stage"] for operator in self.old["operators"]}
        stages, uids = stages_of(self.prepared), dict(uids_of(diff, self.prepared))
        known = {edit.new_node: edit.old_uid for edit in diff.operators if edit.old_uid in before}
        return any(
            uids[node] != known[node] or before[known[node]] != stage for node, stage in stages.items() if node in known
        )

    @property
    def _partitions(self) -> int:
        requested, before = self.setting.requested_partitions, int(self.old["partitions"])
        return before if requested is None or not before else requested

    # ---- steps

    def _migration(
        self,
        diff: PlanDiff,
        reset: Mapping[str, str],
        concerned: tuple[Concern, ...],
        verdict: Verdict,
        filling: Filling | None,
    ) -> Decision:
        programs = (self._old_prepared, self.prepared)
        state = plan_state(diff, reset, programs, self.request.functions, self.setting.place, filling)
        uids, new = state.uids, state.new
        history = () if filling is None else tuple(steps_of_history(filling, uids, reset))
        self._check_host((*state.steps, *history))
        check_columns(state.steps, diff, json.loads(self.store.program(self.head).state), self.store.root.uri)
        number = self.store.next_generation()
        before, host = self.head.generation, self.setting.host
        partitions = self._partitions or self.setting.partitions
        progress = progress_of(self.folder)
        names = names_of(self.prepared, self.setting, self.old)
        steps: list[Step] = []
        if progress.planned is not None:
            steps.append(FinishBatch(before, progress.planned))
        steps += steps_of_sources(names, self.old)
        if progress.committed is not None or progress.planned is not None:
            steps.append(ReadState(before, self.old["host"], int(self.old["partitions"])))
            steps += (*state.steps, *history)
            steps.append(WriteState(number, host, partitions))
        sinks = [] if filling is None else [sink for sink in self.prepared.sinks if sink.id in filling.sinks]
        specs = [table_spec(sink) for sink in sinks]
        tables = tuple(table.identifier for table in specs)
        steps += (CompareTable(table.identifier, read_back(table)) for table in specs)
        steps.append(Publish(number, before))
        if tables:
            steps.append(SendCorrections(tables))
        known = StartingPoint(uids, partitions, self.old)
        nodes = () if filling is None else [edit.new_node for edit in filling.edits if edit.new_node is not None]
        filled = tuple(mapping_of(new, new, node, node, (uids[node], uids[node])) for node in nodes)
        has_history = filling is not None and any(past.history is not None for past in filling.pasts.values())
        partly = partly_after(self._partly, diff, tuple(steps), has_history)
        return Decision(known, tuple(steps), partitions, verdict, diff, concerned, filling, filled, partly)

    def _check_host(self, steps: Iterable[Step]) -> None:
        """Refuse to migrate the state of Spark's own operator, which the kernel cannot read."""
        hosts = self.old["host"], self.setting.host
        if NATIVE in hosts and any(isinstance(step, MoveState | WarmUp) for step in steps):
            to, remedy = (f" to {hosts[1]}", f"give --host {hosts[0]}, or ") if hosts[0] != hosts[1] else ("", "")
            raise UpgradeError(
                f"the state of {hosts[0]} cannot be migrated{to}",
                self.store.root.uri,
                f"{remedy}omit options that migrate state (spark.sql.shuffle.partitions, --upgrade), or start with an "
                "empty checkpoint folder",
            )
