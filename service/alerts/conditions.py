"""Conditions of rules over the observed run of a pipeline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from compiled_plan.plans.telemetry.figures import RunFigures
from compiled_plan.service.common.alert_rules import Condition, Rule


@dataclass(frozen=True, slots=True)
class Observation:
    """A pipeline's run.

    Args:
        alive: True if a process runs.
        failed: the error of a failed run; empty for others.
        figures: its current figures; None before the first micro-batch.
        quiet_seconds: time since the last micro-batch with rows, or since the start; None if nothing runs.
    """

    alive: bool
    failed: str
    figures: RunFigures | None
    quiet_seconds: float | None


class Breach(NamedTuple):
    """A condition that holds: the observed value, and a message."""

    value: float
    message: str


def breach_of(rule: Rule, run: Observation) -> Breach | None:
    """The breach of a rule; None if its condition does not hold."""
    return _CONDITIONS[rule.condition](rule, run)


def _lag(rule: Rule, run: Observation) -> Breach | None:
    lag = run.figures.lag if run.alive and run.figures is not None else None
    if lag is None or lag <= rule.above:
        return None
    return Breach(lag, f"{lag:,} unread records, above {rule.above:,.0f}")


def _delay(rule: Rule, run: Observation) -> Breach | None:
    delay = run.figures.last_delay_ms if run.alive and run.figures is not None else None
    if delay is None or delay <= 1000 * rule.above:
        return None
    return Breach(
        delay / 1000, f"rows are written {delay / 1000:,.0f} s after their arrival, above {rule.above:,.0f} s"
    )


def _failure(rule: Rule, run: Observation) -> Breach | None:
    return Breach(1, run.failed) if run.failed else None


def _state_growth(rule: Rule, run: Observation) -> Breach | None:
    if not run.alive or run.figures is None:
        return None
    growth = run.figures.bytes_per_hour
    if growth is None or growth <= rule.above:
        return None
    growths = {operator.uid: operator.bytes_per_hour or 0.0 for operator in run.figures.operators}
    most = max(growths, key=lambda uid: growths[uid])
    return Breach(growth, f"state grows by {growth:,.0f} bytes per hour, above {rule.above:,.0f}; most in {most}")


def _no_data(rule: Rule, run: Observation) -> Breach | None:
    if run.quiet_seconds is None or run.quiet_seconds <= rule.above:
        return None
    return Breach(run.quiet_seconds, f"no rows for {run.quiet_seconds:,.0f} s, above {rule.above:,.0f} s")


_CONDITIONS: Mapping[Condition, Callable[[Rule, Observation], Breach | None]] = {
    Condition.LAG: _lag,
    Condition.DELAY: _delay,
    Condition.FAILURE: _failure,
    Condition.STATE_GROWTH: _state_growth,
    Condition.NO_DATA: _no_data,
}
