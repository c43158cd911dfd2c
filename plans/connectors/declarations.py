"""What the declaration of a connector or format says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, Flag

from plans.options import Option
from plans.types import LogicalType


class Changes(Flag):
    """The kinds of rows in a changelog; the names are those of a plan's `inputChangelogMode`."""

    NONE = 0
    INSERT = 1
    UPDATE_BEFORE = 2
    UPDATE_AFTER = 4
    DELETE = 8
    UPSERT = INSERT | UPDATE_AFTER | DELETE
    ALL = INSERT | UPDATE_BEFORE | UPDATE_AFTER | DELETE

    def names(self) -> list[str]:
        """The kinds in the order in which plans list them."""
        kinds = (Changes.INSERT, Changes.UPDATE_BEFORE, Changes.UPDATE_AFTER, Changes.DELETE)
        return [str(kind.name) for kind in kinds if kind in self]

    @property
    def insert_only(self) -> bool:
        """Whether no row is ever changed or taken back."""
        return self is Changes.INSERT


class Effect(Enum):
    """What an option does here."""

    USED = "it has the effect that Flink's pages describe"
    TUNING = "it tunes how Flink does its work, and is taken without effect"
    REFUSED = "it changes what happens, and is not supported"


@dataclass(frozen=True, slots=True)
class TableOption(Option):
    """An option of a table's WITH."""

    required: bool = False
    effect: Effect = Effect.USED


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its options (without prefix), the changes that it reads and writes, and its metadata.

    Flink refuses no unknown option of a format, and neither does a table here; see `checks`.
    """

    name: str
    options: Mapping[str, TableOption] = field(default_factory=dict)
    reads: Changes = Changes.INSERT
    writes: Changes = Changes.INSERT
    #: Pairs of boolean options that cannot both be true.
    not_both: tuple[tuple[str, str], ...] = ()
    #: Whether its further options go to a library.
    open: bool = False


@dataclass(frozen=True, slots=True)
class Connector:
    """A connector: its roles, its options, and its changes (with a format: those of the format).

    `lookup`: a lookup join can ask it for the rows of a key; `scan`: it can be read as a whole. `by_column`: it has
    options for each column, see `datagen`.
    """

    name: str
    options: Mapping[str, TableOption] = field(default_factory=dict)
    source: bool = True
    sink: bool = True
    formatted: bool = False
    reads: Changes = Changes.INSERT
    writes: Changes = Changes.INSERT
    metadata: Mapping[str, LogicalType] = field(default_factory=dict)
    lookup: bool = False
    scan: bool = True
    by_column: bool = False

    @property
    def required(self) -> tuple[str, ...]:
        """The options that a table must have."""
        return tuple(name for name, option in self.options.items() if option.required)
