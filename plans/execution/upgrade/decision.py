"""What a start does with a checkpoint: goes on in place, moves the state into a new generation, or is refused."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.checkpoint.comparison import Known
from compiled_plan.plans.execution.checkpoint.description import Setting, clock_of, stages_of
from compiled_plan.plans.execution.checkpoint.offsets import entries, progress_of
from compiled_plan.plans.execution.checkpoint.sources import names_of
from compiled_plan.plans.execution.checkpoint.store import Store
from compiled_plan.plans.execution.functions.columns import PythonFunctions
from compiled_plan.plans.execution.session.options import CHECK, MIGRATE_PARTIAL, NATIVE, RunOptions
from compiled_plan.plans.execution.stages.hosts import hosted
from compiled_plan.plans.execution.stages.prepared import PreparedPlan, prepare
from compiled_plan.plans.execution.upgrade.excerpt import above
from compiled_plan.plans.execution.upgrade.filling import Filling
from compiled_plan.plans.execution.upgrade.history import FileTimes
from compiled_plan.plans.execution.upgrade.partly import partly_after, partly_of
from compiled_plan.plans.execution.upgrade.pasts import Pasts, tables_with_watermarks
from compiled_plan.plans.execution.upgrade.planning import (
    loses,
    steps_of_history,
    steps_of_sources,
    steps_of_state,
    uids_of,
)
from compiled_plan.plans.execution.upgrade.refusing import UpgradeError, refusal
from compiled_plan.plans.execution.upgrade.sides import kernel_side
from compiled_plan.plans.execution.upgrade.steps import (
    FinishBatch,
    MoveState,
    Publish,
    ReadState,
    Step,
    WarmUp,
    WriteState,
)
from compiled_plan.plans.execution.upgrade.warming import ALL, Warming
from compiled_plan.plans.inspection.checkpoints import Head
from compiled_plan.plans.inspection.diff.build import diff_of
from compiled_plan.plans.inspection.diff.concerns import Concern, concerns
from compiled_plan.plans.inspection.diff.description import facts_of, read_description
from compiled_plan.plans.inspection.diff.mapping import StateMapping, mapping_of
from compiled_plan.plans.inspection.diff.model import PlanDiff
from compiled_plan.plans.inspection.diff.sides import PlanPair
from compiled_plan.plans.inspection.identity import renamed
from compiled_plan.plans.inspection.judging.verdicts import Verdict, worst
from compiled_plan.plans.plan import CompiledPlan

if TYPE_CHECKING:
    from compiled_plan.plans.execution.spark.storage import Folder


@dataclass(frozen=True, slots=True)
class Decision:
    """How a start goes on with a checkpoint.

    Args:
        known: what the checkpoint says to it.
        steps: what brings the state into a new generation; none where the start goes on in place.
        partitions: the shuffle partitions that state is spread over from now on.
        verdict: of what is moved.
        diff: the difference of the plans; None where nothing was compared.
        findings: what was accepted though it is not fully compatible.
        filling: the operators that are filled from history, and what is read for that.
        filled: where these operators' state is found in what comes of it.
        partly: by uid why an operator's state is not that of all rows that were read, see `upgrade.partly`.
    """

    known: Known
    steps: tuple[Step, ...] = ()
    partitions: int = 0
    verdict: Verdict = Verdict.FULL
    diff: PlanDiff | None = None
    findings: tuple[Concern, ...] = ()
    filling: Filling | None = None
    filled: tuple[StateMapping, ...] = ()
    partly: Mapping[str, str] = field(default_factory=dict)

    @property
    def moves(self) -> bool:
        """Whether the state moves into a new generation."""
        return bool(self.steps)


@dataclass(frozen=True, slots=True)
class UpgradeRequest:
    """A request to start a program.

    Args:
        prepared: what is to be started.
        setting: what the run adds.
        options: of the run.
        functions: where its Python functions are found.
        times: tells when files were written; where it is not there, nothing can be filled from history.
    """

    prepared: PreparedPlan
    setting: Setting
    options: RunOptions
    functions: PythonFunctions | None = None
    times: FileTimes | None = None


def decide(store: Store, request: UpgradeRequest) -> Decision | None:
    """Decide how to start; None where the checkpoint is new.

    Raises:
        UpgradeError: the options do not allow what the start would do to the state.
        CheckpointError: the folder is the checkpoint of another release or tool.
    """
    head = store.head()
    if head is None:
        wanted = [("--reset", uid) for uid in request.options.reset]
        wanted += [("--warm-up", uid) for uid in request.options.warm_up if uid != ALL]
        for option, uid in wanted:
            raise CheckpointError(
                f"{option} {uid}: nothing was started on this checkpoint",
                where=store.root.shown,
                remedy=f"leave {option} out",
            )
        return None
    return _Deciding(store, head, request).decision()


def unguarded(store: Store, request: UpgradeRequest) -> Decision | None:
    """A start in place whatever differs, to show in tests what would come of it."""
    head = store.head()
    return None if head is None else _Deciding(store, head, request).in_place()


class _Deciding:
    """One decision."""

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
        reset = self._reset(diff)
        filling = self._filling(diff, reset)
        if filling is not None:
            diff = self._above_filled(diff_of(self.both, filling.nodes), filling)
        found = concerns(diff, reset)
        verdict = worst(each.verdict for each in found)
        if verdict is not Verdict.FULL and not (verdict is Verdict.PARTIAL and self.options.upgrade == MIGRATE_PARTIAL):
            raise refusal(found, diff, self.store.root.uri)
        named = (*self.options.reset, *(uid for uid in self.options.warm_up if uid != ALL))
        if self.options.upgrade == CHECK and not named and not self._touches_state(diff):
            return replace(self.in_place(), diff=diff)
        return self._moving(diff, reset, found, verdict, filling)

    def in_place(self) -> Decision:
        """A start in place, whatever differs."""
        uids = {
            each.new: self.both.old.uids[each.old]
            for each in self.both.matching.matches
            if each.new in self.both.new.uids and each.old in self.both.old.uids
        }
        known = Known(uids, self.old["partitions"], self.old)
        return Decision(known, partitions=self.old["partitions"], partly=self._partly)

    @cached_property
    def _partly(self) -> Mapping[str, str]:
        return partly_of(self.store, self.head, self.old)

    @cached_property
    def _old_prepared(self) -> PreparedPlan:
        return hosted(prepare(self.old_plan), self.old["host"])

    # ---- history

    def _filling(self, diff: PlanDiff, reset: Collection[str]) -> Filling | None:
        """What is filled from history; None where nothing is, or nobody asks for it."""
        if not self.options.warm_up or self.request.times is None:
            return None
        empty = tuple(
            each
            for each in diff.operators
            if each.new_node in self.prepared.layout.levels
            and (
                each.old_node not in self._old_prepared.layout.levels or not {each.uid, each.old_uid}.isdisjoint(reset)
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
            "from" in self.store.facts(self.head.generation),
            progress_of(self.folder),
            tables_with_watermarks(self.old_plan) if self.old["clock"] == "event time" else frozenset(),
            self.options.max_files_per_batch,
            self.store.root.uri,
        )
        return warming.filling(self.options.warm_up)

    def _above_filled(self, diff: PlanDiff, filling: Filling) -> PlanDiff:
        """The difference with what holds below operators that are made anew, of what they had given in part alone."""
        edits = {each.uid: each for each in diff.operators}
        for anew in filling.edits:
            if anew.old_uid not in self._partly:
                continue
            assert anew.new_node is not None
            why = f"its rows came from {anew.words}: {self._partly[anew.old_uid]}, and is made anew"
            for each in diff.operators:
                ids = (
                    () if each.new_node is None or each.old_node is None else above(self.prepared.plan, [each.new_node])
                )
                if anew.new_node in ids and each.new_node != anew.new_node and each.verdict is Verdict.FULL:
                    edits[each.uid] = replace(each, verdict=Verdict.PARTIAL, why=why)
        return diff.with_operators(edits.values())

    def _touches_state(self, diff: PlanDiff) -> bool:
        """Whether something differs in what is kept, or in how."""
        return (
            self.old["host"] != self.setting.host
            or self.old["clock"] != clock_of(self.prepared)
            or self._partitions != self.old["partitions"]
            or not self.both.keeps_the_same
            or self._moves_by_name_or_stage(diff)
            or self._begins_to_expire(diff)
        )

    def _moves_by_name_or_stage(self, diff: PlanDiff) -> bool:
        """Whether state is found under another name, or in another of Spark's operators."""
        before = {each["uid"]: each["stage"] for each in self.old["operators"]}
        stages, uids = stages_of(self.prepared), dict(uids_of(diff, self.prepared))
        known = {each.new_node: each.old_uid for each in diff.operators if each.old_uid in before}
        return any(
            uids[node] != known[node] or before[known[node]] != stage for node, stage in stages.items() if node in known
        )

    @property
    def _partitions(self) -> int:
        asked, before = self.setting.asked, int(self.old["partitions"])
        return before if asked is None or not before else asked

    @staticmethod
    def _begins_to_expire(diff: PlanDiff) -> bool:
        """Whether something that was kept for ever gets a TTL: nothing but a write would set a timer for it."""
        return any(ttl.old == 0 < ttl.new for each in diff.operators for ttl in each.ttls)

    def _reset(self, diff: PlanDiff) -> set[str]:
        """The uids of the operators that are to start empty, old and new ones."""
        found: set[str] = set()
        for wanted in self.options.reset:
            edit = next((each for each in diff.operators if wanted in (each.uid, each.old_uid)), None)
            if edit is None or edit.new_node is None:
                known = ", ".join(each.uid for each in diff.operators if each.new_node is not None) or "none"
                raise CheckpointError(
                    f"--reset {wanted}: the plan has no such operator with state",
                    where=self.store.root.shown,
                    remedy=f"operators with state: {known}",
                )
            found |= {edit.uid, edit.old_uid} - {""}
        return found

    # ---- steps

    def _moving(
        self,
        diff: PlanDiff,
        reset: set[str],
        found: tuple[Concern, ...],
        verdict: Verdict,
        filling: Filling | None,
    ) -> Decision:
        prepared = self._old_prepared
        kept = {each.old_node for each in diff.operators if each.new_node is not None and each.old_node is not None}
        sides = (
            kernel_side(prepared, self.request.functions, self.setting.place, kept),
            kernel_side(self.prepared, self.request.functions, self.setting.place),
        )
        uids = dict(uids_of(diff, self.prepared))
        state = tuple(steps_of_state(diff, reset, uids, *sides, filling))
        history = () if filling is None else tuple(steps_of_history(filling, uids))
        self._check_host((*state, *history))
        self._check_found(diff, state)
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
            steps += (*state, *history)
            steps.append(WriteState(number, host, partitions))
        steps.append(Publish(number, before))
        known = Known(uids, partitions, self.old)
        nodes = () if filling is None else [each.new_node for each in filling.edits if each.new_node is not None]
        filled = tuple(mapping_of(sides[1], sides[1], node, node, (uids[node], uids[node])) for node in nodes)
        given = filling is not None and any(past.given is not None for past in filling.pasts.values())
        partly = partly_after(self._partly, diff, tuple(steps), given)
        return Decision(known, tuple(steps), partitions, verdict, diff, found, filling, filled, partly)

    def _check_host(self, steps: Iterable[Step]) -> None:
        """Refuse to move what Spark's own operator keeps: it is no state of the kernel's."""
        hosts = self.old["host"], self.setting.host
        if NATIVE in hosts and any(isinstance(step, MoveState | WarmUp) for step in steps):
            to, other = (f" to {hosts[1]}", f"give --host {hosts[0]}, or ") if hosts[0] != hosts[1] else ("", "")
            raise UpgradeError(
                f"what {hosts[0]} keeps cannot be moved{to}",
                self.store.root.uri,
                f"{other}leave out what moves state (spark.sql.shuffle.partitions, --upgrade), or start with an empty "
                "checkpoint folder",
            )

    def _check_found(self, diff: PlanDiff, steps: Iterable[Step]) -> None:
        """Refuse where a column that is kept would be lost though the verdict says that nothing is."""
        verdicts = {each.old_uid: each.verdict for each in diff.operators}
        states = json.loads(self.store.program(self.head).state)
        for step in steps:
            if (
                isinstance(step, MoveState)
                and verdicts.get(step.mapping.source) is Verdict.FULL
                and loses(step.mapping, states.get(step.mapping.source, {}))
            ):
                lost = ", ".join(step.mapping.new_columns)
                raise UpgradeError(
                    f"operator {step.mapping.source}: {lost} cannot be found in what the checkpoint keeps",
                    self.store.root.uri,
                    f"--reset {step.uid} starts it empty; or run the plan that the checkpoint was written by",
                    diff,
                )
