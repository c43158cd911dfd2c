"""The connector `iceberg`: tables of Apache Iceberg.

Sources: Iceberg's pages "Flink Connector", for the options of a table, and "Spark Structured Streaming", "Spark
Writes", "Spark Procedures" (`create_changelog_view`) and "Spark Configuration".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.columns import within
from compiled_plan.plans.connectors.common import LATE_ROWS, flag, passive, refused, tuning
from compiled_plan.plans.connectors.lake_tables import (
    AT_START,
    SINK_OPTIONS,
    changes_with,
    column_faults,
    created_properties,
    is_name,
    is_true,
    only_in_batches,
    skipping,
    together,
)
from compiled_plan.plans.connectors.lakes import ICEBERG
from compiled_plan.plans.connectors.spec import (
    Boundedness,
    ConnectorSpec,
    Faults,
    LookupSpec,
    SinkSpec,
    SourceSpec,
    TableUse,
)
from compiled_plan.plans.connectors.table_names import is_plain
from compiled_plan.plans.connectors.table_options import TableOption, Use
from compiled_plan.plans.nodes.declared import TableFault
from compiled_plan.plans.text.options import Kind
from compiled_plan.plans.types.changelog import ChangelogMode

CHANGELOG, _START = "changelog", "start-snapshot-timestamp"
_SKIP = ("streaming-skip-overwrite-snapshots", "streaming-skip-delete-snapshots")
_read = partial(passive, uses=Use.SOURCE)
#: Prefix of Iceberg's properties of writes.
PROPERTIES = "write."
#: Options of catalogs that the session gets, by their names in Spark.
OF_CATALOG = {
    "catalog-type": "type",
    "uri": "uri",
    "warehouse": "warehouse",
    "token": "token",
    "credential": "credential",
    "oauth2-server-uri": "oauth2-server-uri",
    "scope": "scope",
}
_OF_REST = ("token", "credential", "oauth2-server-uri", "scope")
_NARROW = (t.TinyIntType, t.SmallIntType)
_held = column_faults(ICEBERG.title, "connector")


def _column_faults(row: t.RowType, options: Mapping[str, str]) -> Faults:
    yield from _held(row, options)
    for column in row.fields:
        if any(isinstance(part, _NARROW) for part in within(column.type)):
            message = f"column {column.name!r} of type {column.type} cannot be held in an Iceberg table"
            yield "connector", message, "make it an INT"
        if is_true(options, CHANGELOG) and any(isinstance(part, t.VariantType) for part in within(column.type)):
            message = f"column {column.name!r} of type {column.type} cannot be compared with its earlier value"
            yield CHANGELOG, message, "leave the column out"


def catalog_faults(subject: str, options: Mapping[str, str], *, required: bool = False) -> Iterator[TableFault]:
    """Faults of the options of a catalog.

    Args:
        subject: the catalog, or the table whose options they are.
        options: the options.
        required: True if `catalog-type` must be among them; otherwise the session may configure the catalog.
    """
    name, kind = options["catalog-name"], options.get("catalog-type", "").lower()
    if not is_plain(name) or "$" in name:
        message = f"'catalog-name' = {name!r} of {subject} is no name of a catalog"
        yield TableFault(message, "use letters, digits and underscores", "catalog-name")
    remedy, present = "add 'catalog-type' = 'hadoop', 'hive' or 'rest'", [key for key in OF_CATALOG if key in options]
    if not kind and required:
        yield TableFault(f"{subject} has no 'catalog-type'", remedy, "catalog-type")
    elif not kind and present:
        message = f"{subject} has {present[0]!r} and no 'catalog-type'"
        yield TableFault(message, f"{remedy}, or configure the catalog in the session", present[0])
    elif kind == "hadoop" and "warehouse" not in options:
        message = f"{subject} has a 'hadoop' catalog without 'warehouse'"
        yield TableFault(message, "add 'warehouse' = '...', the folder of the tables", "catalog-type")
    elif required and kind in ("hive", "rest") and "uri" not in options:
        message = f"{subject} has a {kind!r} catalog without 'uri'"
        yield TableFault(message, "add 'uri' = '...', the address of its server", "catalog-type")
    for option in _OF_REST:
        if option in options and kind in ("hadoop", "hive"):
            message = f"{subject} has {option!r}, and a catalog of type {kind!r} does not use it"
            yield TableFault(message, "leave it out", option)


def _faults(use: TableUse) -> Iterator[TableFault]:
    options, table = use.options, use.table
    yield from catalog_faults(f"table {table}", options)
    for option in ("catalog-database", "catalog-table"):
        if not is_name(options.get(option, "default")):
            message = f"{option!r} = {options[option]!r} of table {table} is no plain name of a table"
            yield TableFault(message, "use letters, digits and underscores", option)
    if not use.reading:
        return
    streams = is_true(options, "streaming")
    yield from together(table, options, ("snapshot-id", "as-of-timestamp"), *((CHANGELOG, name) for name in _SKIP))
    if streams:
        remedy = "leave 'streaming' out, or this option"
        yield from only_in_batches(table, options, ("snapshot-id", "as-of-timestamp"), remedy)
    for name in () if streams else (_START, CHANGELOG):
        if name in options:
            message = f"the option {name!r} of table {table} applies to streams alone"
            yield TableFault(message, "set 'streaming' = 'true', or leave it out", name)


def _repeats(options: Mapping[str, str]) -> Iterator[str]:
    """The reasons why a new stream up to a position has other rows than the one that reached it."""
    if not is_true(options, "streaming"):
        yield "a batch read is of a snapshot that the checkpoint does not record"
    for name in _SKIP:
        if is_true(options, name):
            yield skipping(name)


SPEC = ConnectorSpec(
    "iceberg",
    "A table of Apache Iceberg: appended rows or all changes are read, rows are appended, or merged by primary key.",
    {
        "catalog-name": TableOption(Kind.TEXT, doc="The catalog of the table in Spark's session.", required=True),
        "catalog-type": TableOption(
            Kind.CHOICE,
            choices=("hadoop", "hive", "rest"),
            doc="The kind of catalog, if the session does not configure it.",
        ),
        "catalog-impl": refused("Class of the catalog.", "a plan does not choose classes to load"),
        "uri": TableOption(Kind.TEXT, doc="The address of a `hive` or `rest` catalog."),
        "warehouse": TableOption(Kind.PATH, doc="The folder of the catalog's tables, or the name of a warehouse."),
        "token": passive(Kind.TEXT, "The bearer token for a `rest` catalog."),
        "credential": passive(Kind.TEXT, "`ID:SECRET`, for which a `rest` catalog gives a token."),
        "oauth2-server-uri": passive(Kind.TEXT, "The address that gives the token; by default the catalog's."),
        "scope": passive(Kind.TEXT, "The scope of the token."),
        "catalog-database": TableOption(Kind.TEXT, "default", doc="The database in the catalog; dots nest."),
        "catalog-table": TableOption(Kind.TEXT, doc="The name in the database.", required=True),
        "streaming": flag("Read appended rows without end; otherwise the table is read once.", uses=Use.SOURCE),
        CHANGELOG: flag(
            "Read a stream as a changelog: the rows of the table, then inserts, updates and deletes. Not an option of "
            "Iceberg's connector.",
            uses=Use.SOURCE,
        ),
        "monitor-interval": tuning(
            Kind.DURATION, "Interval of the search for snapshots; here every micro-batch searches.", Use.SOURCE
        ),
        _START: _read(
            Kind.COUNT,
            "The time, in ms since 1970, from which a new checkpoint reads snapshots; by default all. A changelog then "
            "begins without the rows of the table.",
        ),
        "snapshot-id": _read(Kind.COUNT, "The snapshot of a batch read."),
        "as-of-timestamp": _read(Kind.COUNT, "The same by a time, in ms since 1970."),
        "streaming-skip-overwrite-snapshots": flag(
            "Skip snapshots that replace rows; otherwise they end a stream.", uses=Use.SOURCE
        ),
        "streaming-skip-delete-snapshots": flag(
            "Skip snapshots that delete rows; otherwise they end a stream.", uses=Use.SOURCE
        ),
        "streaming-max-files-per-micro-batch": _read(
            Kind.POSITIVE, "Maximum number of files per micro-batch; a changelog reads whole snapshots, at least one."
        ),
        "streaming-max-rows-per-micro-batch": _read(Kind.POSITIVE, "The same for rows."),
        **SINK_OPTIONS,
        **LATE_ROWS,
    },
    source=SourceSpec(
        bounded=Boundedness.BY_OPTION, changes_by=changes_with(CHANGELOG), repeats=_repeats, starts=(CHANGELOG, _START)
    ),
    lookup=LookupSpec(joins=True, versions=("snapshot-id", "as-of-timestamp")),
    sink=SinkSpec(ChangelogMode.UPSERT, by_key=True, read_back="at its current snapshot"),
    groups=(created_properties(PROPERTIES),),
    column_faults=_column_faults,
    faults=_faults,
    place=("catalog-name", "warehouse", "uri", "catalog-database", "catalog-table"),
    at_start=AT_START,
    packages=ICEBERG.packages,
)
