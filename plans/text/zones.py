"""Names of time zones.

Source: values of `table.local-time-zone` that Flink 2.3 accepts: regions of the time zone database and `GMT` with an
offset, case-sensitive; no bare offsets, no `UTC+8`, none of Java's three-letter names.
"""

from __future__ import annotations

import re
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

_OFFSET = re.compile(r"(?:GMT|UTC|UT)?\s*([+-])(\d{1,2})(?::?(\d{2}))?", re.IGNORECASE)
_PLAIN_OFFSET = re.compile(r"GMT[+-](?:\d{1,2}|\d{2}:\d{2})")
#: Java's maximum offset is 18 hours.
_MOST_MINUTES = 18 * 60
#: Files of the database that are no regions, and names that are only abbreviations in Java.
_NO_REGIONS = frozenset({"EST", "MST", "HST", "Factory", "localtime", "posixrules", "leapseconds"})

REMEDY = "write a region such as 'Europe/Berlin', an offset such as 'GMT+03:00', or 'UTC'"


def is_zone(name: str) -> bool:
    """Return True if Flink accepts the name."""
    return _is_region(name) or (_PLAIN_OFFSET.fullmatch(name) is not None and _of_offset(name) is not None)


def spelled(name: str) -> str | None:
    """The zone in Flink's spelling (`+05:30` is `GMT+05:30`, `utc` is `UTC`); None if it is no zone."""
    text = name.strip()
    return text if is_zone(text) else _of_offset(text) or _of_letters(text)


def _is_region(name: str) -> bool:
    if name in _NO_REGIONS or name.startswith(("posix", "right/")):
        return False
    try:
        return ZoneInfo(name).key == name and bool(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False


def _of_offset(name: str) -> str | None:
    offset = _OFFSET.fullmatch(name)
    if offset is None:
        return None
    hours, minutes = int(offset[2]), int(offset[3] or 0)
    if minutes > 59 or hours * 60 + minutes > _MOST_MINUTES:
        return None
    return f"GMT{offset[1]}{hours:02}:{minutes:02}"


def _of_letters(name: str) -> str | None:
    """The region of a name in another case. Searches all regions, so only for invalid names."""
    if name.upper() in ("Z", "ZULU", "UT"):
        return "UTC"
    return next((known for known in available_timezones() if known.lower() == name.lower() and is_zone(known)), None)
