"""What a start does with a checkpoint: goes on in place, moves the state into a new generation, or is refused."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.checkpoint.comparison import (
    Known,
    check_format,
    differences,
    settled,
)
from compiled_plan.plans.execution.checkpoint.description import Setting, describe
from compiled_plan.plans.execution.checkpoint.offsets import entries, progress_of, watermark_of
from compiled_plan.plans.execution.checkpoint.sources import names_of
from compiled_plan.plans.execution.checkpoint.store import Store
from compiled_plan.plans.execution.functions.columns import PythonFunctions
from compiled_plan.plans.execution.hosts import hosted
from compiled_plan.plans.execution.options import CHECK, MIGRATE_PARTIAL, NATIVE, RunOptions
from compiled_plan.plans.execution.program import Program, prepare
from compiled_plan.plans.execution.upgrade.excerpt import above
from compiled_plan.plans.execution.upgrade.filling import Filling
from compiled_plan.plans.execution.upgrade.findings import Compared, Finding, findings
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
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.inspection.diff.mapping import StateMapping, mapping_of
from compiled_plan.plans.inspection.diff.model import PlanDiff, Verdict, worst
from compiled_plan.plans.inspection.identity import renamed
from compiled_plan.plans.plan import CompiledPlan

if TYPE_CHECKING:
    from compiled_plan.plans.execution.storage import Folder


@dataclass(frozen=True, slots=True)
class Decision:
    """How a start goes on with a checkpoint.

    Args:
        known: what the checkpoint says to it.
        steps: what brings the state into a new generation; none where the start goes on in place.
        partitions: the shuffle partitions that state is spread over from now on.
        verdict: of what is moved.
        diff: the difference of the plans; None where nothing that is kept differs.
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
    findings: tuple[Finding, ...] = ()
    filling: Filling | None = None
    filled: tuple[StateMapping, ...] = ()
    partly: Mapping[str, str] = field(default_factory=dict)

    @property
    def moves(self) -> bool:
        """Whether the state moves into a new generation."""
        return bool(self.steps)


@dataclass(frozen=True, slots=True)
class Asked:
    """A start that was asked for.

    Args:
        program: what is to be started.
        setting: what the run adds.
        options: of the run.
        functions: where its Python functions are found.
        times: tells when files were written; where it is not there, nothing can be filled from history.
    """

    program: Program
    setting: Setting
    options: RunOptions
    functions: PythonFunctions | None = None
    times: FileTimes | None = None


def decide(store: Store, asked: Asked) -> Decision | None:
    """Decide how to start; None where the checkpoint is new.

    Raises:
        UpgradeError: the options do not allow what the start would do to the state.
        CheckpointError: the folder is the checkpoint of another release or tool.
    """
    head = store.head()
    if head is None:
        wanted = [("--reset", uid) for uid in asked.options.reset]
        wanted += [("--warm-up", uid) for uid in asked.options.warm_up if uid != ALL]
        for option, uid in wanted:
            raise CheckpointError(
                f"{option} {uid}: nothing was started on this checkpoint",
                where=store.root.shown,
                remedy=f"leave {option} out",
            )
        return None
    return _Deciding(store, head, asked).decision()


def unguarded(store: Store, asked: Asked) -> Decision | None:
    """A start in place whatever differs, to show in tests what would come of it."""
    head = store.head()
    if head is None:
        return None
    old: dict[str, Any] = json.loads(store.program(head).description)
    new = describe(asked.program, asked.setting)
    return Decision(settled(differences(old, new, asked.program)[1], new, old), partitions=old["partitions"])


