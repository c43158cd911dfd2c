"""Options of tables: what is declared of each, and the values that a table has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, Flag
from typing import Any

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.text.masking import is_sensitive
from compiled_plan.plans.text.options import Kind, Option


class Use(Flag):
    """What a table is used for."""

    SOURCE = 1
    SINK = 2
    LOOKUP = 4
    ANY = SOURCE | SINK | LOOKUP


class Effect(Enum):
    """What an option does here."""

    USED = "it has the effect that Flink's pages describe"
    TUNING = "it tunes how Flink does its work, and is taken without effect"
    REFUSED = "it changes what happens, and is not supported"


@dataclass(frozen=True, slots=True)
class TableOption(Option):
    """An option of a table's WITH."""

    doc: str = ""  # what it says, for people; one sentence
    required: bool = False  # whether a table must have it
    effect: Effect = Effect.USED  # what it does here
    why: str = ""  # why it is refused, where it is
    uses: Use = Use.ANY  # what of a table it is for
    passive: bool = False  # whether no row depends on it; an option that only tunes is passive by itself
    fallbacks: tuple[str, ...] = ()  # older names of the option, used where it is not given
    of_files: bool = False  # whether a format has it in files alone, and not in messages

    @property
    def shapes_rows(self) -> bool:
        """Whether the rows depend on it."""
        return self.effect is Effect.USED and not self.passive


@dataclass(frozen=True, slots=True)
class OptionGroup:
    """Options of one prefix whose names are not known here: `properties.*` goes to a library as it is."""

    prefix: str  # with the dot at its end
    doc: str
    option: TableOption = TableOption(Kind.TEXT)  # what each of them is like


def of_group(groups: tuple[OptionGroup, ...], name: str) -> TableOption | None:
    """What an option is that one of several groups has; no row depends on a password or token."""
    option = next((group.option for group in groups if name.startswith(group.prefix) and name != group.prefix), None)
    return replace(option, passive=True) if option is not None and is_sensitive(name) else option


@dataclass(frozen=True, slots=True)
class Values:
    """The values of declared options; asking for one that is not declared is an error of the program that asks."""

    declared: Mapping[str, TableOption]  # by name
    explicit: Mapping[str, str]  # as the table states them, checked

    def get(self, name: str) -> Any:
        """The value by its kind (a duration in milliseconds); the default where it is not given, None without one."""
        option = self.declared[name]
        text = next(
            (self.explicit[key] for key in (name, *option.fallbacks) if key in self.explicit), option.default or None
        )
        return None if text is None else option.parse(text)

    def text(self, name: str) -> str:
        """A text; empty where it is not given and has no default."""
        value = self.get(name)
        return "" if value is None else str(value)

    def flag(self, name: str) -> bool:
        """A boolean; false where it is not given and has no default."""
        return bool(self.get(name))

    def number(self, name: str) -> int:
        """A whole number, or a duration in milliseconds; raises UnsupportedError if there is none and no default."""
        value = self.get(name)
        if value is None:
            raise UnsupportedError(f"the option {name!r} is not given", remedy=f"add '{name}' = '...'")
        return int(value)
