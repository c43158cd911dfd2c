"""Advised TTLs as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compiled_plan.cli.actions.state_text import size_text
from compiled_plan.plans.execution.state.reading.content import time_text
from compiled_plan.plans.inspection.advice import AdviceReport, EntryAdvice, Growth
from compiled_plan.plans.text.durations import format_duration

ADVISED = (
    "operator",
    "description",
    "entry",
    "TTL",
    "advised",
    "uses",
    "since",
    "rows",
    "bytes",
    "rows saved",
    "bytes saved",
    "growth a day",
)


def about_advice(report: AdviceReport) -> str:
    """The identification of the state, and the share of uses."""
    batch = "no micro-batch is done" if report.batch is None else f"after micro-batch {report.batch}"
    where = f"{report.checkpoint}, generation {report.generation}, {batch}, at {time_text(report.at)}"
    return f"{where}; the advised TTLs keep {report.keep * 100:.12g}% of the uses"


def advised(report: AdviceReport) -> Iterator[Sequence[str]]:
    """One row per state entry; bytes are estimates, and growth is that of the operator."""
    growth = {grown.uid: grown for grown in report.growth}
    last = ""
    for entry in report.entries:
        is_first, last = entry.uid != last, entry.uid
        yield (
            *((entry.uid, entry.words) if is_first else ("", "")),
            entry.entry,
            format_duration(entry.ttl) if entry.ttl else "0 (never expires)",
            _advised(entry),
            str(entry.uses),
            "" if entry.since is None else time_text(entry.since),
            str(entry.entries),
            size_text(entry.bytes),
            str(entry.saved_entries),
            size_text(entry.saved_bytes),
            _grown(growth[entry.uid]) if is_first and entry.uid in growth else "",
        )


def _advised(entry: EntryAdvice) -> str:
    if entry.advised is None:
        return "none: no use is observed"
    return "as it is" if entry.advised == entry.ttl else format_duration(entry.advised)


def _grown(growth: Growth) -> str:
    size = "" if growth.bytes is None else f", {'-' if growth.bytes < 0 else '+'}{size_text(abs(growth.bytes))}"
    return f"{growth.entries:+} rows{size}"
