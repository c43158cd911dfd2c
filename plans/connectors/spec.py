"""What the spec of a connector or of a format says: everything that is known of it outside of the executor.

The planner, the plan's check, lineage, the executor and the reference pages read it; the executor's factories are
registered under it. A module of `specs` or `formats` holds one, as `SPEC`; see `registry`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, Flag
from typing import Any

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.nodes.declared import TableFault
from compiled_plan.plans.options import Kind, Option
from compiled_plan.plans.rex import RexNode
from compiled_plan.plans.text.masking import is_sensitive
from compiled_plan.plans.types import LogicalType, RowType
from compiled_plan.plans.types.changelog import ChangelogMode


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
    """An option of a table's WITH.

    Args:
        doc: what it says, for people; one sentence.
        required: whether a table must have it.
        effect: what it does here.
        why: why it is refused, where it is.
        uses: what of a table it is for.
        passive: whether no row depends on it; an option that only tunes is passive by itself.
        fallbacks: older names of the option, used where it is not given.
        of_files: whether a format has it in files alone, and not in messages.
    """

    doc: str = ""
    required: bool = False
    effect: Effect = Effect.USED
    why: str = ""
    uses: Use = Use.ANY
    passive: bool = False
    fallbacks: tuple[str, ...] = ()
    of_files: bool = False

    @property
    def shapes_rows(self) -> bool:
        """Whether the rows depend on it."""
        return self.effect is Effect.USED and not self.passive


@dataclass(frozen=True, slots=True)
class OptionGroup:
    """Options of one prefix whose names are not known here: `properties.*` goes to a library as it is.

    Args:
        prefix: with the dot at its end.
        doc: what they are.
        option: what each of them is like.
    """

    prefix: str
    doc: str
    option: TableOption = TableOption(Kind.TEXT)


@dataclass(frozen=True, slots=True)
class Metadata:
    """A metadata column.

    Args:
        type: the type of its values.
        doc: what it is.
        readable: whether a source gives it.
        written: the type in which a sink takes it; None where it takes none.
    """

    type: LogicalType
    doc: str = ""
    readable: bool = True
    written: LogicalType | None = None

    @property
    def writable(self) -> bool:
        """Whether a sink takes it."""
        return self.written is not None


@dataclass(frozen=True, slots=True)
class Package:
    """A library of Maven that a run gets where its class path lacks it.

    Args:
        coordinates: `group:name:version`.
        holds: the full name of a class of it, by which it is found.
        option: the option of a table that decides whether it is needed; empty where it always is.
        begins: what that option's value begins with then.
        alone: whether it is fetched without what it depends on: Spark brings that, or it is named, too.
    """

    coordinates: str
    holds: str
    option: str = ""
    begins: str = ""
    alone: bool = False

    def serves(self, options: Mapping[str, str]) -> bool:
        """Whether a table of these options needs it."""
        return not self.option or options.get(self.option, "").startswith(self.begins)


class Boundedness(Enum):
    """Whether a source ends."""

    BOUNDED = "ends when all that was there has been read"
    UNBOUNDED = "never ends"
    BY_OPTION = "ends or not as its options say"


class Guarantee(Enum):
    """What is left of a batch that is written again after a crash."""

    EXACTLY_ONCE = "every row once"
    AT_LEAST_ONCE = "every row, some of them twice"
    BY_KEY = "every row of a primary key as it was written last"
    NOTHING_KEPT = "nothing is kept of what is written"


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """How a connector is read as a whole.

    Args:
        changes: the kinds of rows that it gives; with a format those of the format, unless `own_changes`.
        bounded: whether it ends.
        projects: whether Flink has it read some columns alone; else a scan gives all, with metadata in its own types.
        watermarks: whether Flink has it make the watermarks, so that a plan has no operator for them.
        again: whether rows that were read can be read again, as those of files.
        takes_over: whether Flink has it filter by a condition on its columns, given its options; None where it is not
            asked.
        limits: whether Flink tells it how many rows are wanted.
    """

    changes: ChangelogMode = ChangelogMode.INSERT
    bounded: Boundedness = Boundedness.BOUNDED
    projects: bool = True
    watermarks: bool = False
    again: bool = False
    takes_over: Callable[[RexNode, Mapping[str, str]], bool] | None = None
    limits: bool = False


@dataclass(frozen=True, slots=True)
class SinkSpec:
    """How a connector is written.

    Args:
        changes: the kinds of rows that it takes; with a format those of the format, unless `own_changes`.
        guarantee: what is left of a batch that is written again.
        by_key: whether a table needs a primary key to take updates and deletes.
    """

    changes: ChangelogMode = ChangelogMode.INSERT
    guarantee: Guarantee = Guarantee.EXACTLY_ONCE
    by_key: bool = False


@dataclass(frozen=True, slots=True)
class LookupSpec:
    """How a connector is asked for the rows of a key.

    Args:
        caches: whether it may remember answers.
    """

    caches: bool = False


@dataclass(frozen=True, slots=True)
class FormatSlot:
    """A place for a format in a table's options.

    Args:
        options: names of the option, of which a table has one: `format`, `value.format`.
        required: whether a table must have it.
    """

    options: tuple[str, ...] = ("format",)
    required: bool = True

    def chosen(self, given: Mapping[str, str]) -> tuple[str, str] | None:
        """The option that a table has, and the format that it names."""
        return next(((name, given[name]) for name in self.options if name in given), None)

    @staticmethod
    def prefix(option: str, format_: str) -> str:
        """What the options of a format begin with: `json.` of `format`, `value.json.` of `value.format`."""
        return f"{option.removesuffix('format')}{format_}."


_OF_PART = {"key.format": " for keys", "value.format": " for values"}
#: The slots of a connector with one format, and of one with formats for keys and for values.
ONE_FORMAT = (FormatSlot(),)
KEY_AND_VALUE = (FormatSlot(("value.format", "format")), FormatSlot(("key.format",), required=False))

#: Connectors that have a key in each message.
NEEDED_KEY_AND_VALUE = (FormatSlot(("value.format",)), FormatSlot(("key.format",)))

ColumnOptions = Callable[[RowType, Mapping[str, str]], Mapping[str, TableOption]]
#: What is wrong with options: option, message, remedy.
Faults = Iterator[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class Asked:
    """A table that is about to be used.

    Args:
        table: its name, for messages.
        columns: its physical columns.
        options: its options.
        primary_key: the names of the columns of its primary key.
        reading: whether it is read; else it is written.
    """

    table: str
    columns: RowType
    options: Mapping[str, str]
    primary_key: tuple[str, ...]
    reading: bool


@dataclass(frozen=True, slots=True)
class ConnectorSpec:
    """A connector.

    Args:
        name: the value of the option `connector`.
        doc: what it is, for people; one sentence.
        options: by name; `connector` itself is an option of every one.
        source: how it is read as a whole, if it can be.
        sink: how it is written, if it can be.
        lookup: how it is asked by key, if it can be.
        formats: where its options name formats; the value's first.
        own_changes: whether it says by itself which kinds of rows there are, though it has a format.
        groups: options of which only the prefix is known.
        metadata: by key, in the order of Flink's page.
        place: options that say where the rows are, tables of equal ones are one; None for the name and all options.
        packages: libraries that a run needs beside the product.
        in_process: what a table has to do with the program that made it, where no other process can use it.
        column_options: options that follow from the columns.
        column_faults: options of columns that have no sense together.
        faults: what else is wrong with a table; its options are known and have values that fit.
        messages: which columns are in which part of a message, by the option that names the part's format; None where
            rows are in files.
    """

    name: str
    doc: str
    options: Mapping[str, TableOption] = field(default_factory=dict)
    source: SourceSpec | None = None
    sink: SinkSpec | None = None
    lookup: LookupSpec | None = None
    formats: tuple[FormatSlot, ...] = ()
    own_changes: bool = False
    groups: tuple[OptionGroup, ...] = ()
    metadata: Mapping[str, Metadata] = field(default_factory=dict)
    place: tuple[str, ...] | None = None
    packages: tuple[Package, ...] = ()
    in_process: str = ""
    column_options: ColumnOptions | None = None
    column_faults: Callable[[RowType, Mapping[str, str]], Faults] | None = None
    faults: Callable[[Asked], Iterator[TableFault]] | None = None
    messages: Callable[[Asked], Mapping[str, RowType]] | None = None

    @property
    def uses(self) -> Use:
        """What a table can be used for."""
        found = Use(0)
        for use, able in ((Use.SOURCE, self.source), (Use.SINK, self.sink), (Use.LOOKUP, self.lookup)):
            found |= use if able is not None else Use(0)
        return found

    @property
    def keeps_rows(self) -> bool:
        """Whether what is written is anywhere afterwards."""
        return self.sink is None or self.sink.guarantee is not Guarantee.NOTHING_KEPT

    @property
    def all_options(self) -> Mapping[str, TableOption]:
        """The options, those that name formats with them."""
        slots = {
            name: TableOption(Kind.TEXT, doc=f"The name of a format{_OF_PART.get(name, '')}.", required=slot.required)
            for slot in self.formats
            for name in slot.options[:1]
        }
        others = {
            name: TableOption(Kind.TEXT, doc=f"The same as `{slot.options[0]}`.")
            for slot in self.formats
            for name in slot.options[1:]
        }
        return {**self.options, **slots, **others}

    def option(self, name: str) -> TableOption | None:
        """The option of that name, also one of a group; None for one that the connector has not."""
        return self.all_options.get(name) or _of_group(self.groups, name)

    def values(self, given: Mapping[str, str]) -> Values:
        """A table's options as values, defaults filled in."""
        return Values(self.options, given)


