"""Figures and entries of state as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compiled_plan.plans.execution.state.content import short_type, time_text
from compiled_plan.plans.execution.state.model import (
    Bucket,
    Field,
    KeyColumn,
    KeyReport,
    OperatorState,
    Part,
    StateReport,
)
from compiled_plan.plans.text.durations import format_duration
from compiled_plan.plans.text.visible import counted

_UNITS = (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000), ("ms", 1))
_BAR = 30
_INDENT = "  "
COLUMNS = ("operator", "does", "keeps", "keys", "rows", "bytes", "oldest write", "newest write", "TTL", "due", "next")


def overview(report: StateReport) -> Iterator[Sequence[str]]:
    """A row for each operator and input that has entries of its own."""
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
                _time(part.oldest_write),
                _time(part.newest_write),
                _ttl(part),
                str(part.expired) if part.ttl else "",
                _time(part.next_expiry),
            )


def about(report: StateReport) -> str:
    """Which state this is."""
    batch = "no micro-batch is done" if report.batch is None else f"after micro-batch {report.batch}"
    return f"{report.checkpoint}, generation {report.generation}, {batch}, at {time_text(report.at)}"


def operator_lines(operator: OperatorState, at: int) -> Iterator[str]:
    """All figures of an operator, told for a time."""
    yield f"{operator.uid} (node {operator.node}): {operator.words}"
    keys = " or ".join(dict.fromkeys(_key(key) for key in operator.columns)) or "none: one key for all rows"
    yield f"{_INDENT}state {operator.kind}, key {keys}"
    yield f"{_INDENT}{counted(operator.keys, 'key')}, {counted(operator.entries, 'row')}, {size_text(operator.bytes)}"
    domain = "the watermark" if operator.event_time else "the clock"
    if operator.next_timer is not None:
        yield f"{_INDENT}looks next when {domain} has come to {time_text(operator.next_timer)}"
    for part in operator.parts:
        if part.entries or part.name:
            yield from _part_lines(part, at)
    for window in operator.windows:
        # The time on the clock of the window's zone, so without a zone here.
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
    if part.ages:
        yield f"{_INDENT * 2}by age"
        yield from _bars(part.ages)
    if part.ttl and part.written:
        yield f"{_INDENT * 2}past the TTL and about to be removed: {part.expired}"
        if part.expiries and part.next_expiry is not None and part.last_expiry is not None:
            first, last = time_text(part.next_expiry), time_text(part.last_expiry)
            yield f"{_INDENT * 2}to be removed unless written again, the first at {first}, the last at {last}; in"
            yield from _bars(part.expiries)
    found = part.what_if
    if found is None:
        return
    ttl = format_duration(found.ttl) if found.ttl else "0, which never expires"
    yield f"{_INDENT * 2}with a TTL of {ttl}: {found.expired} of {part.entries} would be gone, {found.kept} would stay"
    if found.next_expiry is not None and found.last_expiry is not None:
        first, last = time_text(found.next_expiry), time_text(found.last_expiry)
        yield f"{_INDENT * 3}of those the first would go at {first}, the last at {last}"


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
    shown = ", ".join(f"{each.name} {short_type(each.type)}" for each in columns)
    return f"({shown})" if shown else ""


def _time(ms: int | None) -> str:
    return "" if ms is None else time_text(ms)


def _ttl(part: Part) -> str:
    if not part.name:
        return "none"
    return format_duration(part.ttl) if part.ttl else "0 (never expires)"


def size_text(size: int) -> str:
    """A number of bytes as people write it."""
    found, units = float(size), ["B", "kB", "MB", "GB", "TB"]
    while found >= 1000 and len(units) > 1:
        found, units = found / 1000, units[1:]
    return f"{size} B" if units[0] == "B" else f"{found:.1f} {units[0]}"


def key_lines(report: KeyReport) -> Iterator[str]:
    """What is kept for keys."""
    yield f"{report.uid}: {report.words}"
    if not report.keys:
        yield f"{_INDENT}nothing is kept for that key"
    for key in report.keys:
        timer = "" if key.timer is None else f", looked at next at {time_text(key.timer)}"
        yield f"{_INDENT}key {key.key}{timer}"
        for field in key.fields:
            yield from _field_lines(field, _INDENT * 2)


def _field_lines(field: Field, indent: str) -> Iterator[str]:
    value = field.value
    if not isinstance(value, tuple):
        yield f"{indent}{field.name} {field.type} = {_value(value)}"
    elif field.type.startswith("ARRAY<"):
        yield f"{indent}{field.name} {field.type} = [{', '.join(_value(each) for each in value)}]"
    elif field.type in ("LIST", "ROWS"):
        yield f"{indent}{field.name}: {counted(len(value), 'row')}"
        for each in value:
            assert isinstance(each, tuple)
            yield f"{indent}{_INDENT}- {_inline(each)}"
    elif all(isinstance(each, Field) and not isinstance(each.value, tuple) for each in value):
        yield f"{indent}{field.name}: {_inline(value)}"
    else:
        yield f"{indent}{field.name}:"
        for each in value:
            assert isinstance(each, Field)
            yield from _field_lines(each, indent + _INDENT)


def _inline(fields: Sequence[object]) -> str:
    """Fields in one line."""
    shown = []
    for field in fields:
        assert isinstance(field, Field)
        value = field.value
        if not isinstance(value, tuple):
            shown.append(f"{field.name} {field.type} = {_value(value)}")
        elif field.type in ("LIST", "ROWS"):
            shown.append(f"{field.name} [{'; '.join(f'({_inline(each)})' for each in value)}]")  # type: ignore[arg-type]
        elif field.type.startswith("ARRAY<"):
            shown.append(f"{field.name} = [{', '.join(_value(each) for each in value)}]")
        else:
            shown.append(f"{field.name} ({_inline(value)})")
    return ", ".join(shown)


def _value(value: object) -> str:
    if value is None:
        return "NULL"
    return str(value).lower() if isinstance(value, bool) else str(value)