class _Deciding:
    """One decision."""

    def __init__(self, store: Store, head: Head, asked: Asked) -> None:
        self.store, self.head, self.asked = store, head, asked
        self.program, self.setting, self.options = asked.program, asked.setting, asked.options
        files = store.program(head)
        self.old: dict[str, Any] = json.loads(files.description)
        check_format(self.old, store.root)
        self.old_plan = CompiledPlan.from_json(files.plan)
        self.new = describe(self.program, self.setting)
        self.differences, self.pairs = differences(self.old, self.new, self.program)
        self.folder: Folder = store.generation(head.generation).folder

    def decision(self) -> Decision:
        in_place = settled(self.pairs, self.new, self.old)
        named = (*self.options.reset, *(uid for uid in self.options.warm_up if uid != ALL))
        if self.options.upgrade == CHECK and not named and not self._touches_state(in_place):
            return Decision(in_place, partitions=self.old["partitions"], partly=self._partly)
        diff = diff_plans(self.old_plan, self.program.plan)
        reset = self._reset(diff)
        filling = self._filling(diff, reset)
        if filling is not None:
            diff = diff_plans(self.old_plan, self.program.plan, filling.nodes)
        found = (*self._findings(diff), *self._below(diff, filling))
        left = tuple(each for each in found if not reset & set(each.uids))
        verdict = worst(each.verdict for each in left)
        if verdict is not Verdict.FULL and not (verdict is Verdict.PARTIAL and self.options.upgrade == MIGRATE_PARTIAL):
            raise refusal(left, verdict, diff, self.differences, self.store.root.uri)
        return self._moving(diff, reset, left, verdict, filling)

    @cached_property
    def _partly(self) -> Mapping[str, str]:
        return partly_of(self.store, self.head, self.old)

    @cached_property
    def _old_program(self) -> Program:
        return hosted(prepare(self.old_plan), self.old["host"])

    # ---- history

    def _filling(self, diff: PlanDiff, reset: Collection[str]) -> Filling | None:
        """What is filled from history; None where nothing is, or nobody asks for it."""
        if not self.options.warm_up or self.asked.times is None:
            return None
        empty = tuple(
            each
            for each in diff.operators
            if each.new_node in self.program.layout.levels
            and (each.old_node not in self._old_program.layout.levels or not {each.uid, each.old_uid}.isdisjoint(reset))
        )
        pasts = Pasts(
            prepare(renamed(self.program.plan, dict(uids_of(diff, self.program)))),
            names_of(self.program, self.setting, self.old),
            self.old,
            self.folder,
            entries(self.folder),
            self.asked.times,
            self.options.warm_up_from,
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

    def _below(self, diff: PlanDiff, filling: Filling | None) -> Iterator[Finding]:
        """What is kept below an operator that is made anew, and was made of what that had given before."""
        for anew in () if filling is None else filling.edits:
            if anew.old_uid not in self._partly:
                continue
            assert anew.new_node is not None
            why = f"its rows came from {anew.words}: {self._partly[anew.old_uid]}, and is made anew"
            for each in diff.operators:
                ids = (
                    () if each.new_node is None or each.old_node is None else above(self.program.plan, [each.new_node])
                )
                if anew.new_node in ids and each.new_node != anew.new_node:
                    yield Finding(
                        f"operator {each.old_uid} ({each.words})", Verdict.PARTIAL, why, (each.uid, each.old_uid)
                    )

    def _touches_state(self, known: Known) -> bool:
        """Whether something differs in what is kept, or in how."""
        return bool(self.differences) or self._partitions != self.old["partitions"] or self._begins_to_expire(known)

    @property
    def _partitions(self) -> int:
        asked, before = self.setting.asked, int(self.old["partitions"])
        return before if asked is None or not before else asked

    def _begins_to_expire(self, known: Known) -> bool:
        """Whether something that was kept for ever gets a TTL: nothing but a write would set a timer for it."""
        olds = {node.uid: node for node in self.old_plan.nodes if node.uid}
        for node, uid in known.uids.items():
            before = {each.name: each.ttl_ms for each in olds[uid].ttl_entries} if uid in olds else {}
            if any(before.get(each.name) == 0 < each.ttl_ms for each in self.program.plan.node(node).ttl_entries):
                return True
        return False

    # ---- verdict

    def _findings(self, diff: PlanDiff) -> tuple[Finding, ...]:
        if not self.differences:
            return ()
        watermark = watermark_of(self.folder) if self.program.event_time else 0
        return findings(Compared(self.old, self.new, diff, tuple(self.differences), self.setting, watermark > 0))

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
        found: tuple[Finding, ...],
        verdict: Verdict,
        filling: Filling | None,
    ) -> Decision:
        program = self._old_program
        kept = {each.old_node for each in diff.operators if each.new_node is not None and each.old_node is not None}
        sides = (
            kernel_side(program, self.asked.functions, self.setting.place, kept),
            kernel_side(self.program, self.asked.functions, self.setting.place),
        )
        uids = dict(uids_of(diff, self.program))
        state = tuple(steps_of_state(diff, reset, uids, *sides, filling))
        history = () if filling is None else tuple(steps_of_history(filling, uids))
        self._check_host((*state, *history))
        self._check_found(diff, state)
        number = self.store.next_generation()
        before, host = self.head.generation, self.setting.host
        partitions = self._partitions or self.setting.partitions
        progress = progress_of(self.folder)
        names = names_of(self.program, self.setting, self.old)
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
