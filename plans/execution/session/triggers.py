"""The time between the micro-batches of a continuous run, and its origin."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from compiled_plan.plans.execution.session.options import RunOptions, flag
from compiled_plan.plans.nodes.configuration import freshness_of
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.text.durations import format_duration, parse_duration

Origin = Literal["option", "freshness", ""]
#: The origins in words.
_WORDS: dict[Origin, str] = {"option": f"from {flag('trigger')}", "freshness": "from the freshness in the plan"}


@dataclass(frozen=True, slots=True)
class Trigger:
    """The trigger of a continuous run in micro-batches.

    Args:
        interval_ms: the time between micro-batches; None or 0 to start them back to back.
        origin: the option, or the freshness of the plan's materialized tables; empty for the default.
        freshness_ms: the shortest freshness in the plan; None without any.
    """

    interval_ms: int | None = None
    origin: Origin = ""
    freshness_ms: int | None = None

    @property
    def words(self) -> str:
        """The interval and its origin; empty for the default."""
        if not self.origin:
            return ""
        text = f"{format_duration(self.interval_ms or 0)}, {_WORDS[self.origin]}"
        overridden = self.origin == "option" and self.freshness_ms is not None
        return text + (
            f"; the freshness in the plan is {format_duration(self.freshness_ms or 0)}" if overridden else ""
        )


def trigger_of(sinks: Iterable[Sink], options: RunOptions) -> Trigger:
    """The trigger of a run, as far as it continues: the option, else the shortest freshness of its sinks."""
    text = freshness_of(sink.configuration for sink in sinks)
    freshness_ms = parse_duration(text) if text else None
    if options.available_now or options.real_time_ms is not None:
        return Trigger(freshness_ms=freshness_ms)
    if options.trigger_ms is not None:
        return Trigger(options.trigger_ms, "option", freshness_ms)
    return Trigger(freshness_ms, "freshness" if text else "", freshness_ms)
