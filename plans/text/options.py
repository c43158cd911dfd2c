"""Options of sessions, connectors and formats: kinds of values, checks, parsing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from math import isfinite

from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.plans.text.durations import parse_duration
from compiled_plan.plans.text.zones import is_zone, spelled


class Kind(Enum):
    """Forms of option values, which each value describes."""

    BOOLEAN = "'true' or 'false'"
    INTEGER = "a whole number"
    COUNT = "a whole number, 0 or more"
    POSITIVE = "a whole number above 0"
    NUMBER = "a number"
    RATE = "a number from 0 to 1"
    DURATION = "a whole number and a unit of time such as '1 h'"
    MEMORY = "a size such as '64 mb'"
    #: One of the choices, case-insensitive: an enum of Flink.
    CHOICE = "one of its choices"
    #: One of the choices, case-sensitive.
    WORD = "one of its words"
    #: A time zone in Flink's spelling, or the default.
    ZONE = "a region such as 'Europe/Berlin', an offset such as 'GMT+03:00', or 'UTC'"
    CHARACTER = "a single character"
    #: A single character, which may be escaped as in Java.
    DELIMITER = "one character"
    #: A path or URI; relative paths are relative to the working directory.
    PATH = "a path or URI"
    TEXT = "any text"


@dataclass(frozen=True, slots=True)
class Option:
    """An option: the kind of its value, its default (empty: none), and the choices of a CHOICE or WORD."""

    kind: Kind
    default: str = ""
    choices: tuple[str, ...] = ()

    def check(self, key: str, value: str) -> None:
        """Raise ProgramError for an invalid value, with a remedy."""
        remedy = self.unfit(key, value)
        if remedy is not None:
            raise ProgramError(f"invalid value {value!r} for the option {key!r}", remedy=remedy)

    def unfit(self, key: str, value: str) -> str | None:
        """Remedy for an invalid value; None for a valid one."""
        if _FITS[self.kind](key, value, self):
            return None
        if self.kind is Kind.ZONE and (near := spelled(value)) is not None:
            return f"set it to '{near}'"
        if self.choices:
            return f"set it to one of: {', '.join(self.choices)}"
        return f"set it to {self.kind.value}"

    def parse(self, value: str) -> bool | int | float | str:
        """Parse a valid value by its kind: a duration in milliseconds, a choice as declared, a size as its text."""
        text = value.strip()
        match self.kind:
            case Kind.BOOLEAN:
                return text.lower() == "true"
            case Kind.INTEGER | Kind.COUNT | Kind.POSITIVE:
                return int(text)
            case Kind.NUMBER | Kind.RATE:
                return float(text)
            case Kind.DURATION:
                return parse_duration(value)
        return self.spelled(value)

    def spelled(self, value: str) -> str:
        """The value of a CHOICE as declared; other values unchanged."""
        if self.kind is not Kind.CHOICE:
            return value
        return next((choice for choice in self.choices if _plain(choice) == _plain(value)), value)


#: A whole number as Java parses it.
_WHOLE = re.compile(r"[+-]?[0-9]+")


def _is_number(value: str, number: type[int] | type[float], least: float | None, most: float | None = None) -> bool:
    if number is int and not _WHOLE.fullmatch(value):
        return False
    try:
        parsed = number(value.strip())
    except ValueError:
        return False
    return isfinite(parsed) and (least is None or parsed >= least) and (most is None or parsed <= most)


def _is_duration(value: str) -> bool:
    try:
        parse_duration(value)
    except CompiledPlanError:
        return False
    return True


def _is_choice(key: str, value: str, option: Option) -> bool:
    known = [_plain(choice) for choice in option.choices]
    parts = map(str.strip, value.split(";")) if key == "table.column-expansion-strategy" else [value]
    return all(_plain(part) in known for part in parts)


def _plain(choice: str) -> str:
    return choice.lower()


def _is_memory(value: str) -> bool:
    text = value.strip().lower()
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyz ").strip()
    return digits.isdecimal() and text[len(digits) :].strip() in _MEMORY_UNITS


_MEMORY_UNITS = frozenset("b bytes k kb kibibytes m mb mebibytes g gb gibibytes t tb tebibytes".split()) | {""}
_ESCAPED = ("\\t", "\\n", "\\r", "\\\\")

_FITS: dict[Kind, Callable[[str, str, Option], bool]] = {
    Kind.BOOLEAN: lambda key, value, option: value.lower() in ("true", "false"),
    Kind.INTEGER: lambda key, value, option: _is_number(value, int, None),
    Kind.COUNT: lambda key, value, option: _is_number(value, int, 0),
    Kind.POSITIVE: lambda key, value, option: _is_number(value, int, 1),
    Kind.NUMBER: lambda key, value, option: _is_number(value, float, None),
    Kind.RATE: lambda key, value, option: _is_number(value, float, 0, 1),
    Kind.DURATION: lambda key, value, option: _is_duration(value),
    Kind.MEMORY: lambda key, value, option: _is_memory(value),
    Kind.CHOICE: _is_choice,
    Kind.WORD: lambda key, value, option: value in option.choices,
    Kind.ZONE: lambda key, value, option: value == option.default or is_zone(value),
    Kind.CHARACTER: lambda key, value, option: len(value) == 1,
    Kind.DELIMITER: lambda key, value, option: len(value) == 1 or value in _ESCAPED,
    Kind.PATH: lambda key, value, option: True,
    Kind.TEXT: lambda key, value, option: True,
}
