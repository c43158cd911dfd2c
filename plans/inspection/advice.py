"""Advice on TTLs: the document of `inspect-state --advise`, and the edits of a plan that apply it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from pydantic import ValidationError

from compiled_plan.plans.errors import CheckpointError, PlanError
from compiled_plan.plans.findings import did_you_mean
from compiled_plan.plans.inspection.entries import StateLine
from compiled_plan.plans.inspection.ttl import TtlEdit
from compiled_plan.plans.text.documents import Document, Item
from compiled_plan.plans.text.durations import format_duration

#: The share of uses that an advised TTL leaves by default.
KEEP = "99.9%"
#: The shortest advised TTL, in ms: micro-batches are not much shorter.
_SHORTEST = 1000
#: A readable TTL is a multiple of the longest of these steps, in ms, that is at most a twentieth of it.
_STEPS = tuple(
    unit * steps
    for unit, multiples in (
        (1, (1, 5, 10, 50, 100, 500)),
        (1000, (1, 5, 10, 30)),
        (60_000, (1, 5, 10, 30)),
        (3_600_000, (1, 6, 12)),
        (86_400_000, (1, 5, 10, 50, 100)),
    )
    for steps in multiples
)
_PART = 20


@dataclass(frozen=True, slots=True)
class EntryAdvice(Item):
    """The advised TTL of a state entry, in ms; times are in ms since 1970.

    Args:
        uid: the operator.
        node: id of its node in the plan.
        words: its description.
        entry: the name of the state entry in the plan, `leftState`.
        ttl: the present TTL, under which uses were observed; 0 never expires.
        advised: the shortest readable TTL that leaves the share of uses; the present one if no shorter does; None
            without an observed use.
        uses: number of uses observed.
        since: the time at which the observation began; None if there is none.
        entries: stored entries that have not expired.
        bytes: their size, an estimate: the size of a key is divided evenly over its entries.
        saved_entries: entries that the advised TTL removes at once.
        saved_bytes: their size, an estimate.
    """

    uid: str
    node: int
    words: str
    entry: str
    ttl: int
    advised: int | None
    uses: int
    since: int | None
    entries: int
    bytes: int
    saved_entries: int
    saved_bytes: int


@dataclass(frozen=True, slots=True)
class Growth(Item):
    """Growth of the state of an operator in a day, at the rate of the retained micro-batches."""

    uid: str
    entries: int
    bytes: int | None


@dataclass(frozen=True, slots=True)
class AdviceReport(Item):
    """Advice on the TTLs of a program.

    Args:
        checkpoint: the folder of its checkpoint.
        generation: number of the current generation.
        batch: number of the last committed micro-batch; None before the first.
        at: the time to which the ages of entries are relative.
        keep: the share of uses that the advised TTLs leave.
        entries: the state entries that have a TTL.
        growth: of the operators for which it is known.
    """

    checkpoint: str
    generation: int
    batch: int | None
    at: int
    keep: float
    entries: tuple[EntryAdvice, ...]
    growth: tuple[Growth, ...]


class Advice(Document):
    """Advised TTLs; durations are in ms."""

    version: Literal[1] = 1
    advice: AdviceReport


def share_of(text: str) -> Fraction:
    """Parse the share of uses to keep: `99.9%` or `0.999`.

    Raises:
        CheckpointError: not a share above 0 and up to 1.
    """
    number, percent, rest = text.strip().partition("%")
    try:
        share = Fraction(number) / (100 if percent else 1)
        if rest or not 0 < share <= 1:
            raise ValueError
    except (ValueError, ZeroDivisionError):
        raise CheckpointError(
            f"{text!r} is not a share of uses to keep", remedy="write a share above 0% and up to 100%, such as `99.9%`"
        ) from None
    return share


def readable(age: int) -> int:
    """Round a duration in ms up to a readable one, by at most 5%, and to 1 s at least."""
    at_least = max(age, _SHORTEST)
    step = max(step for step in _STEPS if step * _PART <= at_least)
    return -(-at_least // step) * step


def edits_of(text: str, lines: Sequence[StateLine], where: str) -> list[TtlEdit]:
    """The edits of a plan that set the advised TTLs; none for those that it has already.

    Args:
        text: the JSON of `inspect-state --advise --json`.
        lines: the state entries of the plan.
        where: the file of the advice, for messages.

    Raises:
        PlanError: the text is no advice, or that of another program or of other TTLs.
    """
    try:
        advice = Advice.model_validate_json(text).advice
    except ValidationError:
        raise PlanError(
            "not an advice on TTLs", where=where, remedy="write one with `inspect-state DIR --advise --json`"
        ) from None
    for entry in advice.entries:
        _check(entry, lines, where)
    return [
        TtlEdit(entry.uid, entry.entry, format_duration(entry.advised))
        for entry in advice.entries
        if entry.advised is not None and entry.advised != entry.ttl
    ]


def _check(entry: EntryAdvice, lines: Sequence[StateLine], where: str) -> None:
    """Refuse an advice on a state entry that the plan does not have, or has under another TTL."""
    of_operator = {line.entry: line for line in lines if line.uid == entry.uid}
    if not of_operator:
        raise PlanError(
            f"the plan has no operator {entry.uid!r} with a TTL: the advice is for another program",
            where=where,
            remedy=did_you_mean(entry.uid, sorted({line.uid for line in lines}), "-")
            if lines
            else "the plan keeps no state that could expire",
        )
    line = of_operator.get(entry.entry)
    if line is None:
        message = f"operator {entry.uid!r} of the plan has no state entry {entry.entry!r}"
        raise PlanError(message, where=where, remedy=did_you_mean(entry.entry, list(of_operator)))
    if line.ttl_ms != entry.ttl:
        present, observed = format_duration(line.ttl_ms), format_duration(entry.ttl)
        raise PlanError(
            f"{entry.uid}.{entry.entry} has the TTL {present} in the plan, and the advice is of uses under {observed}",
            where=where,
            remedy="run the plan, and ask for an advice again; or set it with `edit-plan --ttl`",
        )
