"""Figures of state: size, age and expiry, from one pass over the state of all operators."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from compiled_plan.plans.errors import CheckpointError, PlanError
from compiled_plan.plans.execution.state.checkpoint.retained import RetainedState, VanishedError
from compiled_plan.plans.execution.state.reading.model import (
    Bucket,
    KeyColumn,
    OperatorState,
    Part,
    Retention,
    StateReport,
    WhatIf,
    Window,
)
from compiled_plan.plans.execution.state.reading.reader import StateReader, StoredOperator
from compiled_plan.plans.execution.state.reading.unknown import NO_TIME
from compiled_plan.plans.text.durations import parse_duration

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_SECOND, _MINUTE, _HOUR, _DAY = 1000, 60_000, 3_600_000, 86_400_000
#: Lower bounds of the ranges of a histogram, in ms; the last range is unbounded.
EDGES = (
    0,
    _SECOND,
    10 * _SECOND,
    _MINUTE,
    10 * _MINUTE,
    _HOUR,
    6 * _HOUR,
    _DAY,
    7 * _DAY,
    30 * _DAY,
    90 * _DAY,
    365 * _DAY,
)
#: Operators with entries of windows, which end.
_OF_WINDOWS = frozenset(
    {"window-aggregate", "session-aggregate", "session-rows", "window-rank", "window-deduplicate", "window-join"}
)
_MOST_WINDOWS = 50

#: Returns the what-if TTL in ms for the entries of an operator's input; None for none.
Tried = Callable[[StoredOperator, int], int | None]


def no_override(operator: StoredOperator, at: int) -> int | None:
    return None


def tried_of(texts: Sequence[str], operator: StoredOperator | None) -> Tried:
    """Parse what-if TTLs: `3d` for all entries, `leftState=3d`, `left=3d` or `0=3d` for one.

    Args:
        texts: the user's options.
        operator: the inspected operator; None for all of them, whose entries then have no name.

    Raises:
        CheckpointError: no entry of that name, or no duration.
    """
    everywhere: int | None = None
    own: dict[int, int] = {}
    for text in texts:
        name, equals, duration = text.rpartition("=")
        ttl = _duration(duration, text)
        if not equals:
            everywhere = ttl
        elif operator is None:
            raise CheckpointError(
                f"--what-if {text} names an entry, and no operator is named",
                remedy=f"name one, or give --what-if {duration} for all",
            )
        else:
            own[_index(operator, name.strip(), text)] = ttl

    def tried(operator: StoredOperator, at: int) -> int | None:
        if not operator.spec["ttl"]:
            return None
        return own.get(at if len(operator.spec["ttl"]) > 1 else 0, everywhere)

    return tried


def _duration(text: str, option: str) -> int:
    try:
        return parse_duration(text)
    except PlanError as fault:
        raise CheckpointError(f"--what-if {option}: {fault.message}", remedy=fault.remedy) from None


def _index(operator: StoredOperator, name: str, text: str) -> int:
    """The input with a name or a number; `left` is `leftState`."""
    names = {line.entry: line.index for line in operator.lines}
    short = {entry.removesuffix("State"): at for entry, at in names.items()}
    numbers = {str(at): at for at in names.values()}
    index = {**numbers, **short, **names}.get(name)
    if index is None:
        known = ", ".join(names) or "none"
        raise CheckpointError(
            f"--what-if {text}: operator {operator.uid} has no state entry {name} with a TTL",
            remedy=f"its entries: {known}",
        )
    return index


def state_report(
    reader: StateReader, uids: Sequence[str] | None = None, now: int | None = None, tried: Tried = no_override
) -> StateReport:
    """Figures of operators.

    Args:
        uids: the operators; None for all.
        now: the time in ms to which ages and expiries are relative; None for the present.
        tried: what-if TTLs of entries.

    Raises:
        CheckpointError: the state cannot be read.
    """
    at = int(time.time() * 1000) if now is None else now
    wanted = [operator for uid, operator in reader.operators.items() if uids is None or uid in uids]
    batch, states = reader.at_rest(lambda rows: _read(reader, wanted, rows, at, tried))
    operators = tuple(states[operator.uid] for operator in wanted)
    retention = None if reader.savepoint is not None else _retention(reader)
    return StateReport(reader.uri, reader.number, batch, at, operators, reader.savepoint, retention)


def _retention(reader: StateReader) -> Retention | None:
    """The retained micro-batches; None if there are none, or a run removes state meanwhile."""
    retained = RetainedState(reader.generation)
    with suppress(VanishedError):
        first = retained.oldest()
        if first is not None:
            last = retained.batches[-1]
            return Retention(first, last, retained.bytes_beyond(retained.files(last)))
    return None


def _read(
    reader: StateReader, wanted: Sequence[StoredOperator], rows: DataFrame | None, now: int, tried: Tried
) -> Mapping[str, OperatorState]:
    states = {operator.uid: _empty(operator) for operator in wanted}
    if rows is None or not wanted:
        return states
    figures = reader.figures(rows.where(rows.op.isin(list(states))))
    for row in _aggregated(figures, wanted, now, tried, from_savepoint=reader.savepoint is not None).collect():
        states[row.op] = _with(states[row.op], row.asDict(), tried(reader.operators[row.op], row.input))
    if len(wanted) == 1 and wanted[0].kind in _OF_WINDOWS:
        states[wanted[0].uid] = _with_windows(states[wanted[0].uid], figures)
    return states


def _empty(operator: StoredOperator) -> OperatorState:
    """The figures of an operator without state."""
    columns = tuple(
        tuple(KeyColumn(**operator.column(column["input"], column["column"])) for column in key)
        for key in operator.state["keys"]
    )
    lines = [operator.line(at) for at in range(len(operator.feeds))]
    parts = tuple(
        Part(at, line.entry if line else "", tables, operator.ttl(at))
        for at, (line, tables) in enumerate(zip(lines, operator.feeds, strict=True))
    )
    return OperatorState(
        operator.uid,
        operator.node,
        operator.words,
        operator.kind,
        columns,
        keys=0,
        entries=0,
        bytes=0,
        event_time=operator.event_time,
        next_timer=None,
        parts=parts,
    )


def _aggregated(
    figures: DataFrame, wanted: Sequence[StoredOperator], now: int, tried: Tried, *, from_savepoint: bool
) -> DataFrame:
    """One row per operator and input; keys, bytes and timers are counted with the first entry of a key."""
    is_known = F.col("entry.written") != NO_TIME
    share = (F.col("bytes") / F.greatest(F.size("entries"), F.lit(1))).alias("entry_bytes")
    entries = figures.select("op", "bytes", share, "timer", F.posexplode_outer("entries").alias("place", "entry"))
    entries = entries.select(
        "op",
        F.coalesce("entry.input", F.lit(0)).alias("input"),
        F.col("entry").isNotNull().alias("is_entry"),
        (F.coalesce("place", F.lit(0)) == 0).alias("first"),
        "bytes",
        "entry_bytes",
        "timer",
        (F.when(is_known, F.col("entry.written")) if from_savepoint else F.col("entry.written")).alias("written"),
        (~is_known if from_savepoint else F.lit(False)).alias("unknown"),
        F.col("entry.time").alias("time"),
    )
    entries = entries.withColumns(
        {
            "age": F.lit(now) - F.col("written"),
            "expiry": _expiry(wanted, lambda operator, at: operator.ttl(at)),
            "tried": _expiry(wanted, tried),
        }
    )
    first, left = F.col("first"), F.col("expiry") - F.lit(now)
    live = F.when(F.coalesce(left > 0, F.lit(True)), F.col("entry_bytes"))
    return entries.groupBy("op", "input").agg(
        F.count_if(first).alias("keys"),
        F.count_if("is_entry").alias("entries"),
        F.sum(F.when(first, F.col("bytes"))).alias("bytes"),
        F.min("timer").alias("next_timer"),
        F.count("written").alias("written"),
        F.count_if("unknown").alias("unknown"),
        F.min("written").alias("oldest_write"),
        F.max("written").alias("newest_write"),
        F.min("time").alias("oldest_time"),
        F.max("time").alias("newest_time"),
        F.sum(live).cast("bigint").alias("live_bytes"),
        F.sum(F.when(F.col("tried") <= now, live)).cast("bigint").alias("tried_bytes"),
        *(column.alias(name) for name, column in _counted("expiry", now).items()),
        *(column.alias(f"tried_{name}") for name, column in _counted("tried", now).items()),
        F.array(*_histogram(F.greatest(F.col("age"), F.lit(0)))).alias("ages"),
        F.array(*_histogram(F.when(left > 0, left))).alias("expiries"),
    )


def _expiry(wanted: Sequence[StoredOperator], ttl_of: Tried) -> Column:
    """The expiry of an entry under the TTL of its operator and input; null for never."""
    expiry = F.lit(None).cast("bigint")
    for operator in wanted:
        for at in range(len(operator.feeds)):
            ttl = ttl_of(operator, at)
            if ttl:
                matches = (F.col("op") == operator.uid) & (F.col("input") == at)
                expiry = F.when(matches, F.try_add(F.col("written"), F.lit(ttl))).otherwise(expiry)
    return expiry


def _counted(expiry: str, now: int) -> dict[str, Column]:
    gone, later = F.col(expiry) <= now, F.when(F.col(expiry) > now, F.col(expiry))
    return {"expired": F.count_if(gone), "next_expiry": F.min(later), "last_expiry": F.max(later)}


def _histogram(value: Column) -> list[Column]:
    ranges = [(value >= low) & (value < high) for low, high in pairwise(EDGES)]
    return [F.count_if(range_) for range_ in (*ranges, value >= EDGES[-1])]


def _buckets(counts: Sequence[int]) -> tuple[Bucket, ...]:
    """The ranges from the first to the last that has entries."""
    filled = [at for at, count in enumerate(counts) if count]
    ends = (*EDGES[1:], None)
    span = range(filled[0], filled[-1] + 1) if filled else range(0)
    return tuple(Bucket(EDGES[at], ends[at], counts[at]) for at in span)


#: The figures of a part that are copied from the row.
_TAKEN = (
    *("entries", "written", "unknown", "oldest_write", "newest_write", "oldest_time", "newest_time"),
    *("expired", "next_expiry", "last_expiry"),
)


def _with(state: OperatorState, row: Mapping[str, Any], tried: int | None) -> OperatorState:
    """Add the figures of one of an operator's inputs, with a what-if TTL if there is one."""
    what_if = None
    if tried is not None:
        gone = row["tried_expired"]
        expiries = row["tried_next_expiry"], row["tried_last_expiry"]
        what_if = WhatIf(tried, gone, row["entries"] - gone, *expiries, row["tried_bytes"] or 0)
    at = row["input"]
    part = replace(
        state.parts[at],
        **{name: row[name] for name in _TAKEN},
        ages=_buckets(row["ages"]),
        expiries=_buckets(row["expiries"]),
        what_if=what_if,
        bytes=row["live_bytes"] or 0,
    )
    timers = [timer for timer in (state.next_timer, row["next_timer"]) if timer is not None]
    return replace(
        state,
        keys=state.keys + row["keys"],
        entries=state.entries + row["entries"],
        bytes=state.bytes + (row["bytes"] or 0),
        next_timer=min(timers, default=None),
        parts=(*state.parts[:at], part, *state.parts[at + 1 :]),
    )


def _with_windows(state: OperatorState, figures: DataFrame) -> OperatorState:
    ends = figures.select(F.explode("entries.time").alias("end")).groupBy("end").count()
    rows = ends.orderBy("end").limit(_MOST_WINDOWS + 1).collect()
    windows = tuple(Window(row["end"], row["count"]) for row in rows[:_MOST_WINDOWS])
    more = ends.count() - _MOST_WINDOWS if len(rows) > _MOST_WINDOWS else 0
    return replace(state, windows=windows, more_windows=more)
