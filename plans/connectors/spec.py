"""Specs of connectors: every fact about a connector outside the executor.

The planner, the plan's check, lineage, the executor and the reference pages read them; the executor registers its
factories under their names. Modules of `specs` declare one each, as `SPEC`; see `registry`.
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
    """A metadata column: its type when read, and when written."""

    type: LogicalType
    doc: str = ""
    readable: bool = True  # whether a source provides it
    written: LogicalType | None = None  # the type that a sink takes; None if it is not writable
    #: The uses that Spark's connector supports, too; a plan with another use is refused.
    runs: Use = Use.SOURCE | Use.SINK

    @property
    def writable(self) -> bool:
        """True if a sink takes the column."""
        return self.written is not None


class Boundedness(Enum):
    """End of a source, which its value describes."""

    BOUNDED = "ends when all that was there has been read"
    UNBOUNDED = "never ends"
    BY_OPTION = "ends or not as its options say"


class Guarantee(Enum):
    """Delivery guarantee of a sink: the rows that remain after a batch is rewritten."""

    EXACTLY_ONCE = "every row once"
    AT_LEAST_ONCE = "every row, some of them twice"
    BY_KEY = "every row of a primary key as it was written last"
    NOTHING_KEPT = "nothing is kept of what is written"


#: The reasons why a source with these options cannot read its rows again.
Repeats = Callable[[Mapping[str, str]], Iterator[str]]


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """The scan of a connector."""

    #: Its changelog mode; with a format that of the format, unless `own_changes`.
    changes: ChangelogMode = ChangelogMode.INSERT
    bounded: Boundedness = Boundedness.BOUNDED
    #: True if Flink pushes projections into the scan; otherwise a scan returns all columns, metadata in its own types.
    projects: bool = True
    watermarks: bool = False  # whether Flink pushes watermarks into the scan, so that a plan has no operator for them
    again: bool = False  # whether rows can be read again, as those of files
    repeats: Repeats | None = None  # of a table that keeps its rows, which a stream reads again up to a position
    starts: tuple[str, ...] = ()  # options of such a table that hold from the first start on a checkpoint on
    #: Predicate: Flink pushes a condition into the scan with these options; None if it never does.
    takes_over: Callable[[RexNode, Mapping[str, str]], bool] | None = None
    limits: bool = False  # whether Flink pushes LIMIT into the scan
    #: Its changelog mode with these options; None for `changes`.
    changes_by: Callable[[Mapping[str, str]], ChangelogMode] | None = None


@dataclass(frozen=True, slots=True)
class SinkSpec:
    """The sink of a connector."""

    #: Its changelog mode; with a format that of the format, unless `own_changes`.
    changes: ChangelogMode = ChangelogMode.INSERT
    guarantee: Guarantee = Guarantee.EXACTLY_ONCE
    by_key: bool = False  # whether updates and deletes need a primary key
    as_sent: bool = False  # whether a table accepts, of `changes`, only the kinds that the query emits
    #: How the rows of a table with a primary key are read back, in words; empty if they cannot be.
    read_back: str = ""


@dataclass(frozen=True, slots=True)
class LookupSpec:
    """The lookup of a connector."""

    caches: bool = False  # whether it may cache results
    joins: bool = False  # whether a micro-batch is joined with the table as a whole, not row by row
    versions: tuple[str, ...] = ()  # options that name a version of the table; a lookup reads the newest rows


@dataclass(frozen=True, slots=True)
class FormatSlot:
    """Options of a table that name one format."""

    options: tuple[str, ...] = ("format",)  # alternative names of the option: `format`, `value.format`
    required: bool = True  # whether a table must have it

    def chosen(self, options: Mapping[str, str]) -> tuple[str, str] | None:
        """The option that a table sets, and the format that it names."""
        return next(((name, options[name]) for name in self.options if name in options), None)

    @staticmethod
    def prefix(option: str, format_: str) -> str:
        """The prefix of a format's options: `json.` for `format`, `value.json.` for `value.format`."""
        return f"{option.removesuffix('format')}{format_}."


