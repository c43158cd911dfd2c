"""Options by name and kind of value; those of a session and those of tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from plans.durations import parse_duration
from plans.errors import CompiledPlanError, ProgramError


class Kind(Enum):
    """What the value of an option is."""

    BOOLEAN = "true or false"
    INTEGER = "a whole number"
    NUMBER = "a number"
    DURATION = "a duration such as '1 h'"
    MEMORY = "a size such as '64 mb'"
    CHOICE = "one of its choices"
    TEXT = "any text"


@dataclass(frozen=True, slots=True)
class Option:
    """An option: the kind of its value, its default (empty: none), and the choices of a CHOICE."""

    kind: Kind
    default: str = ""
    choices: tuple[str, ...] = ()

    def check(self, key: str, value: str) -> None:
        """Refuse a value that the option cannot have.

        Raises:
            ProgramError: names the option and the value, and says what would fit.
        """
        _CHECKS[self.kind](key, value, self)


def _refuse(key: str, value: str, remedy: str) -> ProgramError:
    return ProgramError(f"invalid value {value!r} for the option {key!r}", remedy=remedy)


def _boolean(key: str, value: str, option: Option) -> None:
    if value.strip().lower() not in ("true", "false"):
        raise _refuse(key, value, "set it to 'true' or 'false'")


def _integer(key: str, value: str, option: Option) -> None:
    try:
        int(value.strip())
    except ValueError:
        raise _refuse(key, value, "set it to a whole number") from None


def _number(key: str, value: str, option: Option) -> None:
    try:
        float(value.strip())
    except ValueError:
        raise _refuse(key, value, "set it to a number") from None


def _duration(key: str, value: str, option: Option) -> None:
    try:
        parse_duration(value)
    except CompiledPlanError as fault:
        raise ProgramError(
            f"invalid value {value!r} for the option {key!r}: {fault.message}", remedy=fault.remedy
        ) from None


def _choice(key: str, value: str, option: Option) -> None:
    known = [_plain(choice) for choice in option.choices]
    for part in value.split(";") if key == "table.column-expansion-strategy" else [value]:
        if _plain(part) not in known:
            raise _refuse(key, value, f"set it to one of: {', '.join(option.choices)}")


def _plain(choice: str) -> str:
    """A choice without regard to case and to dashes for underscores."""
    return choice.strip().lower().replace("-", "_")


def _memory(key: str, value: str, option: Option) -> None:
    text = value.strip().lower()
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyz ").strip()
    if not digits.isdigit() or text[len(digits) :].strip() not in _MEMORY_UNITS:
        raise _refuse(key, value, "set it to a size such as '64 mb'")


_MEMORY_UNITS = frozenset("b bytes k kb kibibytes m mb mebibytes g gb gibibytes t tb tebibytes".split()) | {""}


def _anything(key: str, value: str, option: Option) -> None:
    return None


_CHECKS: dict[Kind, Callable[[str, str, Option], None]] = {
    Kind.BOOLEAN: _boolean,
    Kind.INTEGER: _integer,
    Kind.NUMBER: _number,
    Kind.DURATION: _duration,
    Kind.MEMORY: _memory,
    Kind.CHOICE: _choice,
    Kind.TEXT: _anything,
}
