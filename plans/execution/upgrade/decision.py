"""What a start does with a checkpoint: goes on in place, moves the state into a new generation, or is refused."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.checkpoint.comparison import (
    Difference,
    Known,
    check_format,
    differences,
    settled,
)
from compiled_plan.plans.execution.checkpoint.description import Setting, describe
from compiled_plan.plans.execution.checkpoint.offsets import progress_of, watermark_of
from compiled_plan.plans.execution.checkpoint.sources import names_of
from compiled_plan.plans.execution.checkpoint.store import Store
from compiled_plan.plans.execution.functions.columns import PythonFunctions
from compiled_plan.plans.execution.hosts import hosted
from compiled_plan.plans.execution.options import CHECK, MIGRATE_PARTIAL, NATIVE, RunOptions
from compiled_plan.plans.execution.program import Program, prepare
from compiled_plan.plans.execution.upgrade.findings import Compared, Finding, findings
from compiled_plan.plans.execution.upgrade.planning import loses, steps_of_sources, steps_of_state, uids_of
from compiled_plan.plans.execution.upgrade.sides import kernel_side
from compiled_plan.plans.execution.upgrade.steps import (
    FinishBatch,
    MoveState,
    Publish,
    ReadState,
    Step,
    WriteState,
)
from compiled_plan.plans.inspection.checkpoints import Head
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.inspection.diff.model import PlanDiff, Verdict, worst
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
    """

    known: Known
    steps: tuple[Step, ...] = ()
    partitions: int = 0
    verdict: Verdict = Verdict.FULL
    diff: PlanDiff | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def moves(self) -> bool:
        """Whether the state moves into a new generation."""
        return bool(self.steps)


class UpgradeError(CheckpointError):
    """A start that would not go on rightly with the checkpoint's state.

    Args:
        message: what is wrong.
        where: the checkpoint.
        remedy: what to do.
        diff: the difference of the plans.
    """

    def __init__(self, message: str, where: str, remedy: str, diff: PlanDiff | None = None) -> None:
        super().__init__(message, where=where, remedy=remedy)
        self.diff = diff


@dataclass(frozen=True, slots=True)
class Asked:
    """A start that was asked for.

    Args:
        program: what is to be started.
        setting: what the run adds.
        options: of the run.
        functions: where its Python functions are found.
    """

    program: Program
    setting: Setting
    options: RunOptions
    functions: PythonFunctions | None = None


def decide(store: Store, asked: Asked) -> Decision | None:
    """Decide how to start; None where the checkpoint is new.

    Raises:
        UpgradeError: the options do not allow what the start would do to the state.
        CheckpointError: the folder is the checkpoint of another release or tool.
    """
    head = store.head()
    if head is None:
        if asked.options.reset:
            raise CheckpointError(
                f"--reset {asked.options.reset[0]}: nothing was started on this checkpoint",
                where=store.root.uri,
                remedy="leave --reset out",
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
        if self.options.upgrade == CHECK and not self.options.reset and not self._touches_state(in_place):
            return Decision(in_place, partitions=self.old["partitions"])
        diff = diff_plans(self.old_plan, self.program.plan)
        found = self._findings(diff)
        reset = self._reset(diff)
        left = tuple(each for each in found if not reset & set(each.uids))
        verdict = worst(each.verdict for each in left)
        if verdict is not Verdict.FULL and not (verdict is Verdict.PARTIAL and self.options.upgrade == MIGRATE_PARTIAL):
            raise self._refusal(left, verdict, diff)
        return self._moving(diff, reset, left, verdict)

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
                    where=self.store.root.uri,
                    remedy=f"operators with state: {known}",
                )
            found |= {edit.uid, edit.old_uid} - {""}
        return found

    def _refusal(self, found: Sequence[Finding], verdict: Verdict, diff: PlanDiff) -> UpgradeError:
        if verdict is Verdict.PARTIAL:
            head = "the plan goes on with the checkpoint's state in part alone"
        else:
            head = "the plan does not fit the checkpoint's state"
        lines = [*(str(each) for each in self.differences if not each.moves), *(each.text for each in found)]
        return UpgradeError(
            f"{head}:\n" + "\n".join(f"  - {line}" for line in dict.fromkeys(lines)),
            self.store.root.uri,
            "; ".join(_ways(found, self.differences)),
            diff,
        )

    # ---- steps

    def _moving(self, diff: PlanDiff, reset: set[str], found: tuple[Finding, ...], verdict: Verdict) -> Decision:
        program = hosted(prepare(self.old_plan), self.old["host"])
        kept = {each.old_node for each in diff.operators if each.new_node is not None and each.old_node is not None}
        sides = (
            kernel_side(program, self.asked.functions, self.setting.place, kept),
            kernel_side(self.program, self.asked.functions, self.setting.place),
        )
        uids = dict(uids_of(diff, self.program))
        state = tuple(steps_of_state(diff, reset, uids, *sides))
        self._check_host(state)
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
            steps += state
            steps.append(WriteState(number, host, partitions))
        steps.append(Publish(number, before))
        known = Known(uids, partitions, self.old)
        return Decision(known, tuple(steps), partitions, verdict, diff, found)

    def _check_host(self, steps: Iterable[Step]) -> None:
        """Refuse to move what Spark's own operator keeps: it is no state of the kernel's."""
        hosts = self.old["host"], self.setting.host
        if NATIVE in hosts and any(isinstance(step, MoveState) for step in steps):
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


def _ways(found: Sequence[Finding], differing: Sequence[Difference]) -> Iterator[str]:
    """What can be done."""
    ways = [each.remedy for each in found if each.remedy]
    ways += [each.remedy for each in differing if each.remedy and not each.moves]
    bad = [each for each in found if each.verdict is not Verdict.PARTIAL]
    if not bad:
        ways.append("--upgrade migrate-partial goes on and accepts this")
    elif all(each.uids for each in bad):
        resets = " ".join(dict.fromkeys(f"--reset {each.uids[-1]}" for each in bad))
        partial = "--upgrade migrate-partial " if len(bad) < len(found) else ""
        ways.append(f"{partial}{resets} starts {'that operator' if len(bad) == 1 else 'these operators'} empty")
    ways.append("run the plan that the checkpoint was written by, or start with an empty checkpoint folder")
    yield from dict.fromkeys(ways)
