"""The connector `delta`: tables of Delta Lake.

Sources: Delta's pages "Table streaming reads and writes", "Change data feed", "Table deletes, updates, and merges" and
"Table batch reads and writes".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.common import LATE_ROWS, flag, passive, refused
from compiled_plan.plans.connectors.lake_tables import (
    AT_START,
    BATCH,
    CREATE,
    SINK_OPTIONS,
    STREAMING,
    changes_with,
    column_faults,
    created_properties,
    is_name,
    is_true,
    only_in_batches,
    skipping,
    together,
)
from compiled_plan.plans.connectors.lakes import DELTA
from compiled_plan.plans.connectors.spec import (
    Boundedness,
    ConnectorSpec,
    Faults,
    LookupSpec,
    SinkSpec,
    SourceSpec,
    TableUse,
)
from compiled_plan.plans.connectors.table_options import TableOption, Use
from compiled_plan.plans.nodes.declared import TableFault
from compiled_plan.plans.text.options import Kind
from compiled_plan.plans.types.changelog import ChangelogMode

_read = partial(passive, uses=Use.SOURCE)
#: Prefix of Delta's properties of tables.
PROPERTIES = "delta."
FEED = "readChangeFeed"
_START, _END = ("startingVersion", "startingTimestamp"), ("endingVersion", "endingTimestamp")
_AS_OF = ("versionAsOf", "timestampAsOf")
#: Property without which names of columns have no such character.
_MAPPING, _UNMAPPED = "delta.columnMapping.mode", frozenset(" ,;{}()\n\t=")
_HELD = column_faults(DELTA.title, "connector")


def _column_faults(row: t.RowType, options: Mapping[str, str]) -> Faults:
    yield from _HELD(row, options)
    if is_true(options, CREATE) and _MAPPING not in options:
        for column in row.fields:
            if _UNMAPPED.intersection(column.name):
                message = f"column {column.name!r} has a character that Delta Lake refuses in names without mapping"
                yield CREATE, message, f"add '{_MAPPING}' = 'name'"


def _faults(use: TableUse) -> Iterator[TableFault]:
    options, table = use.options, use.table
    if ("path" in options) == ("table-name" in options):
        both = "both 'path' and 'table-name'" if "path" in options else "neither 'path' nor 'table-name'"
        remedy = "set 'path' to the folder of the table, or 'table-name' to its name in a catalog of Spark"
        yield TableFault(f"table {table} has {both}", remedy, "table-name" if "path" in options else "")
    elif "table-name" in options and not is_name(options["table-name"]):
        message = f"'table-name' = {options['table-name']!r} of table {table} is no plain name of a table"
        yield TableFault(message, "write it as catalog.schema.name, schema.name or name", "table-name")
    if use.reading:
        yield from _reading_faults(use)


def _reading_faults(use: TableUse) -> Iterator[TableFault]:
    options, table = use.options, use.table
    yield from together(table, options, _START, _END, _AS_OF, (FEED, "skipChangeCommits"), (FEED, "ignoreDeletes"))
    batch, feed = options.get("scan.mode", STREAMING).lower() == BATCH, is_true(options, FEED)
    if not batch:
        yield from only_in_batches(table, options, (*_END, *_AS_OF), "set 'scan.mode' = 'batch', or leave it out")
    for name in _AS_OF if feed else ():
        if name in options:
            message = f"table {table} has {name!r}, one version, and {FEED!r}, the changes between versions"
            yield TableFault(message, "leave one of them out", name)
    for name in (*_START, *_END) if batch and not feed else ():
        if name in options:
            message = f"a batch read of table {table} reads one version, and {name!r} selects several"
            remedy = f"set '{FEED}' = 'true' for the changes between versions, or 'versionAsOf' for another version"
            yield TableFault(message, remedy, name)
    if batch and feed and not any(name in options for name in _START):
        message = f"a batch read of the changes of table {table} has no start"
        yield TableFault(message, f"add '{_START[0]}' = '0', or '{_START[1]}' = '...'", FEED)


def _repeats(options: Mapping[str, str]) -> Iterator[str]:
    """The reasons why a new stream up to a position has other rows than the one that reached it."""
    if options.get("scan.mode", STREAMING).lower() == BATCH:
        yield "a batch read is of a version that the checkpoint does not record"
    if options.get("startingVersion", "").lower() == "latest":
        yield "the checkpoint does not record which version 'startingVersion' = 'latest' was"
    for name in ("skipChangeCommits", "ignoreDeletes"):
        if is_true(options, name):
            yield skipping(name)


SPEC = ConnectorSpec(
    "delta",
    "A table of Delta Lake: appended rows or all changes are read, rows are appended, or merged by primary key.",
    {
        "path": TableOption(Kind.PATH, doc="The folder of the table; any Hadoop URI. This or `table-name`."),
        "table-name": TableOption(
            Kind.TEXT, doc="The name of the table in a catalog of Spark's session, such as `shop.orders`."
        ),
        "scan.mode": TableOption(
            Kind.CHOICE,
            STREAMING,
            (STREAMING, BATCH),
            doc="`streaming`: the rows of the table, then arriving ones, without end; `batch`: one read of a version.",
            uses=Use.SOURCE,
        ),
        FEED: flag(
            "Read the change data feed: updates and deletes, too. The table needs the property "
            "`delta.enableChangeDataFeed`.",
            uses=Use.SOURCE,
        ),
        "startingVersion": _read(
            Kind.TEXT, "The version, or `latest`, from which a new checkpoint reads changes only, without the table."
        ),
        "startingTimestamp": _read(Kind.TEXT, "The same by a time, such as `2026-01-31 12:00:00`, in UTC."),
        "endingVersion": _read(Kind.COUNT, "The last version of a batch read of changes."),
        "endingTimestamp": _read(Kind.TEXT, "The same by a time."),
        "versionAsOf": _read(Kind.COUNT, "The version of a batch read."),
        "timestampAsOf": _read(Kind.TEXT, "The same by a time."),
        "skipChangeCommits": flag(
            "Skip commits that update or delete rows; otherwise they end a stream without change data feed.",
            uses=Use.SOURCE,
        ),
        "ignoreDeletes": flag("Skip commits that delete whole partitions.", uses=Use.SOURCE),
        "ignoreChanges": refused(
            "Read rewritten files again.",
            "rows that did not change would come again as inserts; use 'readChangeFeed' or 'skipChangeCommits'",
            Use.SOURCE,
        ),
        "maxFilesPerTrigger": _read(Kind.POSITIVE, "Maximum number of new files per micro-batch; Delta's is 1000."),
        "maxBytesPerTrigger": _read(Kind.MEMORY, "Approximate maximum size of a micro-batch."),
        "failOnDataLoss": _read(Kind.BOOLEAN, "End the run if the log of unread versions was removed.", default="true"),
        **SINK_OPTIONS,
        **LATE_ROWS,
    },
    source=SourceSpec(bounded=Boundedness.BY_OPTION, changes_by=changes_with(FEED), repeats=_repeats, starts=_START),
    lookup=LookupSpec(joins=True, versions=("versionAsOf", "timestampAsOf")),
    sink=SinkSpec(ChangelogMode.UPSERT, by_key=True, read_back="at its current version"),
    groups=(created_properties(PROPERTIES),),
    column_faults=_column_faults,
    faults=_faults,
    place=("path", "table-name"),
    at_start=AT_START,
    packages=DELTA.packages,
)
