"""The parts of a difference that are not fully compatible, and the options of a start that accept or reset them.

One source for the refusal of a start, for what a dry run lists as accepted, and for the advice of `diff-plan`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from compiled_plan.plans.inspection.diff.model import Change, OperatorEdit, Part, PlanDiff, SourceEdit
from compiled_plan.plans.inspection.judging.verdicts import PropertyEdit, Verdict

#: The option of a start that accepts what is partially compatible.
ACCEPT = "--upgrade migrate-partial"


@dataclass(frozen=True, slots=True)
class Concern:
    """A part of a difference that is not fully compatible."""

    what: str  # the operator, source or sink, for people; empty for the whole program
    verdict: Verdict  # what becomes of the state
    why: str  # the reason in a sentence
    edits: tuple[PropertyEdit, ...] = ()  # the properties that it is because of; none where it follows from other parts
    uids: tuple[str, ...] = ()  # of the operator in the plan and in the checkpoint; none of anything else
    remedies: tuple[str, ...] = ()  # what to do about it, where that is not a matter of the program

    @property
    def lines(self) -> tuple[str, ...]:
        """A line for each property, or one for the part."""
        if not self.edits:
            return (f"{self.what}: {self.verdict.value}" + (f", for {self.why}" if self.why else ""),)
        return tuple(self._line(edit) for edit in self.edits)

    def _line(self, edit: PropertyEdit) -> str:
        where = ", ".join(filter(None, (self.what, edit.property)))
        values = f"checkpoint has {edit.old or 'none'}, plan has {edit.new or 'none'}"
        return f"{where}: {values}: {edit.verdict.value}" + (f", for {edit.why}" if edit.why else "")


def concerns(diff: PlanDiff, reset: Collection[str] = ()) -> tuple[Concern, ...]:
    """The parts that are not fully compatible, the whole program first, without operators of uids that are `reset`."""
    found = [Concern("", edit.verdict, edit.why, (edit,), (), _remedies((edit,))) for edit in diff.whole]
    found += map(_concern, diff.parts)
    return tuple(each for each in found if each.verdict is not Verdict.FULL and not set(reset) & set(each.uids))


def _concern(part: Part) -> Concern:
    edits = tuple(edit for edit in part.edits if edit.verdict is not Verdict.FULL)
    if part.why and edits and all(part.why != edit.why for edit in edits):
        # The reason of the part as a whole, such as a table that is elsewhere, is worse than that of its option.
        edits = (replace(edits[0], verdict=part.verdict, why=part.why),)
    remedies = _remedies(part.edits)
    if isinstance(part, OperatorEdit) and part.change is Change.ADDED:
        remedies = (f"--warm-up {part.uid} fills it from what was read before",)
    return Concern(named(part), part.verdict, part.why, edits, _uids(part), remedies)


def named(part: Part) -> str:
    """An operator, source or sink for people."""
    if isinstance(part, OperatorEdit):
        return f"operator {part.old_uid or part.uid} ({part.words})"
    return f"{'source' if isinstance(part, SourceEdit) else 'sink'} {part.name}"


def _uids(part: Part) -> tuple[str, ...]:
    return tuple(filter(None, dict.fromkeys((part.uid, part.old_uid)))) if isinstance(part, OperatorEdit) else ()


def _remedies(edits: Sequence[PropertyEdit]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(edit.remedy for edit in edits if edit.remedy))


def start_options(found: Sequence[Concern]) -> tuple[str, ...] | None:
    """The options with which a start goes on; None where it cannot, since a concern is about no operator."""
    bad = [each for each in found if each.verdict is not Verdict.PARTIAL]
    if not all(each.uids for each in bad):
        return None
    resets = tuple(dict.fromkeys(f"--reset {each.uids[0]}" for each in bad))
    return (*((ACCEPT,) if len(bad) < len(found) else ()), *resets)


def remedies(found: Sequence[Concern]) -> Iterator[str]:
    """What can be done about concerns, in the order in which to try it."""
    yield from dict.fromkeys(remedy for each in found for remedy in each.remedies)
    options = start_options(found)
    if options == (ACCEPT,):
        yield f"{ACCEPT} goes on and accepts this"
    elif options:
        resets = sum(option != ACCEPT for option in options)
        yield f"{' '.join(options)} starts {'that operator' if resets == 1 else 'these operators'} empty"
    yield "run the plan that the checkpoint was written by, or start with an empty checkpoint folder"
