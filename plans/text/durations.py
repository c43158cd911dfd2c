"""Flink's durations, in milliseconds.

Source: Flink 2.3's `TimeUtils`, run value by value: a whole number and a unit (`1 h`, `2d`, `90 min`, any case), a
bare number (milliseconds), or ISO-8601 (`PT1H30M`). Fractions of a millisecond are truncated, as in Flink.
"""

from __future__ import annotations

import re
import warnings

from compiled_plan.plans.errors import PlanError, ProgramWarning
from compiled_plan.plans.text.nearest import nearest_word

#: The largest duration, Java's `Long.MAX_VALUE` milliseconds.
MAX_MS = 2**63 - 1

_NANOS = {"ns": 1, "µs": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9, "d": 86400 * 10**9}
_LABELS: dict[str, str] = {
    label: unit
    for unit, labels in {
        "d": "d day days",
        "h": "h hour hours",
        "min": "min m minute minutes",
        "s": "s sec secs second seconds",
        "ms": "ms milli millis millisecond milliseconds",
        "µs": "µs micro micros microsecond microseconds",
        "ns": "ns nano nanos nanosecond nanoseconds",
    }.items()
    for label in labels.split()
}
#: Common units that Flink does not have, in nanoseconds.
_FOREIGN = {
    label: size
    for size, labels in {
        365 * _NANOS["d"]: "y yr yrs year years",
        30 * _NANOS["d"]: "mo mon month months",
        7 * _NANOS["d"]: "w wk wks week weeks",
        _NANOS["h"]: "hr hrs",
        _NANOS["min"]: "mins",
        _NANOS["ms"]: "msec msecs",
        _NANOS["µs"]: "us usec usecs",
    }.items()
    for label in labels.split()
}
_PART = r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-zµ]+)\s*,?"
#: Maximum length of a text for which a remedy suggests a duration.
_MEANT = 100
#: Python reads numbers of 4,300 digits.
_LONGEST = 4000
_REMEDY = "write a whole number and a unit, such as `3600000 ms`, `90 min`, `1 h` or `2 d`"
_ISO = re.compile(
    r"P(?:([-+]?[0-9]+)D)?(T(?:([-+]?[0-9]+)H)?(?:([-+]?[0-9]+)M)?(?:([-+]?[0-9]+)(?:[.,]([0-9]{0,9}))?S)?)?",
    re.IGNORECASE | re.ASCII,
)


def parse_duration(text: str) -> int:
    """Parse a duration to milliseconds.

    Raises PlanError if it is empty, negative, larger than Long.MAX_VALUE ms, or has an unknown unit.
    """
    return _to_ms(_nanos(text), text)


def parse_duration_nanos(text: str) -> int:
    """Parse a duration to nanoseconds, to distinguish `500 µs` from `0 ms`. Raises as `parse_duration` does."""
    nanos = _nanos(text)
    _to_ms(nanos, text)
    return nanos


class BareNumberWarning(ProgramWarning):
    """Warning: a duration without a unit, which counts as milliseconds."""


def bare_number(text: str) -> str:
    """Warning text for a duration without a unit; empty for all others, and for 0."""
    number = re.fullmatch(r"\s*0*([1-9][0-9]*)\s*", text, re.ASCII)
    return f"{number[1]} without a unit is {number[1]} milliseconds" if number else ""


def warn_of_bare_number(text: str, where: str) -> None:
    """Warn (`BareNumberWarning`) of a duration without a unit; `where` names the setting."""
    doubt = bare_number(text)
    if doubt:
        number = text.strip()
        remedy = f"write `{number} ms` if that is meant, else a unit: `{number} s`"
        warnings.warn(f"{where}: {doubt}; {remedy}", BareNumberWarning, stacklevel=3)


def parse_iso_duration(text: str) -> int:
    """Parse an ISO-8601 duration, Flink's form of window sizes, to milliseconds, which may be negative.

    Raises PlanError if it is invalid, or exceeds Java's `long`.
    """
    nanos = _iso_nanos(text)
    if nanos is None:
        raise PlanError(f"not an ISO-8601 duration: {text!r}", remedy="write it like `PT5M` or `PT1H30M`")
    if abs(nanos) // 10**6 > MAX_MS:
        raise _too_large(text)
    return nanos // 10**6