def _of_group(groups: tuple[OptionGroup, ...], name: str) -> TableOption | None:
    """What an option is that one of several groups has; no row depends on a password or token."""
    found = next((group.option for group in groups if name.startswith(group.prefix) and name != group.prefix), None)
    return replace(found, passive=True) if found is not None and is_sensitive(name) else found


@dataclass(frozen=True, slots=True)
class Unfit:
    """What a format cannot hold, and what to do."""

    message: str
    remedy: str


@dataclass(frozen=True, slots=True)
class FormatSpec:
    """A format.

    Flink refuses no unknown option of a format, and neither does a table here; see `checks`.

    Args:
        name: the value of the option `format`.
        doc: what it is, for people; one sentence.
        options: by name without the format's prefix.
        reads: the kinds of rows that it holds when read.
        writes: the kinds of rows that it takes.
        metadata: by key, in the order of Flink's page; a connector of messages offers them, files do not.
        extension: the end of the names of files, without the dot.
        positional: whether columns are found by their position and not by their name.
        open: whether its further options go to a library.
        not_both: pairs of boolean options that cannot both be true.
        only_read: boolean options that cannot be true where a table is written.
        unfit: what it cannot hold of a row's columns, given its options; None where all is well.
        contradiction: what is wrong with its options together: option, message, remedy.
        messages: whether it can be in messages, and not in files alone.
        files: whether it can be in files, and not in messages alone.
        blocks: whether files are blocks of rows, of which none can be put aside.
        groups: options of which only the prefix is known, which is behind the format's own.
        packages: libraries that a run needs beside the product.
    """

    name: str
    doc: str
    options: Mapping[str, TableOption] = field(default_factory=dict)
    reads: ChangelogMode = ChangelogMode.INSERT
    writes: ChangelogMode = ChangelogMode.INSERT
    metadata: Mapping[str, Metadata] = field(default_factory=dict)
    extension: str = ""
    positional: bool = False
    open: bool = False
    not_both: tuple[tuple[str, str], ...] = ()
    only_read: tuple[str, ...] = ()
    unfit: Callable[[RowType, Mapping[str, str]], Unfit | None] | None = None
    contradiction: Callable[[Mapping[str, str]], tuple[str, str, str] | None] | None = None
    messages: bool = False
    files: bool = True
    blocks: bool = False
    groups: tuple[OptionGroup, ...] = ()
    packages: tuple[Package, ...] = ()

    def option(self, name: str) -> TableOption | None:
        """The option of that name, without the format's prefix, also one of a group; None for one that it has not."""
        return self.options.get(name) or _of_group(self.groups, name)

    def values(self, given: Mapping[str, str]) -> Values:
        """The format's options, without its prefix, as values, defaults filled in."""
        return Values(self.options, given)


@dataclass(frozen=True, slots=True)
class Values:
    """The values of declared options; asking for one that is not declared is an error of the program that asks.

    Args:
        declared: by name.
        given: what a table has, checked.
    """

    declared: Mapping[str, TableOption]
    given: Mapping[str, str]

    def get(self, name: str) -> Any:
        """The value by its kind (a duration in milliseconds); the default where it is not given, None without one."""
        option = self.declared[name]
        text = next((self.given[key] for key in (name, *option.fallbacks) if key in self.given), option.default or None)
        return None if text is None else option.parse(text)

    def text(self, name: str) -> str:
        """A text; empty where it is not given and has no default."""
        found = self.get(name)
        return "" if found is None else str(found)

    def flag(self, name: str) -> bool:
        """A boolean; false where it is not given and has no default."""
        return bool(self.get(name))

    def number(self, name: str) -> int:
        """A whole number, or a duration in milliseconds, that is given or has a default.

        Raises:
            UnsupportedError: it is not given, and has no default.
        """
        found = self.get(name)
        if found is None:
            raise UnsupportedError(f"the option {name!r} is not given", remedy=f"add '{name}' = '...'")
        return int(found)
