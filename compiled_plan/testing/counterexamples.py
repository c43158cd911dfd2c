"""Counterexamples of a change: for each part of it, the smallest input for which the program that continues differs.

Both programs run as tests without a query, over random inputs, which serve all parts. Where none of them shows a
difference, the program changes at every place of an input for which an operator emits rows. An input then shrinks for
each part, while the part differs.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from compiled_plan.plans.execution.testing.engine import Engines
from compiled_plan.plans.inspection.diff.model import Part
from compiled_plan.plans.inspection.identity import with_uids
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.testing.candidates import Candidates, tables_read
from compiled_plan.testing.inputs import Input
from compiled_plan.testing.outcomes import BEFORE, Outcome, Watch
from compiled_plan.testing.running import over
from compiled_plan.testing.trials import EndedError, Trials

_Rank = Callable[[Outcome], tuple[float, ...]]
#: Rows per table and run of the first inputs, fewer first.
_SIZES = (2, 4, 8, 16)
#: An example of more rows is shrunk once more, in pairs of rows, too.
_FEW = 4


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Input for which a change makes a difference.

    Args:
        outcome: the input, and the rows of both programs.
        parts: the parts of which it is the smallest example.
    """

    outcome: Outcome
    parts: tuple[Watch, ...]


@dataclass(frozen=True, slots=True)
class Search:
    """The result of a search.

    Args:
        compared: the number of inputs over which the programs were compared.
        failed: the number of inputs that ended one of them.
        examples: the smallest inputs, those of operators first.
        missing: the parts that are not fully compatible and did not differ.
    """

    compared: int
    failed: int
    examples: tuple[Counterexample, ...]
    missing: tuple[Part, ...]


def search(
    old: CompiledPlan, new: CompiledPlan, engines: Engines, seconds: float, tries: int, most: int = 0, seed: int = 0
) -> Search:
    """Search counterexamples.

    Operators whose state the new program cannot read start empty.

    Args:
        old: the program before the change.
        new: the program after it.
        engines: creates engines.
        seconds: the time limit after the first input.
        tries: the number of random inputs.
        most: the number of random inputs while a part that is not fully compatible has no example.
        seed: decides on the inputs.

    Raises:
        CompiledPlanError: a program does not start; an `UpgradeError` if no option lets it continue with the state.
        NotQuickError: a program runs in a query alone.
    """
    old, new = with_uids(old), over(new, old)
    tables = tables_read(old, new)
    trials = Trials(old, new, engines, tables)
    candidates = Candidates((old, new), tables, seed)
    failed, number, end = 0, 0, math.inf
    while time.monotonic() < end and (number < tries or (number < most and _missing(trials))):
        try:
            trials.outcome(candidates.input(_SIZES[number % len(_SIZES)]))
        except EndedError:
            failed += 1
        number += 1
        # The first input translates the programs, which takes longer than all others.
        end = min(end, time.monotonic() + seconds)
        if number % tries == 0:
            for watch in _missing(trials):
                _split(trials, candidates, watch, end)
    examples = tuple(_examples(trials, candidates, end))
    return Search(number - failed, failed, examples, tuple(watch.part for watch in _missing(trials)))


def _missing(trials: Trials) -> list[Watch]:
    """The parts that are not fully compatible and have no example."""
    open_ = [watch for watch in trials.watches if watch.part.verdict is not Verdict.FULL]
    return [watch for watch in open_ if all(outcome.differing(watch) is None for outcome in trials.seen())]


def _split(trials: Trials, candidates: Candidates, watch: Watch, end: float) -> None:
    """Let the program change at every place of the smallest input for which a part emits rows.

    The state matters at one of them: rows that an operator emits later depend on it.
    """

    def rank(outcome: Outcome) -> tuple[float, ...]:
        return (watch.nodes[1] not in outcome.emitting, len(outcome.input))

    emitting = [outcome for outcome in trials.seen() if watch.nodes[1] in outcome.emitting]
    if emitting:
        smallest = _Shrinking(trials, rank, end).shrunk(min(emitting, key=rank)).input
        for input_ in candidates.splits(smallest):
            if time.monotonic() < end:
                with suppress(EndedError):
                    trials.outcome(input_)


