"""State statistics and entries as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from compiled_plan.plans.execution.state.reading.content import short_type, time_text
from compiled_plan.plans.execution.state.reading.model import (
    Bucket,
    Field,
    KeyColumn,
    KeyReport,
    KeyState,
    OperatorState,
    Part,
    PathReport,
    SavepointReport,
    StateReport,
)
from compiled_plan.plans.text.durations import format_duration
from compiled_plan.plans.text.visible import counted

if TYPE_CHECKING:
    from compiled_plan.plans.execution.state.reading.reader import StoredOperator

_UNITS = (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000), ("ms", 1))
_BAR = 30
_INDENT = "  "
COLUMNS = (
    "operator",
    "description",
    "entry",
    "keys",
    "rows",
    "bytes",
    "oldest write",
    "newest write",
    "TTL",
    "expired",
    "next expiry",
)


def overview(report: StateReport) -> Iterator[Sequence[str]]:
    """One row per operator and per input with its own entries."""
    for operator in report.operators:
        parts = [part for part in operator.parts if part.entries] or operator.parts[:1]
        for number, part in enumerate(parts):
            head = (operator.uid, operator.words) if number == 0 else ("", "")
            figures = (str(operator.keys), str(part.entries), size_text(operator.bytes) if number == 0 else "")
            keeps = part.name or f"input {part.index}"
            yield (
                *head,
                keeps,
                figures[0] if number == 0 else "",
                *figures[1:],
                _written(part, part.oldest_write),
                _written(part, part.newest_write),
                _ttl(part),
                str(part.expired) if part.ttl else "",
                _time(part.next_expiry),
            )


def _written(part: Part, ms: int | None) -> str:
    return "unknown" if ms is None and part.unknown else _time(ms)


def unread_lines(report: StateReport, operator: StoredOperator | None = None) -> Iterator[str]:
    """State of a savepoint that is not shown; of one operator of the plan, or all."""
    for state in report.savepoint.unread if report.savepoint else ():
        if operator is not None and state.name != operator.uid:
            continue
        words = f"{state.words}, " if state.words else ""
        reason = "refused" if state.node is not None else "not of the plan"
        figures = f"{counted(state.entries, 'row')}, {size_text(state.bytes)}"
        yield f"{state.name}: {words}{figures}: {reason}: {state.why}"


LISTED = ("operator", "name", "state", "kind", "entries", "TTL", "bytes")


def about_savepoint(report: SavepointReport) -> str:
    """The identification of a savepoint."""
    form = f", {report.format.lower()}" if report.format else ""
    return f"{report.uri}, taken at {time_text(report.taken_at)}{form}"


def listing(report: SavepointReport) -> Iterator[Sequence[str]]:
    """One row per operator, and per state."""
    for operator in report.operators:
        name = operator.uid or operator.id
        size = size_text(operator.bytes) if operator.bytes else ""
        yield name, operator.name or "", operator.position, "", str(operator.entries or ""), "", size
        for state in operator.states:
            yield "", "", state.name, state.kind, str(state.entries), "yes" if state.ttl else "", ""
        for stored, elements in operator.elements.items():
            yield "", "", stored, "OPERATOR LIST", str(elements), "", ""


def about(report: StateReport) -> str:
    """The identification of the inspected state."""
    if report.savepoint is not None:
        taken = f"taken at {time_text(report.savepoint.taken_at)}"
        watermark = report.savepoint.watermark
        timed = "no watermark" if watermark is None else f"watermark {time_text(watermark)}"
        return f"{report.checkpoint}, {taken}, {timed}, at {time_text(report.at)}"
    batch = "no micro-batch is done" if report.batch is None else f"after micro-batch {report.batch}"
    retention, retained = report.retention, ""
    if retention is not None:
        batches, size = f"{retention.first} to {retention.last}", size_text(retention.bytes)
        retained = f"; micro-batches {batches} are retained, {size} beyond the last"
    return f"{report.checkpoint}, generation {report.generation}, {batch}, at {time_text(report.at)}{retained}"


def operator_lines(operator: OperatorState, at: int) -> Iterator[str]:
    """All statistics of an operator at a time, in epoch milliseconds."""
    yield f"{operator.uid} (node {operator.node}): {operator.words}"
    keys = " or ".join(dict.fromkeys(_key(key) for key in operator.columns)) or "none: one key for all rows"
    yield f"{_INDENT}state {operator.kind}, key {keys}"
    yield f"{_INDENT}{counted(operator.keys, 'key')}, {counted(operator.entries, 'row')}, {size_text(operator.bytes)}"
    domain = "the watermark" if operator.event_time else "the clock"
    if operator.next_timer is not None:
        yield f"{_INDENT}next timer fires when {domain} reaches {time_text(operator.next_timer)}"
    for part in operator.parts:
        if part.entries or part.name:
            yield from _part_lines(part, at)
    for window in operator.windows:
        # A local time in the window's time zone, so without a zone here.
        yield f"{_INDENT}window until {time_text(window.end).removesuffix('Z')}: {counted(window.entries, 'row')}"
    if operator.more_windows:
        yield f"{_INDENT}and {operator.more_windows} windows more"


def _part_lines(part: Part, at: int) -> Iterator[str]:
    name = part.name or f"input {part.index}"
    of = f" of {part.of}" if part.of else ""
    yield f"{_INDENT}{name}{of}: {counted(part.entries, 'row')}, TTL {_ttl(part)}"
    if part.oldest_time is not None and part.newest_time is not None:
        yield f"{_INDENT * 2}of times {time_text(part.oldest_time)} to {time_text(part.newest_time)}"
    if part.oldest_write is not None and part.newest_write is not None:
        yield f"{_INDENT * 2}written {time_text(part.oldest_write)} to {time_text(part.newest_write)}"
    if part.unknown:
        yield f"{_INDENT * 2}written at an unknown time: {counted(part.unknown, 'row')} (Flink has none at TTL 0)"
    if part.ages:
        yield f"{_INDENT * 2}by age"
        yield from _bars(part.ages)
    if part.ttl and part.written:
        yield f"{_INDENT * 2}expired, not yet removed: {part.expired}"
        if part.expiries and part.next_expiry is not None and part.last_expiry is not None:
            first, last = time_text(part.next_expiry), time_text(part.last_expiry)
            yield f"{_INDENT * 2}expire unless rewritten, the first at {first}, the last at {last}; in"
            yield from _bars(part.expiries)
    what_if = part.what_if
    if what_if is None:
        return
    ttl = _ttl_text(what_if.ttl)
    remain = f"{what_if.kept} would remain"
    yield f"{_INDENT * 2}with a TTL of {ttl}: {what_if.expired} of {part.entries} would be expired, {remain}"
    if what_if.next_expiry is not None and what_if.last_expiry is not None:
        first, last = time_text(what_if.next_expiry), time_text(what_if.last_expiry)
        yield f"{_INDENT * 3}the first of these would expire at {first}, the last at {last}"


def _bars(buckets: Sequence[Bucket]) -> Iterator[str]:
    most = max(bucket.entries for bucket in buckets)
    labels = [_range(bucket) for bucket in buckets]
    width, digits = max(map(len, labels)), len(str(most))
    for label, bucket in zip(labels, buckets, strict=True):
        bar = "#" * -(-bucket.entries * _BAR // most)
        yield f"{_INDENT * 3}{label:>{width}}  {bucket.entries:>{digits}}  {bar}".rstrip()


def _range(bucket: Bucket) -> str:
    if bucket.until is None:
        return f"{_short(bucket.since)} or more"
    return f"{_short(bucket.since)} to {_short(bucket.until)}"


def _short(ms: int) -> str:
    return next((f"{ms // unit} {name}" for name, unit in _UNITS if ms and ms % unit == 0), "0")


def _key(columns: Sequence[KeyColumn]) -> str:
    shown = ", ".join(f"{column.name} {short_type(column.type)}" for column in columns)
    return f"({shown})" if shown else ""


def _time(ms: int | None) -> str:
    return "" if ms is None else time_text(ms)


def _ttl(part: Part) -> str:
    if not part.name:
        return "none"
    return _ttl_text(part.ttl)


def _ttl_text(ms: int) -> str:
    return format_duration(ms) if ms else "0 (never expires)"


def size_text(size: int) -> str:
    """A number of bytes with its unit."""
    scaled, units = float(size), ["B", "kB", "MB", "GB", "TB"]
    while scaled >= 1000 and len(units) > 1:
        scaled, units = scaled / 1000, units[1:]
    return f"{size} B" if units[0] == "B" else f"{scaled:.1f} {units[0]}"


def path_lines(report: PathReport) -> Iterator[str]:
    """The state on the way to a row of a sink, from the sink on."""
    batch = "no micro-batch is done" if report.batch is None else f"after micro-batch {report.batch}"
    yield f"{report.sink}, {batch}" + ("" if report.watermark is None else f", watermark {time_text(report.watermark)}")
    for step in report.steps:
        yield f"{step.uid}: {step.words}"
        if step.by_key:
            yield from _state_lines(step.keys)
        elif not any(step.columns):
            yield f"{_INDENT}the key of the sink does not reach its rows"
        else:
            yield f"{_INDENT}keyed by other columns; {counted(step.count, 'row')} with these values"
            yield from (f"{_INDENT * 2}{entry}" for entry in step.entries)
            if step.count > len(step.entries):
                yield f"{_INDENT * 2}and {step.count - len(step.entries)} more"


def key_lines(report: KeyReport) -> Iterator[str]:
    """The state of one key, entry by entry."""
    yield f"{report.uid}: {report.words}"
    yield from _state_lines(report.keys)


def _state_lines(keys: Sequence[KeyState]) -> Iterator[str]:
    if not keys:
        yield f"{_INDENT}no state for that key"
    for key in keys:
        timer = "" if key.timer is None else f", next timer at {time_text(key.timer)}"
        yield f"{_INDENT}key {key.key}{timer}"
        for field in key.fields:
            yield from _field_lines(field, _INDENT * 2)


def _field_lines(field: Field, indent: str) -> Iterator[str]:
    value = field.value
    if not isinstance(value, tuple):
        yield f"{indent}{field.name} {field.type} = {_value(value)}"
    elif field.type.startswith("ARRAY<"):
        yield f"{indent}{field.name} {field.type} = [{', '.join(_value(item) for item in value)}]"
    elif field.type in ("LIST", "ROWS"):
        yield f"{indent}{field.name}: {counted(len(value), 'row')}"
        for item in value:
            yield f"{indent}{_INDENT}- {_inline(item)}"
    elif all(isinstance(item, Field) and not isinstance(item.value, tuple) for item in value):
        yield f"{indent}{field.name}: {_inline(value)}"
    else:
        yield f"{indent}{field.name}:"
        for item in value:
            assert isinstance(item, Field)
            yield from _field_lines(item, indent + _INDENT)


def _inline(fields: object) -> str:
    assert isinstance(fields, tuple)
    shown = []
    for field in fields:
        assert isinstance(field, Field)
        value = field.value
        if not isinstance(value, tuple):
            shown.append(f"{field.name} {field.type} = {_value(value)}")
        elif field.type in ("LIST", "ROWS"):
            shown.append(f"{field.name} [{'; '.join(f'({_inline(item)})' for item in value)}]")
        elif field.type.startswith("ARRAY<"):
            shown.append(f"{field.name} = [{', '.join(_value(item) for item in value)}]")
        else:
            shown.append(f"{field.name} ({_inline(value)})")
    return ", ".join(shown)


def _value(value: object) -> str:
    if value is None:
        return "NULL"
    return str(value).lower() if isinstance(value, bool) else str(value)
