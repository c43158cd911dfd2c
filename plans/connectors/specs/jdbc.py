"""The connector `jdbc`, for lookups. Source: Flink's page "JDBC"."""

from __future__ import annotations

from compiled_plan.plans.connectors.common import SINK_PARALLELISM, tuning
from compiled_plan.plans.connectors.spec import ConnectorSpec, LookupSpec, TableOption, Use
from compiled_plan.plans.options import Kind


def _cached(kind: Kind, doc: str, default: str = "", fallbacks: tuple[str, ...] = ()) -> TableOption:
    return TableOption(kind, default, doc=doc, uses=Use.LOOKUP, passive=True, fallbacks=fallbacks)


def _older(kind: Kind, name: str) -> TableOption:
    return _cached(kind, f"The older name of `{name}`.")


SPEC = ConnectorSpec(
    "jdbc",
    "A table of a database, asked by key in lookup joins.",
    {
        "url": TableOption(Kind.TEXT, doc="The database's JDBC URL.", required=True),
        "table-name": TableOption(Kind.TEXT, doc="The table in the database.", required=True),
        "driver": TableOption(Kind.TEXT, doc="Class of the driver; by default the one that knows the URL."),
        "username": TableOption(Kind.TEXT, doc="Who asks."),
        "password": TableOption(Kind.TEXT, doc="The password."),
        "connection.max-retry-timeout": TableOption(
            Kind.DURATION, "60 s", doc="How long a connection is looked at before it counts as broken."
        ),
        "lookup.cache": TableOption(
            Kind.CHOICE, "NONE", ("NONE", "PARTIAL"), doc="Remember answers.", uses=Use.LOOKUP, passive=True
        ),
        "lookup.max-retries": _cached(Kind.INTEGER, "How often a question that fails is asked again.", "3"),
        "lookup.partial-cache.max-rows": _cached(
            Kind.POSITIVE, "How many answers are remembered.", fallbacks=("lookup.cache.max-rows",)
        ),
        "lookup.partial-cache.expire-after-write": _cached(
            Kind.DURATION, "How long after it was given an answer is remembered.", fallbacks=("lookup.cache.ttl",)
        ),
        "lookup.partial-cache.expire-after-access": _cached(
            Kind.DURATION, "How long after it was last needed an answer is remembered."
        ),
        "lookup.partial-cache.cache-missing-key": _cached(
            Kind.BOOLEAN, "Remember that there was no row.", "true", ("lookup.cache.caching-missing-key",)
        ),
        "lookup.cache.max-rows": _older(Kind.POSITIVE, "lookup.partial-cache.max-rows"),
        "lookup.cache.ttl": _older(Kind.DURATION, "lookup.partial-cache.expire-after-write"),
        "lookup.cache.caching-missing-key": _older(Kind.BOOLEAN, "lookup.partial-cache.cache-missing-key"),
        "compatible-mode": tuning(Kind.TEXT, "The dialect of a database that is like another.", Use.ANY),
        "scan.partition.column": tuning(Kind.TEXT, "The column that parts of the table are told by.", Use.SOURCE),
        "scan.partition.num": tuning(Kind.INTEGER, "The number of parts.", Use.SOURCE),
        "scan.partition.lower-bound": tuning(Kind.INTEGER, "The least value in the first part.", Use.SOURCE),
        "scan.partition.upper-bound": tuning(Kind.INTEGER, "The largest value in the last part.", Use.SOURCE),
        "scan.fetch-size": tuning(Kind.INTEGER, "Rows that are fetched at once.", Use.SOURCE),
        "scan.auto-commit": tuning(Kind.BOOLEAN, "Read with auto-commit.", Use.SOURCE),
        "sink.buffer-flush.max-rows": tuning(Kind.INTEGER, "Rows that are written at once."),
        "sink.buffer-flush.interval": tuning(Kind.DURATION, "After how long rows are written."),
        "sink.max-retries": tuning(Kind.INTEGER, "How often writing is tried again."),
        "sink.parallelism": SINK_PARALLELISM,
    },
    lookup=LookupSpec(caches=True),
    place=("url", "table-name"),
)