def _examples(trials: Trials, candidates: Candidates, end: float) -> Iterator[Counterexample]:
    """The smallest examples, each with all parts for which none is better."""
    smallest = {at: outcome for at, outcome in enumerate(_smallest(trials, candidates, end)) if outcome is not None}
    shared: dict[int, list[int]] = {}
    for at, own in smallest.items():
        rank = _rank(trials, own, trials.watches[at])
        fitting = (first for first in shared if _rank(trials, smallest[first], trials.watches[at]) <= rank)
        shared.setdefault(next(fitting, at), []).append(at)
    for first, parts in shared.items():
        yield Counterexample(smallest[first], tuple(trials.watches[at] for at in parts))


def _smallest(trials: Trials, candidates: Candidates, end: float) -> Iterator[Outcome | None]:
    """By part, its smallest example."""
    for watch in trials.watches:
        rank, smallest = partial(_rank, trials, watch=watch), None
        # Where a difference without a cause upstream takes many rows, one with a cause is easier to read.
        for order in (rank, partial(_size_and_rank, rank)):
            seen = (outcome for outcome in trials.seen() if outcome.differing(watch) is not None)
            first = min(seen, key=order, default=None)
            if first is not None and (smallest is None or len(smallest.input) > _FEW + 1):
                smallest = _Shrinking(trials, order, end).simplified(first, candidates)
        yield smallest


def _size_and_rank(rank: _Rank, outcome: Outcome) -> tuple[float, ...]:
    return len(outcome.input), *rank(outcome)


def _rank(trials: Trials, outcome: Outcome, watch: Watch) -> tuple[float, ...]:
    """The order of examples, the best first: one that a sink shows, without a cause upstream, of later rows, small."""
    differing = outcome.differing(watch)
    if differing is None:
        return (math.inf,)
    causes = (edit.new_node for edit in trials.diff.operators if edit.verdict is not Verdict.FULL)
    differs = any(node in outcome.operators for node in causes if node in watch.above)
    is_early = differing.name == BEFORE
    return (not watch.sinks & outcome.sinks.keys(), differs, is_early, len(outcome.input))


@dataclass(frozen=True, slots=True)
class _Shrinking:
    """Shrinks inputs until a time, while their rank gets no worse."""

    trials: Trials
    rank: _Rank
    end: float

    def simplified(self, example: Outcome, candidates: Candidates) -> Outcome:
        """Such an example, with the simplest values."""
        example = self.shrunk(example)
        for table, column, value in example.input.values():
            simplest = candidates.simplest(table, column)
            if simplest not in (None, value):
                changed = example.input.with_value(table, column, value, simplest)
                example = self._first([changed], example) or example
        return self.shrunk(example) if len(example.input) > _FEW else example

    def shrunk(self, example: Outcome) -> Outcome:
        """An example from which no event can be left out."""
        size = max(len(example.input.before), len(example.input.after))
        while size and time.monotonic() < self.end:
            smaller = self._first(example.input.smaller(size), example)
            size, example = (size // 2, example) if smaller is None else (size, smaller)
        # Two events that cancel out are needed for one another.
        pairs = example.input.without_two() if _FEW < len(example.input) <= 2 * _FEW else ()
        smaller = self._first(pairs, example)
        return example if smaller is None else self.shrunk(smaller)

    def _first(self, inputs: Iterable[Input], example: Outcome) -> Outcome | None:
        """The first possible input that is no worse an example."""
        rank = self.rank(example)
        for input_ in inputs:
            if time.monotonic() > self.end:
                return None
            try:
                outcome = self.trials.outcome(input_) if input_.is_possible() else None
            except EndedError:
                continue
            if outcome is not None and self.rank(outcome) <= rank:
                return outcome
        return None