_OF_PART = {"key.format": " for keys", "value.format": " for values"}
#: Slots of connectors with one format, and with formats for keys and for values.
ONE_FORMAT = (FormatSlot(),)
KEY_AND_VALUE = (FormatSlot(("value.format", "format")), FormatSlot(("key.format",), required=False))

#: Slots of connectors whose messages all have a key.
NEEDED_KEY_AND_VALUE = (FormatSlot(("value.format",)), FormatSlot(("key.format",)))

ColumnOptions = Callable[[RowType, Mapping[str, str]], Mapping[str, TableOption]]
#: Faults of options: option, message, remedy.
Faults = Iterator[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class TableUse:
    """A table to check for reading or writing."""

    table: str
    columns: RowType  # physical
    options: Mapping[str, str]
    primary_key: tuple[str, ...]  # the names of the columns of its primary key
    reading: bool  # read, otherwise written


@dataclass(frozen=True, slots=True)
class ConnectorSpec:
    """Declaration of a connector: options, formats, and what it reads, writes and looks up."""

    name: str  # the value of the option `connector`
    doc: str  # one sentence for the reference pages
    #: By name; every connector has the option `connector`.
    options: Mapping[str, TableOption] = field(default_factory=dict)
    source: SourceSpec | None = None  # None if it cannot be scanned
    sink: SinkSpec | None = None  # None if it cannot be written
    lookup: LookupSpec | None = None  # None if it cannot be looked up by key
    formats: tuple[FormatSlot, ...] = ()  # the value's format first
    own_changes: bool = False  # whether the connector determines the changelog mode, not its format
    groups: tuple[OptionGroup, ...] = ()  # options of which only the prefix is known
    metadata: Mapping[str, Metadata] = field(default_factory=dict)  # by key, in the order of Flink's page
    any_metadata: bool = False  # whether it takes and gives metadata columns of any key
    #: Options that locate the rows: tables with equal values are the same; None: the name and all options do.
    place: tuple[str, ...] | None = None
    packages: tuple[Package, ...] = ()  # libraries that a run needs beside the product
    stands_for: str = ""  # option with the options, as JSON, of the table that a test replaces by one of this connector
    in_process: str = ""  # relation of a table to its program, if no other process can use it
    at_start: str = ""  # what a plan does not say, so that only a start can look at it
    column_options: ColumnOptions | None = None  # options that follow from the columns
    #: Contradictory options of columns.
    column_faults: Callable[[RowType, Mapping[str, str]], Faults] | None = None
    #: Further faults of a table whose options are known and have valid values.
    faults: Callable[[TableUse], Iterator[TableFault]] | None = None
    #: Further faults of the metadata, by key, that a sink writes.
    metadata_faults: Callable[[str, Mapping[str, str], Collection[str]], Iterator[TableFault]] | None = None
    #: Columns of the parts of a message, by the option that names the part's format; None for files.
    messages: Callable[[TableUse], Mapping[str, RowType]] | None = None
    #: Files and code that the options of a table reach, besides the options whose names mark them as paths.
    reached: Callable[[Mapping[str, str]], Iterator[Reached]] | None = None

    @property
    def uses(self) -> Use:
        """The uses that the connector supports."""
        uses = Use(0)
        for use, able in ((Use.SOURCE, self.source), (Use.SINK, self.sink), (Use.LOOKUP, self.lookup)):
            uses |= use if able is not None else Use(0)
        return uses

    @property
    def keeps_rows(self) -> bool:
        """True if written rows can be read afterwards."""
        return self.sink is None or self.sink.guarantee is not Guarantee.NOTHING_KEPT

    @property
    def all_options(self) -> Mapping[str, TableOption]:
        """The options, including those that name formats."""
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
        """The option of that name, declared or of a group; None if there is none."""
        return self.all_options.get(name) or of_group(self.groups, name)

    def values(self, options: Mapping[str, str]) -> Values:
        """The values of a table's options, with defaults filled in."""
        return Values(self.options, options)
