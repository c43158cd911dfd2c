"""The connector `jdbc`. Source: Flink's page "JDBC"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.common import passive, refused, tuning
from compiled_plan.plans.connectors.jars import DRIVERS
from compiled_plan.plans.connectors.jdbc_filters import takes_over
from compiled_plan.plans.connectors.jdbc_urls import reached
from compiled_plan.plans.connectors.spec import ConnectorSpec, Faults, LookupSpec, SinkSpec, SourceSpec, TableUse
from compiled_plan.plans.connectors.table_names import name_parts
from compiled_plan.plans.connectors.table_options import TableOption, Use
from compiled_plan.plans.nodes.declared import TableFault
from compiled_plan.plans.text.durations import parse_duration
from compiled_plan.plans.text.options import Kind
from compiled_plan.plans.text.references import has_reference
from compiled_plan.plans.types.changelog import ChangelogMode

_HELD = (t.CharacterType, t.BytesType, t.BooleanType, t.NumericType, t.DateType, t.TimeType, t.TimestampBase)
_EVICTING = tuple(f"lookup.partial-cache.{name}" for name in ("max-rows", "expire-after-write", "expire-after-access"))
_PARTS = tuple(f"scan.partition.{name}" for name in ("column", "num", "lower-bound", "upper-bound"))


_cached = partial(passive, uses=Use.LOOKUP)


def _older(kind: Kind, name: str) -> TableOption:
    return _cached(kind, f"Deprecated name of `{name}`.")


def _column_faults(row: t.RowType, options: Mapping[str, str]) -> Faults:
    """Columns that no database holds, arrays outside PostgreSQL, and invalid partitions of a scan."""
    yield from _part_faults(row, options)
    url = options.get("url", "")
    arrays = url.startswith("jdbc:postgresql:") or has_reference(url)  # a start checks the URL that results
    for column in row.fields:
        held = column.type
        while isinstance(held, t.ArrayType):
            held = held.element
        if not isinstance(held, _HELD) or isinstance(held, t.TimestampTzType):
            message = f"column {column.name!r} of type {column.type} cannot be held in a database"
            yield "url", message, "make it a STRING (JSON_STRING, CAST) or leave it out"
        elif isinstance(column.type, t.ArrayType) and not arrays:
            message = f"column {column.name!r} of type {column.type} can be held in PostgreSQL alone"
            yield "url", message, "make it a STRING (ARRAY_JOIN, CAST) or leave it out"


def _part_faults(row: t.RowType, options: Mapping[str, str]) -> Faults:
    present = [name for name in _PARTS if name in options]
    if not present:
        return
    for name in _PARTS:
        if name not in options:
            yield name, f"{present[0]!r} needs {name!r}, too", f"add '{name}' = '...', or leave all four out"
            return
    least, most = (int(options[f"scan.partition.{bound}-bound"]) for bound in ("lower", "upper"))
    if least > most:
        message = f"the lower bound {least} is above the upper bound {most}"
        yield "scan.partition.lower-bound", message, "change one of them"
    column = row.field_named(options["scan.partition.column"])
    if column is not None and not isinstance(column.type, t.NumericType):
        message = f"the parts are ranges of numbers, and column {column.name!r} is {column.type}"
        yield "scan.partition.column", message, "name a numeric column"


def _faults(use: TableUse) -> Iterator[TableFault]:
    """A query in place of a table, user without password or the reverse, invalid timeout, cache without eviction."""
    options, table = use.options, use.table
    if name_parts(options["table-name"]) is None:
        message = f"'table-name' = {options['table-name']!r} of table {table} is no name of a table"
        yield TableFault(message, "name a table or view; make a view of a query, in the database", "table-name")
    for option, missing in (("username", "password"), ("password", "username")):
        if option in options and missing not in options:
            message = f"table {table} has the option {option!r} and lacks {missing!r}"
            yield TableFault(message, f"add '{missing}' = '...', or say both in the URL", option)
    wait = "connection.max-retry-timeout"
    if wait in options and parse_duration(options[wait]) < 1000:
        message = f"'{wait}' = {options[wait]!r} of table {table} is less than a second"
        yield TableFault(message, "set it to '1 s' or more", wait)
    cached = use.reading and options.get("lookup.cache", "").upper() == "PARTIAL"
    if cached and not {*_EVICTING, "lookup.cache.max-rows", "lookup.cache.ttl"} & set(options):
        message = f"the cache of table {table} never forgets an answer"
        yield TableFault(message, f"add one of: {', '.join(_EVICTING)}", "lookup.cache")


SPEC = ConnectorSpec(
    "jdbc",
    "A database table: scanned, looked up by key in lookup joins, or written.",
    {
        "url": TableOption(Kind.TEXT, doc="The database's JDBC URL.", required=True),
        "table-name": TableOption(Kind.TEXT, doc="The table in the database.", required=True),
        "driver": passive(Kind.TEXT, "Class of the driver; derived from the URL by default."),
        "username": passive(Kind.TEXT, "The user name."),
        "password": passive(Kind.TEXT, "The password."),
        "connection.max-retry-timeout": passive(
            Kind.DURATION, "Time for which an unreachable database is retried.", default="60 s"
        ),
        "lookup.cache": passive(
            Kind.CHOICE, "`PARTIAL`: cache the results of lookups.", Use.LOOKUP, "NONE", ("NONE", "PARTIAL")
        ),
        "lookup.max-retries": _cached(Kind.COUNT, "Number of retries of a failed lookup.", default="3"),
        "lookup.partial-cache.max-rows": _cached(
            Kind.POSITIVE, "Maximum number of cached results.", fallbacks=("lookup.cache.max-rows",)
        ),
        "lookup.partial-cache.expire-after-write": _cached(
            Kind.DURATION, "Time after which a cached result expires.", fallbacks=("lookup.cache.ttl",)
        ),
        "lookup.partial-cache.expire-after-access": _cached(
            Kind.DURATION, "Time without access after which a cached result expires."
        ),
        "lookup.partial-cache.cache-missing-key": _cached(
            Kind.BOOLEAN,
            "Cache empty results, too.",
            default="true",
            fallbacks=("lookup.cache.caching-missing-key",),
        ),
        "lookup.cache.max-rows": _older(Kind.POSITIVE, "lookup.partial-cache.max-rows"),
        "lookup.cache.ttl": _older(Kind.DURATION, "lookup.partial-cache.expire-after-write"),
        "lookup.cache.caching-missing-key": _older(Kind.BOOLEAN, "lookup.partial-cache.cache-missing-key"),
        "compatible-mode": refused(
            "The dialect of a compatible database.", "the supported databases have no compatible modes, as in Flink"
        ),
        "scan.partition.column": TableOption(
            Kind.TEXT,
            doc="The numeric column that partitions a parallel scan; all four options or none.",
            uses=Use.SOURCE,
        ),
        "scan.partition.num": TableOption(Kind.POSITIVE, doc="The number of partitions.", uses=Use.SOURCE),
        "scan.partition.lower-bound": TableOption(
            Kind.INTEGER, doc="The lower bound of the first partition; rows below it are not read.", uses=Use.SOURCE
        ),
        "scan.partition.upper-bound": TableOption(
            Kind.INTEGER, doc="The upper bound of the last partition; rows above it are not read.", uses=Use.SOURCE
        ),
        "scan.fetch-size": passive(Kind.INTEGER, "Number of rows per fetch; 0 for 1000.", Use.SOURCE, "0"),
        "scan.auto-commit": passive(
            Kind.BOOLEAN, "Scan with auto-commit, with which some drivers fetch all rows at once.", Use.SOURCE, "false"
        ),
        "filter.handling.policy": passive(
            Kind.CHOICE,
            "`always`: push filters down to the database, and apply the rest here; `never`: apply all of them here.",
            Use.SOURCE,
            "always",
            ("always", "never"),
        ),
        "sink.buffer-flush.max-rows": passive(
            Kind.INTEGER,
            "Rows per batch statement, within the transaction of a micro-batch; 0 for the default.",
            Use.SINK,
            "1000",
        ),
        "sink.buffer-flush.interval": tuning(
            Kind.DURATION, "Interval of writes; here rows are written with their micro-batch."
        ),
        "sink.max-retries": passive(
            Kind.COUNT,
            "Number of retries of a transaction after a lost connection or a conflict.",
            Use.SINK,
            "3",
        ),
        "sink.parallelism": tuning(
            Kind.INTEGER, "Number of writing tasks; always 1 here, with one transaction per micro-batch."
        ),
    },
    source=SourceSpec(takes_over=takes_over, limits=True),
    sink=SinkSpec(ChangelogMode.UPSERT, by_key=True, read_back="by SELECT"),
    lookup=LookupSpec(caches=True),
    packages=DRIVERS,
    column_faults=_column_faults,
    faults=_faults,
    place=("url", "table-name"),
    reached=reached,
    at_start="the database, the columns of its table and their types",
)
