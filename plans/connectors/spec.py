"""What the spec of a connector says: everything that is known of it outside of the executor.

The planner, the plan's check, lineage, the executor and the reference pages read it; the executor's factories are
registered under it. A module of `specs` holds one, as `SPEC`; see `registry`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from compiled_plan.plans.connectors.jars import Package
from compiled_plan.plans.connectors.reached import Reached
from compiled_plan.plans.connectors.table_options import OptionGroup, TableOption, Use, Values, of_group
from compiled_plan.plans.nodes.declared import TableFault
from compiled_plan.plans.rex import RexNode
from compiled_plan.plans.text.options import Kind
from compiled_plan.plans.types import LogicalType, RowType
from compiled_plan.plans.types.changelog import ChangelogMode


@dataclass(frozen=True, slots=True)
class Metadata:
    """A metadata column."""

    type: LogicalType
    doc: str = ""
    readable: bool = True  # whether a source gives it
    written: LogicalType | None = None  # the type in which a sink takes it; None where it takes none
    #: The uses in which Spark's connector has it, too; a plan with another one is refused.
    runs: Use = Use.SOURCE | Use.SINK

    @property
    def writable(self) -> bool:
        """Whether a sink takes it."""
        return self.written is not None


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
    """The reading of a connector as a whole."""

    #: The kinds of rows that it gives; with a format those of the format, unless `own_changes`.
    changes: ChangelogMode = ChangelogMode.INSERT
    bounded: Boundedness = Boundedness.BOUNDED
    #: Whether Flink has it read some columns alone; else a scan gives all, with metadata in its own types.
    projects: bool = True
    watermarks: bool = False  # whether Flink has it make the watermarks, so that a plan has no operator for them
    again: bool = False  # whether rows that were read can be read again, as those of files
    #: Whether Flink has it filter by a condition on its columns, given its options; None where it is not asked.
    takes_over: Callable[[RexNode, Mapping[str, str]], bool] | None = None
    limits: bool = False  # whether Flink tells it how many rows are wanted


@dataclass(frozen=True, slots=True)
class SinkSpec:
    """The writing of a connector."""

    #: The kinds of rows that it takes; with a format those of the format, unless `own_changes`.
    changes: ChangelogMode = ChangelogMode.INSERT
    guarantee: Guarantee = Guarantee.EXACTLY_ONCE  # what is left of a batch that is written again
    by_key: bool = False  # whether a table needs a primary key to take updates and deletes
    as_sent: bool = False  # whether a table takes, of those kinds, only the ones that the query sends


@dataclass(frozen=True, slots=True)
class LookupSpec:
    """The lookup of a key's rows in a connector."""

    caches: bool = False  # whether it may remember answers


@dataclass(frozen=True, slots=True)
class FormatSlot:
    """A place for a format in a table's options."""

    options: tuple[str, ...] = ("format",)  # names of the option, of which a table has one: `format`, `value.format`
    required: bool = True  # whether a table must have it

    def chosen(self, options: Mapping[str, str]) -> tuple[str, str] | None:
        """The option that a table has, and the format that it names."""
        return next(((name, options[name]) for name in self.options if name in options), None)

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
class TableUse:
    """A table that is about to be used."""

    table: str
    columns: RowType  # its physical columns
    options: Mapping[str, str]
    primary_key: tuple[str, ...]  # the names of the columns of its primary key
    reading: bool  # whether it is read; else it is written


@dataclass(frozen=True, slots=True)
class ConnectorSpec:
    """A connector."""

    name: str  # the value of the option `connector`
    doc: str  # what it is, for people; one sentence
    #: By name; `connector` itself is an option of every one.
    options: Mapping[str, TableOption] = field(default_factory=dict)
    source: SourceSpec | None = None  # how it is read as a whole, if it can be
    sink: SinkSpec | None = None  # how it is written, if it can be
    lookup: LookupSpec | None = None  # how it is asked by key, if it can be
    formats: tuple[FormatSlot, ...] = ()  # where its options name formats; the value's first
    own_changes: bool = False  # whether it says by itself which kinds of rows there are, though it has a format
    groups: tuple[OptionGroup, ...] = ()  # options of which only the prefix is known
    metadata: Mapping[str, Metadata] = field(default_factory=dict)  # by key, in the order of Flink's page
    #: Options that say where the rows are, tables of equal ones are one; None for the name and all options.
    place: tuple[str, ...] | None = None
    packages: tuple[Package, ...] = ()  # libraries that a run needs beside the product
    in_process: str = ""  # what a table has to do with the program that made it, where no other process can use it
    at_start: str = ""  # what a plan does not say, so that only a start can look at it
    column_options: ColumnOptions | None = None  # options that follow from the columns
    #: Options of columns that have no sense together.
    column_faults: Callable[[RowType, Mapping[str, str]], Faults] | None = None
    #: What else is wrong with a table; its options are known and have values that fit.
    faults: Callable[[TableUse], Iterator[TableFault]] | None = None
    #: What else is wrong with the metadata that a sink is to write, by their keys.
    metadata_faults: Callable[[str, Mapping[str, str], Collection[str]], Iterator[TableFault]] | None = None
    #: Which columns are in which part of a message, by the option that names the part's format; None where rows are in
    #: files.
    messages: Callable[[TableUse], Mapping[str, RowType]] | None = None
    #: Files and code that the options of a table reach, beside options that are paths by their names.
    reached: Callable[[Mapping[str, str]], Iterator[Reached]] | None = None

    @property
    def uses(self) -> Use:
        """What a table can be used for."""
        uses = Use(0)
        for use, able in ((Use.SOURCE, self.source), (Use.SINK, self.sink), (Use.LOOKUP, self.lookup)):
            uses |= use if able is not None else Use(0)
        return uses

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
        return self.all_options.get(name) or of_group(self.groups, name)

    def values(self, options: Mapping[str, str]) -> Values:
        """A table's options as values, defaults filled in."""
        return Values(self.options, options)
