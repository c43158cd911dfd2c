"""What keeps a program from going on with a checkpoint's state: verdicts of the plans, and of what the run adds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from compiled_plan.plans.execution.checkpoint.comparison import ALL_READ, Difference, release
from compiled_plan.plans.execution.checkpoint.description import Setting, operator_parts
from compiled_plan.plans.inspection.diff.model import Change, OperatorEdit, PlanDiff, SinkEdit, SourceEdit, Verdict
from compiled_plan.plans.inspection.lineage.compare import Edit, edits

_CODE, _ZONE = "code of ", "time zone"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not fully compatible.

    Args:
        what: what it is about, for people.
        verdict: what becomes of the state.
        why: the reason in a sentence.
        uids: of the operator that it is about, in the plan and in the checkpoint; none where it is about no operator.
        remedy: what to do about it, where that is not a matter of the plan.
    """

    what: str
    verdict: Verdict
    why: str
    uids: tuple[str, ...] = ()
    remedy: str = ""

    @property
    def text(self) -> str:
        """For people."""
        return f"{self.what}: {self.verdict.value}" + (f", for {self.why}" if self.why else "")


@dataclass(frozen=True, slots=True)
class Compared:
    """A program beside the one of a checkpoint.

    Args:
        old: the description in the checkpoint.
        new: the description of the program.
        diff: the difference of the plans.
        differences: what differs in what is described.
        setting: what the run adds.
        late: whether the watermark of the checkpoint's query is past rows of a table that is new.
    """

    old: Mapping[str, Any]
    new: Mapping[str, Any]
    diff: PlanDiff
    differences: tuple[Difference, ...]
    setting: Setting
    late: bool = False


def findings(compared: Compared) -> tuple[Finding, ...]:
    """All that is not fully compatible."""
    return (*_of_the_run(compared), *_of_the_plans(compared), *_of_operators(compared))


def _of_the_run(compared: Compared) -> Iterator[Finding]:
    before, after = compared.old["versions"]["spark"], compared.new["versions"]["spark"]
    if release(before) > release(after):
        why = f"the checkpoint was written by Spark {before}, and this is {after}"
        yield Finding("Spark", Verdict.INCOMPATIBLE, why, remedy=f"run it with Spark {before} or newer")

    for each in compared.differences:
        if each.what == ALL_READ:
            why = f"the plan reads {each.new}, and none of {each.old}"
            yield Finding(each.what, Verdict.INCOMPATIBLE, why)


def _of_the_plans(compared: Compared) -> Iterator[Finding]:
    for part in compared.diff.parts:
        if part.verdict is not Verdict.FULL:
            yield Finding(_named(part), part.verdict, part.why or _reason(part), _uids(part), _remedy(part))
    if compared.late:
        for source in compared.diff.sources:
            if source.change is Change.ADDED:
                why = "of its rows those that are behind the query's watermark are late"
                yield Finding(f"source {source.name}", Verdict.PARTIAL, why)


def _named(part: OperatorEdit | SourceEdit | SinkEdit) -> str:
    if isinstance(part, OperatorEdit):
        return f"operator {part.old_uid or part.uid} ({part.words})"
    return f"{'source' if isinstance(part, SourceEdit) else 'sink'} {part.name}"


def _remedy(part: OperatorEdit | SourceEdit | SinkEdit) -> str:
    if isinstance(part, OperatorEdit) and part.change is Change.ADDED:
        return f"--warm-up {part.uid} fills it from what was read before"
    return ""


def _reason(part: OperatorEdit | SourceEdit | SinkEdit) -> str:
    worst = next((each for each in part.edits if each.verdict is part.verdict), None)
    return "" if worst is None else worst.why or f"{worst.property} was {worst.old} and is {worst.new}"


def _uids(part: OperatorEdit | SourceEdit | SinkEdit) -> tuple[str, ...]:
    return tuple(dict.fromkeys((part.uid, part.old_uid))) if isinstance(part, OperatorEdit) else ()


def _of_operators(compared: Compared) -> Iterator[Finding]:
    """What is not in the plans: the code of functions, the zone."""
    olds = {each.name: each for each in operator_parts(compared.old)}
    nodes = {
        each["node"]: part for each, part in zip(compared.new["operators"], operator_parts(compared.new), strict=True)
    }
    for part in compared.diff.operators:
        before, after = olds.get(part.old_uid), nodes.get(-1 if part.new_node is None else part.new_node)
        if part.old_node is None or before is None or after is None:
            continue
        for edit in edits(before, after):
            found = _around(part, edit)
            if found is not None:
                yield found


def _around(part: OperatorEdit, edit: Edit) -> Finding | None:
    what, uids = _named(part), _uids(part)
    if edit.property.startswith(_CODE):
        why = f"nobody can tell whether the {edit.property} still reads what it kept"
        return Finding(what, Verdict.UNKNOWN, why, uids, f"run it with the {edit.property} as it was")
    if edit.property == _ZONE:
        why = f"what is kept was computed in the zone {edit.old}, and this is {edit.new}"
        remedy = f"give --time-zone {edit.old}" if "," not in edit.old else ""
        return Finding(what, Verdict.INCOMPATIBLE, why, uids, remedy)
    return None
