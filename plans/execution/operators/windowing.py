"""Shared code of window operators: the windows of a row as columns, and their description for the kernel.

Windows are relative to a local clock: that of the session's time zone for TIMESTAMP_LTZ and processing time, otherwise
UTC. Their starts and ends are BIGINT columns here, in ms from 1970 on that clock. Source: Flink 2.3's `TimeWindowUtil`,
`SliceAssigners` and `GroupWindowAssigner`s.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pyspark.sql import Column
from pyspark.sql import functions as F

from compiled_plan.plans.execution.expressions.zones import as_local, as_point, from_local, to_local
from compiled_plan.plans.execution.operators.base import Lowering
from compiled_plan.plans.execution.spark import lambdas
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.windows import CumulativeWindow, HoppingWindow, SessionWindow, TumblingWindow
from compiled_plan.plans.text.durations import parse_iso_duration
from compiled_plan.plans.types import BIGINT, LogicalType, TimestampLtzType

#: The type of a window's start and end, as columns for the kernel.
MILLIS = BIGINT


def zone_of(node: PlanNode, time: LogicalType, lowering: Lowering) -> str | None:
    """The time zone of the clock of windows over times of this type; None for UTC."""
    if not isinstance(time, TimestampLtzType):
        return None
    zone = lowering.context(node).time_zone
    return None if zone == "UTC" else zone


def millis(time: Column, type_: LogicalType, zone: str | None) -> Column:
    """A TIMESTAMP or TIMESTAMP_LTZ as ms on the clock."""
    local = to_local(time, zone) if isinstance(type_, TimestampLtzType) and zone is not None else time
    return F.unix_millis(as_point(local))


def timestamp(local: Column, type_: LogicalType, zone: str | None) -> Column:
    """Ms on the clock as a value of the type."""
    time = as_local(F.timestamp_millis(local))
    return from_local(time, zone or "UTC") if isinstance(type_, TimestampLtzType) else time


@dataclass(frozen=True, slots=True)
class Tumbling:
    """Consecutive windows of `size`; all lengths of windows are in ms."""

    size: int
    offset: int
    type: str = field(default="tumbling", init=False)


@dataclass(frozen=True, slots=True)
class Hopping:
    """Windows of `size`, starting every `slide`."""

    size: int
    slide: int
    offset: int
    type: str = field(default="hopping", init=False)


@dataclass(frozen=True, slots=True)
class Cumulative:
    """Windows that grow by `step` up to `max_size`."""

    max_size: int
    step: int
    offset: int
    type: str = field(default="cumulative", init=False)


@dataclass(frozen=True, slots=True)
class Session:
    """Windows of rows that are less than `gap` apart."""

    gap: int


@dataclass(frozen=True, slots=True)
class Attached:
    """Windows whose bounds the rows carry in columns."""

    type: str = field(default="attached", init=False)


Aligned = Tumbling | Hopping | Cumulative


def aligned(window: TumblingWindow | HoppingWindow | CumulativeWindow) -> Aligned:
    """A window for the kernel."""
    match window:
        case TumblingWindow():
            return Tumbling(_ms(window.size), _ms(window.offset))
        case HoppingWindow():
            return Hopping(_ms(window.size), _ms(window.slide), _ms(window.offset))
        case CumulativeWindow():
            return Cumulative(_ms(window.max_size), _ms(window.step), _ms(window.offset))


def session(window: SessionWindow) -> Session:
    """A session window for the kernel."""
    return Session(_ms(window.gap))


def _ms(duration: str | None) -> int:
    return 0 if duration is None else parse_iso_duration(duration)


def tumbling_end(time: Column, window: Tumbling) -> Column:
    """The end of the tumbling window of a time."""
    size, offset = F.lit(window.size), F.lit(window.offset)
    return time - F.pmod(time - offset, size) + size


def window_ends(time: Column, window: Aligned) -> Column:
    """The ends of all aligned windows of a time, an array, in Flink's order: hopping windows from the last on."""
    offset = F.lit(window.offset)
    match window:
        case Tumbling():
            return F.array(tumbling_end(time, window))
        case Hopping(size, slide):
            last = time - F.pmod(time - offset, F.lit(slide)) + F.lit(size)
            # Ends are after the time; with a slide longer than the size there may be none.
            count = F.floor((last - time - F.lit(1)) / F.lit(slide)) + F.lit(1)
            ends = lambdas.transform(
                F.sequence(F.lit(0), F.greatest(count, F.lit(1)) - 1), lambda at: last - at * slide
            )
            return lambdas.filtered(ends, lambda end: end > time)
        case Cumulative(size, step):
            start = time - F.pmod(time - offset, F.lit(size))
            first = start + F.floor((time - start) / F.lit(step)) * F.lit(step) + F.lit(step)
            return F.sequence(first, start + F.lit(size), F.lit(step).cast("bigint"))


def window_start(end: Column, window: Aligned) -> Column:
    """The start of the aligned window with an end."""
    if isinstance(window, Cumulative):
        last = end - F.lit(1)
        return last - F.pmod(last - F.lit(window.offset), F.lit(window.max_size))
    return end - F.lit(window.size)
