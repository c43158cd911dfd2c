"""Check of the options that a node was planned with: those that a run reads must have supported values.

Source: the options that Flink 2.3 persists in its plans. Other options are preserved unchecked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from compiled_plan.plans.findings import Fault, refusal
from compiled_plan.plans.text import zones
from compiled_plan.plans.text.durations import parse_duration
from compiled_plan.plans.text.options import Kind, Option

_LEGACY_CAST = "table.exec.legacy-cast-behaviour"
NOT_NULL = "table.exec.sink.not-null-enforcer"
TYPE_LENGTH = "table.exec.sink.type-length-enforcer"
NESTED = "table.exec.sink.nested-constraint-enforcer"
#: The freshness of a materialized table, in the configuration of its sink: the time between the micro-batches that fill
#: it. Flink has no such option, and ignores it.
FRESHNESS = "materialized-table.freshness"
_SWITCH = Option(Kind.BOOLEAN)
OPTIONS: Mapping[str, Option] = {
    FRESHNESS: Option(Kind.DURATION),
    NOT_NULL: Option(Kind.CHOICE, "ERROR", ("ERROR", "DROP")),
    TYPE_LENGTH: Option(Kind.CHOICE, "IGNORE", ("IGNORE", "TRIM_PAD", "ERROR")),
    NESTED: Option(Kind.CHOICE, "IGNORE", ("IGNORE", "ROWS", "ROWS_AND_COLLECTIONS")),
    "table.exec.sink.keyed-shuffle": Option(Kind.CHOICE, "AUTO", ("NONE", "AUTO", "FORCE")),
    "table.exec.sink.upsert-materialize": Option(Kind.CHOICE, "AUTO", ("NONE", "AUTO", "FORCE")),
    "table.exec.sink.rowtime-inserter": Option(Kind.CHOICE, "ENABLED", ("ENABLED", "DISABLED")),
    "table.exec.deduplicate.insert-update-after-sensitive-enabled": _SWITCH,
    "table.exec.deduplicate.mini-batch.compact-changes-enabled": _SWITCH,
    "table.exec.mini-batch.enabled": _SWITCH,
    "table.exec.mini-batch.size": Option(Kind.INTEGER),
    "table.exec.mini-batch.allow-latency": Option(Kind.DURATION),
    "table.exec.rank.topn-cache-size": Option(Kind.INTEGER),
    "table.exec.source.idle-timeout": Option(Kind.DURATION),
    "table.exec.state.ttl": Option(Kind.DURATION),
}


def freshness_of(configurations: Iterable[Mapping[str, str]]) -> str:
    """The shortest freshness in the configurations of a plan's nodes, as written; empty without any."""
    written = [text for configuration in configurations if (text := configuration.get(FRESHNESS))]
    return min(written, key=parse_duration, default="")


def configuration_faults(configuration: Mapping[str, str]) -> Iterator[Fault]:
    """Options of a node with invalid values."""
    for key, value in configuration.items():
        remedy = OPTIONS[key].unfit(key, value) if key in OPTIONS else None
        if key == "table.local-time-zone" and value != "default" and not zones.is_zone(value):
            remedy = zones.REMEDY
        if remedy is not None:
            yield Fault(("configuration", key), f"invalid value {value!r} for the option {key!r}", remedy, value)
        elif key == _LEGACY_CAST and value.upper() != "DISABLED":
            yield refusal(("configuration", key), f"{key} = {value}", "set DISABLED", value)
    if [configuration.get(key, "").upper() for key in (TYPE_LENGTH, NESTED)] == ["TRIM_PAD", "ROWS_AND_COLLECTIONS"]:
        message = f"{TYPE_LENGTH} = TRIM_PAD with {NESTED} = ROWS_AND_COLLECTIONS"
        remedy = "set ERROR, or ROWS: values within collections are not cut or padded"
        yield refusal(("configuration", NESTED), message, remedy, configuration[NESTED])
