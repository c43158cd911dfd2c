"""Checking the WITH options of tables: unknown names and values that are not what an option takes.

Flink refuses unknown options too ("Unsupported options found").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from plans.errors import UnsupportedError

#: Says what a value should be when it isn't; None for a value that is fit.
Check = Callable[[str], str | None]


def any_text(value: str) -> str | None:
    """Every text is fit."""
    return None


def boolean(value: str) -> str | None:
    """`true` or `false` in any case."""
    return None if value.strip().lower() in ("true", "false") else "'true' or 'false'"


def whole_number(value: str) -> str | None:
    """A whole number."""
    try:
        int(value)
    except ValueError:
        return "a whole number"
    return None


def positive(value: str) -> str | None:
    """A whole number above 0."""
    return None if whole_number(value) is None and int(value) > 0 else "a whole number above 0"


def one_of(*choices: str) -> Check:
    """One of these texts."""
    return lambda value: None if value in choices else "one of " + ", ".join(map(repr, choices))


def one_character(value: str) -> str | None:
    """A single character."""
    return None if len(value) == 1 else "one character"


@dataclass(frozen=True, slots=True)
class OptionSet:
    """The options of a connector or format.

    Args:
        known: name and check of each option that has an effect.
        ignored: options of Flink's that only tune how it does its work.
        refused: options of Flink's that change what happens and are not supported.
        open: whether any other option is let through (Flink hands them to a library).
    """

    known: Mapping[str, Check] = field(default_factory=dict)
    ignored: frozenset[str] = frozenset()
    refused: frozenset[str] = frozenset()
    open: bool = False

    def check(
        self, options: Mapping[str, str], table: str, prefix: str = "", others: frozenset[str] = frozenset()
    ) -> None:
        """Refuse what is not an option of this set.

        Args:
            options: names without `prefix`, and values.
            table: the table's identifier, for messages.
            prefix: what stands before the names in the table's WITH, such as `json.`.
            others: names that are known to someone else, for suggestions.

        Raises:
            UnsupportedError: an unknown or refused option, or a value that it does not take.
        """
        for name, value in options.items():
            where = f"table {table}, WITH, '{prefix}{name}'"
            if name in self.refused:
                raise UnsupportedError(
                    f"option '{prefix}{name}' is not supported", where=where, remedy="leave the option out"
                )
            if name in self.known:
                wanted = self.known[name](value)
                if wanted is not None:
                    raise UnsupportedError(
                        f"option '{prefix}{name}' is {value!r} and must be {wanted}",
                        where=where,
                        remedy=f"give {wanted}",
                    )
            elif name not in self.ignored and not self.open:
                raise _unknown(f"{prefix}{name}", self._names(prefix) | others, where)

    def _names(self, prefix: str) -> frozenset[str]:
        return frozenset(prefix + name for name in (*self.known, *self.ignored))


def _unknown(name: str, known: frozenset[str], where: str) -> UnsupportedError:
    close = get_close_matches(name, sorted(known), n=1)
    hint = f"did you mean '{close[0]}'? " if close else ""
    return UnsupportedError(
        f"unknown option '{name}'",
        where=where,
        remedy=f"{hint}options of this table: {', '.join(sorted(known))}",
    )
