"""Options of tables: their declarations, and the values that a table sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, Flag
from typing import Any

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.text.masking import is_sensitive
from compiled_plan.plans.text.options import Kind, Option


class Use(Flag):
    """Uses of a table to which an option applies."""

    SOURCE = 1
    SINK = 2
    LOOKUP = 4
    ANY = SOURCE | SINK | LOOKUP


class Effect(Enum):
    """Effects of an option here."""

    USED = "it has the effect that Flink's pages describe"
    TUNING = "it tunes how Flink does its work, and is taken without effect"
    REFUSED = "it changes what happens, and is not supported"


@dataclass(frozen=True, slots=True)
class TableOption(Option):
    """An option in a table's WITH clause."""

    doc: str = ""  # one sentence for the reference pages
    required: bool = False  # whether a table must have it
    effect: Effect = Effect.USED
    why: str = ""  # why it is refused
    uses: Use = Use.ANY  # the uses of a table that it affects
    passive: bool = False  # whether it does not affect the rows; tuning options never do
    fallbacks: tuple[str, ...] = ()  # deprecated names, used if the option is not set
    of_files: bool = False  # whether the format has it for files only

    @property
    def shapes_rows(self) -> bool:
        """True if the option affects the rows."""
        return self.effect is Effect.USED and not self.passive

    @property
    def may_refer(self) -> bool:
        """True if the value may refer to a secret: others determine the plan, or are checked before a run."""
        return self.kind is Kind.TEXT


@dataclass(frozen=True, slots=True)
class OptionGroup:
    """Undeclared options with a common prefix, passed unchanged to a library: `properties.*`."""

    prefix: str  # with the trailing dot
    doc: str
    option: TableOption = TableOption(Kind.TEXT)  # the declaration of all of them


def of_group(groups: tuple[OptionGroup, ...], name: str) -> TableOption | None:
    """The declaration of an option that belongs to one of the groups; passwords and tokens do not affect the rows."""
    option = next((group.option for group in groups if name.startswith(group.prefix) and name != group.prefix), None)
    return replace(option, passive=True) if option is not None and is_sensitive(name) else option


@dataclass(frozen=True, slots=True)
class Values:
    """The values of declared options. Looking up an undeclared option is a programming error."""

    declared: Mapping[str, TableOption]  # by name
    explicit: Mapping[str, str]  # as the table states them, checked

    def without(self, use: Use) -> Values:
        """The values without those of declared options that affect this use alone."""
        options = {
            name: value
            for name, value in self.explicit.items()
            if name not in self.declared or self.declared[name].uses is not use
        }
        return Values(self.declared, options)

    def get(self, name: str) -> Any:
        """The parsed value (a duration in milliseconds), or the default; None if there is neither."""
        option = self.declared[name]
        text = next(
            (self.explicit[key] for key in (name, *option.fallbacks) if key in self.explicit), option.default or None
        )
        return None if text is None else option.parse(text)

    def text(self, name: str) -> str:
        """A text; empty if neither set nor defaulted."""
        value = self.get(name)
        return "" if value is None else str(value)

    def flag(self, name: str) -> bool:
        """A boolean; false if neither set nor defaulted."""
        return bool(self.get(name))

    def number(self, name: str) -> int:
        """A whole number, or a duration in milliseconds. Raises UnsupportedError if neither set nor defaulted."""
        value = self.get(name)
        if value is None:
            raise UnsupportedError(f"the option {name!r} is not given", remedy=f"add '{name}' = '...'")
        return int(value)