def format_duration(milliseconds: int) -> str:
    """Format a duration as Flink does in plans: with the largest unit that divides it; zero is `0 ms`."""
    for unit in ("d", "h", "min", "s"):
        size = _NANOS[unit] // 10**6
        if milliseconds and milliseconds % size == 0:
            return f"{milliseconds // size} {unit}"
    return f"{milliseconds} ms"


def format_iso_duration(milliseconds: int) -> str:
    """Format a duration in Java's ISO-8601, the form of window sizes in plans: `PT5M`, `PT1H30M`, `PT0.5S`."""
    sign = "-" if milliseconds < 0 else ""
    seconds, rest = divmod(abs(milliseconds), 1000)
    parts = [(seconds // 3600, "H"), (seconds % 3600 // 60, "M")]
    text = "".join(f"{sign}{number}{unit}" for number, unit in parts if number)
    if seconds % 60 or rest or not text:
        fraction = f".{rest:03}".rstrip("0") if rest else ""
        text += f"{sign}{seconds % 60}{fraction}S"
    return f"PT{text}"


def _nanos(text: str) -> int:
    stripped = text.strip()
    if not stripped:
        raise PlanError(f"a duration must not be empty: {text!r}", remedy=_REMEDY)
    if len(stripped) > _LONGEST:
        raise PlanError(f"not a duration: a text of {len(stripped)} characters", remedy=_REMEDY)
    parsed = re.match(r"([0-9]+)(.*)$", stripped, re.ASCII | re.DOTALL)
    if parsed is None:
        iso = _iso_nanos(stripped)
        if iso is not None and iso >= 0 and "-" not in stripped[:1]:
            return iso
        if iso is not None or re.match(r"-\s*([0-9]|P)", stripped, re.IGNORECASE):
            raise PlanError(f"a duration must not be negative: {text!r}", remedy=_REMEDY)
        raise PlanError(f"not a duration: {text!r}", remedy=_REMEDY)
    number, label = int(parsed[1]), parsed[2].strip().lower()
    unit = _LABELS.get(label or "ms")
    if unit is None:
        raise PlanError(f"unknown unit {label!r} in the duration {text!r}", remedy=_meant(stripped, number, label))
    return number * _NANOS[unit]


def _meant(text: str, number: int, label: str) -> str:
    """Remedy for a number with an unknown unit: the probable duration, if clear."""
    known = "units are d, h, min, s, ms, µs, ns"
    parts = re.findall(_PART, text.lower()) if len(text) <= _MEANT else []
    sizes = [_FOREIGN.get(unit) or _NANOS.get(_LABELS.get(unit, ""), 0) for _, unit in parts]
    nanos = sum(round(float(amount) * size) for (amount, _), size in zip(parts, sizes, strict=True))
    if parts and all(sizes) and re.fullmatch(rf"(?:{_PART})+", text.lower()) and nanos >= _NANOS["ms"]:
        return f"write `{format_duration(nanos // _NANOS['ms'])}`; {known}, and a duration has one of them"
    near = "µs" if _FOREIGN.get(label) == _NANOS["µs"] else nearest_word(label, _LABELS)
    return f"did you mean `{number} {near}`?" if near else known


def _iso_nanos(text: str) -> int | None:
    """Parse a text that `java.time.Duration.parse` accepts to nanoseconds; None for other texts."""
    sign = -1 if text[:1] == "-" else 1
    parsed = _ISO.fullmatch(text[1:] if text[:1] in ("-", "+") else text)
    if parsed is None or parsed[2] in ("T", "t") or not (parsed[1] or parsed[2]):
        return None
    days, hours, minutes, seconds = (int(parsed[part] or 0) for part in (1, 3, 4, 5))
    fraction = int((parsed[6] or "").ljust(9, "0") or 0)
    if (parsed[5] or "").startswith("-"):
        fraction = -fraction
    return sign * ((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 10**9 + fraction)


def _to_ms(nanos: int, text: str) -> int:
    milliseconds = nanos // 10**6
    if milliseconds > MAX_MS:
        raise _too_large(text)
    return milliseconds


def _too_large(text: str) -> PlanError:
    return PlanError(
        f"a duration must fit into {MAX_MS} ms: {text!r}", remedy="write a smaller one, or `0 ms` for ever"
    )
