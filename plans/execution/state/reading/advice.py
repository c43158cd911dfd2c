"""Advice on TTLs: the ages at which entries were used, and the entries that a shorter TTL removes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import chain

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.state.checkpoint.offsets import begun_at
from compiled_plan.plans.execution.state.reading.figures import state_report
from compiled_plan.plans.execution.state.reading.model import OperatorState, Part
from compiled_plan.plans.execution.state.reading.reader import StateReader, StoredOperator
from compiled_plan.plans.inspection.advice import AdviceReport, EntryAdvice, Growth, readable
from compiled_plan.plans.inspection.checkpoints import BATCHES, STATE_ROWS, StateFigures, recorded
from compiled_plan.plans.inspection.use_ages import UseAges

_DAY = 86_400_000
#: The shortest time, in ms, whose growth is extrapolated to a day.
_SHORTEST = 60_000


def advice_on(
    reader: StateReader, keep: Fraction, uids: Sequence[str] | None = None, now: int | None = None
) -> AdviceReport:
    """Advise the shortest TTL of each state entry that leaves a share of its uses.

    Args:
        keep: the share of uses.
        uids: the operators; None for all.
        now: the time in ms to which ages of entries are relative; None for the present.

    Raises:
        CheckpointError: the state cannot be read, or is that of a savepoint.
    """
    if reader.savepoint is not None:
        raise CheckpointError(
            "a savepoint of Flink does not have the ages at which its state was used",
            where=reader.uri,
            remedy="run the plan from it for a while, and ask for an advice on that checkpoint",
        )
    figures = StateFigures.read(reader.generation.read_text(STATE_ROWS))
    advised = {
        (operator.uid, number): _advised(ages, keep)
        for operator in reader.operators.values()
        for number, ages in enumerate(figures.ages.get(operator.uid, ()))
    }

    def tried(operator: StoredOperator, at: int) -> int | None:
        return advised.get((operator.uid, at if len(operator.spec["ttl"]) > 1 else 0))

    report = state_report(reader, uids, now, tried)
    entries = chain.from_iterable(
        _entries(reader.operators[state.uid], state, figures.ages.get(state.uid, ()), advised)
        for state in report.operators
    )
    growth = tuple(growth_of(reader.generation, [state.uid for state in report.operators], figures))
    where = (report.checkpoint, report.generation, report.batch, report.at)
    return AdviceReport(*where, float(keep), tuple(entries), growth)


def _advised(ages: UseAges, keep: Fraction) -> int | None:
    """The advised TTL; None without uses. Uses under a TTL say nothing of longer ones."""
    met = ages.met(keep)
    if met is None:
        return None
    ttl = readable(met)
    return min(ttl, ages.ttl) if ages.ttl else ttl


def _entries(
    operator: StoredOperator,
    state: OperatorState,
    observed: Sequence[UseAges],
    advised: Mapping[tuple[str, int], int | None],
) -> Iterator[EntryAdvice]:
    """The advice on each state entry; in the kernel they are numbered by input."""
    for number, line in enumerate(sorted(operator.lines, key=lambda line: line.index)):
        parts = [part for part in state.parts if len(operator.lines) == 1 or part.index == line.index]
        ages = observed[number] if number < len(observed) else None
        yield EntryAdvice(
            uid=operator.uid,
            node=operator.node,
            words=operator.words,
            entry=line.entry,
            ttl=line.ttl_ms,
            advised=advised.get((operator.uid, number)),
            uses=ages.total if ages else 0,
            since=ages.since if ages else None,
            entries=sum(part.entries - part.expired for part in parts),
            bytes=sum(part.bytes for part in parts),
            saved_entries=sum(map(_saved_entries, parts)),
            saved_bytes=sum(part.what_if.bytes for part in parts if part.what_if),
        )


def _saved_entries(part: Part) -> int:
    return part.what_if.expired - part.expired if part.what_if else 0


def growth_of(generation: Folder, uids: Sequence[str], now: StateFigures) -> Iterator[Growth]:
    """The growth of operators in a day, at the rate from the first retained micro-batch to the last.

    Args:
        generation: Spark's checkpoint location.
        uids: the operators.
        now: the figures after the last micro-batch.
    """
    batches = [batch for batch in generation.numbers(BATCHES) if generation.holds(recorded(batch, STATE_ROWS))]
    if not batches:
        return
    first, last = min(batches), max(batches)
    # Spark's log may no longer have the first one.
    with suppress(CheckpointError):
        span = begun_at(generation, last) - begun_at(generation, first)
        if span < _SHORTEST:
            return
        before = StateFigures.read(generation.read_text(recorded(first, STATE_ROWS)))
        for uid in uids:
            if uid in before.rows and uid in now.rows:
                sizes = now.bytes.get(uid), before.bytes.get(uid)
                grown = None if sizes[0] is None or sizes[1] is None else _in_a_day(sizes[0] - sizes[1], span)
                yield Growth(uid, _in_a_day(now.rows[uid] - before.rows[uid], span), grown)


def _in_a_day(grown: int, span: int) -> int:
    return grown * _DAY // span
