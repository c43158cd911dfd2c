"""Parts of a difference that are not fully compatible, and the start options that accept or reset them.

The one source for the refusal of a start, the accepted parts in a dry run, and the advice of `diff-plan`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from shlex import quote

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.inspection.diff.model import Change, OperatorEdit, Part, PlanDiff, SourceEdit
from compiled_plan.plans.inspection.judging.verdicts import PropertyEdit, Verdict
from compiled_plan.plans.inspection.named_operators import NamedOperator, suggested

#: The start option that accepts partially compatible parts.
ACCEPT = "--upgrade migrate-partial"


@dataclass(frozen=True, slots=True)
class Concern:
    """A part of a difference that is not fully compatible."""

    what: str  # label of the operator, source or sink; empty for the whole program
    verdict: Verdict  # effect on the state
    why: str  # the reason in a sentence
    edits: tuple[PropertyEdit, ...] = ()  # the properties that cause it; none if it follows from other parts
    uids: tuple[str, ...] = ()  # of the operator in the plan and in the checkpoint; empty for other parts
    remedies: tuple[str, ...] = ()  # remedies other than changing the program

    @property
    def lines(self) -> tuple[str, ...]:
        """One line per property, or one for the part."""
        if not self.edits:
            return (f"{self.what}: {self.verdict.value}" + (f", for {self.why}" if self.why else ""),)
        return tuple(self._line(edit) for edit in self.edits)

    def _line(self, edit: PropertyEdit) -> str:
        where = ", ".join(filter(None, (self.what, edit.property)))
        values = f"checkpoint has {edit.old or 'none'}, plan has {edit.new or 'none'}"
        return f"{where}: {values}: {edit.verdict.value}" + (f", for {edit.why}" if edit.why else "")


def concerns(diff: PlanDiff, reset: Collection[str] = ()) -> tuple[Concern, ...]:
    """The parts that are not fully compatible, the whole program first, except operators with uids in `reset`."""
    all_parts = [Concern("", edit.verdict, edit.why, (edit,), (), _remedies((edit,))) for edit in diff.whole]
    all_parts += map(_concern, diff.parts)
    return tuple(
        concern for concern in all_parts if concern.verdict is not Verdict.FULL and not set(reset) & set(concern.uids)
    )


def accepts(verdict: Verdict, *, partial: bool) -> bool:
    """Return True if a start goes on at the worst verdict of its concerns.

    Args:
        partial: True if the start accepts partially compatible parts.
    """
    return verdict is Verdict.FULL or (verdict is Verdict.PARTIAL and partial)


def reset_uids(diff: PlanDiff, wanted: Iterable[str], where: str) -> set[str]:
    """The old and new uids of the operators that are to start empty.

    Args:
        wanted: the values of `--reset`.
        where: the checkpoint.

    Raises:
        CheckpointError: the plan has no such operator with state.
    """
    uids: set[str] = set()
    for name in wanted:
        edit = next((edit for edit in diff.operators if name in (edit.uid, edit.old_uid)), None)
        if edit is None or edit.new_node is None:
            known = [NamedOperator(edit.uid) for edit in diff.operators if edit.new_node is not None]
            problem = f"--reset {name}: the plan has no such operator with state"
            raise CheckpointError(problem, where=where, remedy=suggested(name, known))
        uids |= {edit.uid, edit.old_uid} - {""}
    return uids


def _concern(part: Part) -> Concern:
    edits = tuple(edit for edit in part.edits if edit.verdict is not Verdict.FULL)
    if part.why and edits and all(part.why != edit.why for edit in edits):
        # The reason of the whole part, such as a moved table, is worse than that of its option.
        edits = (replace(edits[0], verdict=part.verdict, why=part.why),)
    return Concern(named(part), part.verdict, part.why, edits, _uids(part), _remedies(part.edits))


def fill_options(edits: Sequence[OperatorEdit], remaining: Sequence[Concern] = ()) -> str:
    """The start options that fill operators from history, as a remedy.

    Args:
        edits: the operators.
        remaining: the concerns of a start with these options.
    """
    options = [ACCEPT] if any(concern.verdict is Verdict.PARTIAL for concern in remaining) else []
    for edit in edits:
        uid = quote(edit.uid)
        options += [f"--warm-up {uid}"] if edit.change is Change.ADDED else [f"--reset {uid} --warm-up {uid}"]
    return f"{' '.join(options)} fills {'it' if len(edits) == 1 else 'them'} from what was read before"


def options_for(part: Part) -> tuple[str, ...]:
    """Remedies of one part; empty if it is fully compatible."""
    concern = _concern(part)
    if concern.verdict is Verdict.FULL:
        return ()
    remedies = concern.remedies
    if isinstance(part, OperatorEdit) and part.change is Change.ADDED:
        remedies = (fill_options([part]), *remedies)
    if concern.verdict is Verdict.PARTIAL:
        return (*remedies, f"{ACCEPT} accepts it")
    if concern.uids:
        return (*remedies, f"--reset {quote(concern.uids[0])} starts it empty")
    return (*remedies, "start with an empty checkpoint")


def named(part: Part) -> str:
    """Label of an operator, source or sink."""
    if isinstance(part, OperatorEdit):
        return f"operator {part.uids} ({part.words})"
    return f"{'source' if isinstance(part, SourceEdit) else 'sink'} {part.name}"


def _uids(part: Part) -> tuple[str, ...]:
    return tuple(filter(None, dict.fromkeys((part.uid, part.old_uid)))) if isinstance(part, OperatorEdit) else ()


def _remedies(edits: Sequence[PropertyEdit]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(edit.remedy for edit in edits if edit.remedy))


def start_options(open_concerns: Sequence[Concern]) -> tuple[str, ...] | None:
    """The options that let a start continue; None if it cannot, because a concern has no operator to reset."""
    unresolved = [concern for concern in open_concerns if concern.verdict is not Verdict.PARTIAL]
    if not all(concern.uids for concern in unresolved):
        return None
    resets = tuple(dict.fromkeys(f"--reset {quote(concern.uids[0])}" for concern in unresolved))
    return (*((ACCEPT,) if len(unresolved) < len(open_concerns) else ()), *resets)


def remedies(open_concerns: Sequence[Concern]) -> Iterator[str]:
    """Remedies of concerns, in the order to try them."""
    yield from dict.fromkeys(remedy for concern in open_concerns for remedy in concern.remedies)
    options = start_options(open_concerns)
    if options == (ACCEPT,):
        yield f"{ACCEPT} continues and accepts this"
    elif options:
        resets = sum(option != ACCEPT for option in options)
        yield f"{' '.join(options)} starts {'that operator' if resets == 1 else 'these operators'} empty"
    yield "run the plan that the checkpoint was written by, or start with an empty checkpoint folder"
