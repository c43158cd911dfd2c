"""The steps of a migration, and the uids of the migrated state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from compiled_plan.plans.execution.functions.columns import PythonFunctions
from compiled_plan.plans.execution.stages.prepared import PreparedPlan
from compiled_plan.plans.execution.state.checkpoint.description import explicit_uids
from compiled_plan.plans.execution.state.checkpoint.sources import Names
from compiled_plan.plans.execution.state.upgrade.filling import Filling
from compiled_plan.plans.execution.state.upgrade.refusing import UpgradeError
from compiled_plan.plans.execution.state.upgrade.sides import kernel_side
from compiled_plan.plans.execution.state.upgrade.steps import (
    ADDED,
    BEGINS,
    GOES_ON,
    REMOVED,
    WAITS,
    CarrySource,
    DropState,
    MoveState,
    ReadHistory,
    StartEmpty,
    Step,
    WarmUp,
)
from compiled_plan.plans.inspection.diff.description import Description
from compiled_plan.plans.inspection.diff.mapping import KernelSide, StateMapping, mapping_of
from compiled_plan.plans.inspection.diff.model import OperatorEdit, PlanDiff
from compiled_plan.plans.inspection.diff.sides import PlanPair
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.text.durations import format_duration


@dataclass(frozen=True, slots=True)
class StatePlan:
    """The continuation of a program's state in another one.

    Args:
        uids: the uid of the state from now on, by node of the new plan.
        new: the operators of the new plan.
        steps: the steps for the state of each operator.
    """

    uids: Mapping[int, str]
    new: KernelSide
    steps: tuple[Step, ...]


def plan_state(
    diff: PlanDiff,
    reset: Mapping[str, str],
    programs: tuple[PreparedPlan, PreparedPlan],
    functions: PythonFunctions | None,
    place: Callable[[str], str],
    filling: Filling | None = None,
) -> StatePlan:
    """Plan how state continues.

    Args:
        diff: the difference of the programs.
        reset: by uid of an operator that starts empty, the reason, see `DropState`.
        programs: the program that wrote the state, and the one to start.
        functions: the Python functions of the new program.
        place: returns the full name of a path.
        filling: the operators among those that start empty to fill from history.
    """
    carried = {edit.old_node for edit in diff.operators if edit.new_node is not None and edit.old_node is not None}
    old, new = kernel_side(programs[0], functions, place, carried), kernel_side(programs[1], functions, place)
    uids = dict(uids_of(diff, programs[1]))
    return StatePlan(uids, new, tuple(steps_of_state(diff, reset, uids, old, new, filling)))


def steps_of_state(
    diff: PlanDiff,
    reset: Mapping[str, str],
    uids: Mapping[int, str],
    old: KernelSide,
    new: KernelSide,
    filling: Filling | None = None,
) -> Iterator[Step]:
    """The steps for the state of each operator.

    Args:
        reset: by uid of an operator that starts empty, the reason, see `DropState`.
        uids: the uid of the state from now on, by node of the new plan.
        old: the program that wrote the state.
        new: the program to start.
        filling: the operators among those that start empty to fill from history.
    """
    filled = frozenset() if filling is None else filling.nodes
    for edit in diff.operators:
        if edit.new_node is None:
            yield DropState(edit.old_uid, edit.words, REMOVED)
            continue
        if edit.new_node not in new.operators:
            # A first phase: what it computes is kept by the last.
            continue
        uid = uids[edit.new_node]
        if edit.old_node is None or edit.old_node not in old.operators:
            if edit.new_node not in filled:
                yield StartEmpty(uid, edit.words, ADDED)
        elif why := _reset(edit, reset):
            yield DropState(edit.old_uid, edit.words, why)
            if edit.new_node not in filled:
                yield StartEmpty(uid, edit.words, why)
        else:
            mapping = mapping_of(old, new, edit.old_node, edit.new_node, (edit.old_uid, uid))
            yield MoveState(uid, edit.words, mapping, tuple(_ttl_texts(edit)))


def steps_of_history(filling: Filling, uids: Mapping[int, str], reset: Mapping[str, str]) -> Iterator[Step]:
    """The steps that fill operators.

    Args:
        filling: the operators, and their history.
        uids: the uid of the state from now on, by node of the new plan.
        reset: by uid of an operator that starts empty, the reason, see `DropState`.
    """
    for past in filling.pasts.values():
        path = "" if past.history is None else past.history.options.get("path", "")
        yield ReadHistory(past.table, None if past.until else len(past.files), path)
    for edit in filling.edits:
        assert edit.new_node is not None
        yield WarmUp(uids[edit.new_node], edit.words, _reset(edit, reset) or ADDED, len(filling.batches))


def _reset(edit: OperatorEdit, reset: Mapping[str, str]) -> str:
    """The reason for which an operator with state starts empty; "" if there is none."""
    return reset.get(edit.uid, reset.get(edit.old_uid, "")) if edit.old_node is not None else ""


def steps_of_sources(names: Names, old: Description) -> Iterator[Step]:
    """The steps for the position of each table.

    Args:
        names: the names of the new program's sources.
        old: the description in the checkpoint.
    """
    before = {name for entry in (*old["sources"], *old["gone"]) for name in entry["names"]}
    for entry in names.active:
        known = [name for name in entry["names"] if name in before]
        if known:
            yield CarrySource(entry["name"], tuple(known), GOES_ON)
        fresh = [name for name in entry["names"] if name not in before]
        if fresh:
            yield CarrySource(entry["name"], tuple(fresh), BEGINS)
    for entry in names.gone:
        yield CarrySource(entry["name"], tuple(entry["names"]), WAITS)


def kept_uids(both: PlanPair) -> dict[int, str]:
    """The uid of the state of each node of the new plan that continues in place."""
    old, new = both.old.uids, both.new.uids
    return {match.new: old[match.old] for match in both.matching.matches if match.new in new and match.old in old}


def uids_of(diff: PlanDiff, prepared: PreparedPlan) -> Iterator[tuple[int, str]]:
    """The uid of each node's state from now on: its old one, unless the user assigned another."""
    from_user = explicit_uids(prepared)
    matched = [edit for edit in diff.operators if edit.new_node is not None and edit.old_uid]
    taken: set[str] = set()
    for edit in matched:
        assert edit.new_node is not None
        uid = edit.uid if edit.uid in from_user else edit.old_uid
        taken.add(uid)
        yield edit.new_node, uid
    for edit in diff.operators:
        if edit.new_node is None or edit.old_uid:
            continue
        uid, number = edit.uid, 1
        while uid in taken:
            number += 1
            uid = f"{edit.uid}-{number}"
        taken.add(uid)
        yield edit.new_node, uid


