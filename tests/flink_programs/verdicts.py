"""The outcome of an attempt, and the list of known deviations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from tests.flink_programs.comparison import continued, difference, expected_table, summed
from tests.flink_programs.conversion import Sink
from tests.flink_programs.running import Attempt

KNOWN = Path(__file__).with_name("known.json")
KNOWN_SAVEPOINTS = Path(__file__).with_name("known_savepoints.json")


class Outcome(Enum):
    """Outcomes with their headings in the table."""

    EQUAL = "equal"
    AS_FLINK = "as Flink on the same files"
    FAILS = "fails, as expected"
    REFUSED_BY_BOTH = "refused by Flink, too"
    NOT_COMPARABLE = "not comparable"
    REFUSED = "refused"
    FAILED = "failed"
    DIFFERENT = "different rows"
    NOT_REFUSED = "not refused"
    DISAGREEMENT = "check and run disagree"
    INTERNAL = "internal error"

    @property
    def deviates(self) -> bool:
        """Return True if it needs a reason in the list of known deviations."""
        return self in _DEVIATIONS


_DEVIATIONS = {
    Outcome.REFUSED,
    Outcome.FAILED,
    Outcome.DIFFERENT,
    Outcome.NOT_REFUSED,
    Outcome.DISAGREEMENT,
    Outcome.INTERNAL,
}


@dataclass(frozen=True)
class Verdict:
    """An attempt's outcome with its facts, and the reason if it is known."""

    name: str
    outcome: Outcome
    facts: str = ""
    reason: str = ""

    @property
    def unknown(self) -> bool:
        """Return True if it deviates without a known reason."""
        return self.outcome.deviates and not self.reason


def verdict(attempt: Attempt, answer: Mapping[str, Any], in_flink: Attempt | None) -> Verdict:
    """The outcome of an attempt.

    Args:
        attempt: with its refusals, its failure or its rows.
        answer: Flink's on the same program; empty for a plan without one.
        in_flink: the same program's run in Flink, with its rows; None if there was none.
    """
    return _excused(attempt, *_plain(attempt, answer, in_flink))


def continuation(attempt: Attempt) -> Verdict:
    """The outcome of an attempt that continues from a savepoint."""
    if (fault := fault_of(attempt)) is not None:
        return _excused(attempt, *fault)
    differences = []
    for sink, key in _sinks(attempt):
        actual = continued(sink.before, key, attempt.rows.get(sink.name, ()))
        if gap := difference(expected_table(sink.expected, key), actual):
            differences.append(f"{sink.name}: {gap}")
    return _excused(attempt, Outcome.DIFFERENT if differences else Outcome.EQUAL, "\n".join(differences))


def fault_of(attempt: Attempt) -> tuple[Outcome, str] | None:
    """The outcome of an attempt that was refused or failed, with its facts; None for others."""
    facts = _facts(attempt)
    if _is_internal(facts):
        return Outcome.INTERNAL, facts
    if facts:
        return Outcome.REFUSED if attempt.refusals else Outcome.FAILED, facts
    return None


def _excused(attempt: Attempt, outcome: Outcome, facts: str) -> Verdict:
    case = attempt.case
    if outcome.deviates and outcome not in (Outcome.INTERNAL, Outcome.DISAGREEMENT) and (case is None or case.obstacle):
        outcome, facts = Outcome.NOT_COMPARABLE, case.obstacle if case else "its program is not in the jars"
    return Verdict(attempt.name, outcome, facts)


def _plain(attempt: Attempt, answer: Mapping[str, Any], in_flink: Attempt | None) -> tuple[Outcome, str]:
    refusals, facts = attempt.refusals, _facts(attempt)
    if _is_internal(facts):
        return Outcome.INTERNAL, facts
    # `edit-plan --check` knows no option of the session.
    if attempt.plan.exists() and not attempt.settings and len(refusals) not in (0, 2):
        return Outcome.DISAGREEMENT, facts
    if attempt.case is not None and attempt.case.fails:
        if not facts and answer.get("ran"):
            return Outcome.AS_FLINK, "no failure"
        return (Outcome.FAILS if facts else Outcome.NOT_REFUSED), facts
    if facts:
        if answer.get("refused"):
            return Outcome.REFUSED_BY_BOTH, facts
        return (Outcome.REFUSED if refusals else Outcome.FAILED), facts
    differences = list(_differences(attempt, None))
    if not differences:
        return Outcome.EQUAL, ""
    if in_flink is not None and answer.get("ran") and not list(_differences(attempt, in_flink)):
        return Outcome.AS_FLINK, "\n".join(differences)
    return Outcome.DIFFERENT, "\n".join(differences)


def _facts(attempt: Attempt) -> str:
    return "\n".join([*(f"{command}: {text}" for command, text in attempt.refusals.items()), attempt.failure]).strip()


def _is_internal(facts: str) -> bool:
    return any(sign in facts for sign in ("Traceback", "internal error"))


def _differences(attempt: Attempt, in_flink: Attempt | None) -> Iterable[str]:
    """Per sink whose rows differ from the test's or from those of a run in Flink, the difference."""
    for sink, key in _sinks(attempt):
        expected = expected_table(sink.expected, key) if in_flink is None else summed(in_flink.rows.get(sink.name, ()))
        if gap := difference(expected, summed(attempt.rows.get(sink.name, ()))):
            yield f"{sink.name}: {gap}"


def _sinks(attempt: Attempt) -> Iterator[tuple[Sink, list[int]]]:
    """The sinks with the positions of their keys."""
    for sink in attempt.case.sinks if attempt.case else ():
        yield sink, [list(sink.columns).index(name) for name in sink.key]


def with_reasons(verdicts: Sequence[Verdict], known: Mapping[str, str]) -> tuple[list[Verdict], list[str]]:
    """Verdicts with the reasons of the known deviations; patterns of the list without a deviation."""
    used: set[str] = set()
    reasoned = []
    for one in verdicts:
        pattern = next((p for p in known if one.outcome.deviates and fnmatchcase(one.name, p)), None)
        used |= {pattern} if pattern else set()
        reasoned.append(Verdict(one.name, one.outcome, one.facts, known[pattern] if pattern else ""))
    return reasoned, [pattern for pattern in known if pattern not in used]


def known_deviations(file: Path) -> dict[str, str]:
    """Reasons of known deviations, by name pattern."""
    known: dict[str, str] = json.loads(file.read_text())
    return known


def table(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Outcomes by kind of attempt: a header, a line per outcome."""
    for heading, *cells in _table(verdicts):
        yield f"{heading:36}" + "".join(f"{cell:>10}" for cell in cells)


def _table(verdicts: Sequence[Verdict]) -> list[list[str]]:
    kinds = list(dict.fromkeys(one.name.partition("/")[0] for one in verdicts))
    rows = [["outcome", *kinds]]
    for outcome in Outcome:
        for known in (False, True) if outcome.deviates else (False,):
            counts = [
                sum(one.outcome is outcome and bool(one.reason) is known for one in verdicts if _is(one, kind))
                for kind in kinds
            ]
            if any(counts):
                rows.append([outcome.value + (", known" if known else ""), *map(str, counts)])
    return [*rows, ["all", *(str(sum(_is(one, kind) for one in verdicts)) for kind in kinds)]]


def _is(one: Verdict, kind: str) -> bool:
    return one.name.partition("/")[0] == kind