def _ttl_texts(edit: OperatorEdit) -> Iterator[str]:
    for change in edit.ttls:
        old, new = (format_duration(ttl) for ttl in (change.old, change.new))
        yield f"{change.name} {old} -> {new}, from the last write of each entry"


def _stored_columns(state: object) -> set[tuple[int, int]]:
    """Input and column of all row content in an operator's state, from its description."""
    if isinstance(state, dict):
        columns = {(state["input"], state["column"])} if {"input", "column"} <= state.keys() else set()
        return columns.union(*(_stored_columns(value) for key, value in state.items() if key not in ("inputs", "keys")))
    if isinstance(state, list):
        return set().union(*map(_stored_columns, state))
    return set()


def loses(mapping: StateMapping, state: Mapping[str, object]) -> bool:
    """Return True if a column of an input with stored rows, or a call with stored values, has no old counterpart."""
    # State with the first row of a key never emits it again, so that its other columns are not needed.
    own = _stored_columns(state.get("keys", [])) if state.get("kind") == "deduplicate" else set()
    inputs = {input_ for input_, _ in _stored_columns(state) - own}
    # A window over stored rows computes new calls from them; and a group counts its rows.
    made_of_rows = str(state.get("kind", "")).startswith("over-")
    lost_call = any(
        call is None and not unwanted for call, unwanted in zip(mapping.calls, mapping.unwanted_calls, strict=True)
    )
    return (lost_call and _keeps_calls(state) and not made_of_rows) or any(
        column is None and not unwanted
        for at, (columns, unwanted_columns) in enumerate(zip(mapping.inputs, mapping.unwanted, strict=True))
        if at in inputs
        for column, unwanted in zip(columns, unwanted_columns, strict=True)
    )


def _keeps_calls(state: object) -> bool:
    """Return True if an operator stores accumulators of calls."""
    if isinstance(state, dict):
        return state.get("is") == "frames" or any(map(_keeps_calls, state.values()))
    return isinstance(state, list) and any(map(_keeps_calls, state))


def check_columns(
    steps: Iterable[Step], diff: PlanDiff, states: Mapping[str, Mapping[str, object]], where: str
) -> None:
    """Refuse steps that lose a stored column although the verdict is full compatibility.

    Args:
        diff: the difference of the programs.
        states: the formats of the state of the old one, by uid.
        where: the checkpoint.

    Raises:
        UpgradeError: a step does; names the columns.
    """
    verdicts = {edit.old_uid: edit.verdict for edit in diff.operators}
    for step in steps:
        if (
            isinstance(step, MoveState)
            and verdicts.get(step.mapping.source) is Verdict.FULL
            and loses(step.mapping, states.get(step.mapping.source, {}))
        ):
            lost = ", ".join(step.mapping.new_columns)
            raise UpgradeError(
                f"operator {step.mapping.source}: {lost} is not in the state of the checkpoint",
                where,
                f"--reset {step.uid} starts it empty; or run the plan that the checkpoint was written by",
                diff,
            )


def begins_to_expire(diff: PlanDiff) -> bool:
    """Return True if state without a TTL gets one: only a write would set its timer."""
    return any(ttl.old == 0 < ttl.new for edit in diff.operators for ttl in edit.ttls)
