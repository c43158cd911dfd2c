"""Restrictions of real-time mode: each reason with a name and a remedy.

All of them follow from the plan alone, and are checked before Spark starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from compiled_plan.plans.connectors.dead_letters import puts_aside
from compiled_plan.plans.connectors.registry import connector_spec
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.interfaces.connectors import TableSpec
from compiled_plan.plans.execution.operators.base import refuse
from compiled_plan.plans.execution.session.options import TRANSFORM
from compiled_plan.plans.execution.stages.prepared import PreparedPlan, table_spec
from compiled_plan.plans.inspection.placement import needs_step
from compiled_plan.plans.nodes.lookup import LookupJoin

#: The connectors with sources in this mode.
SOURCES = frozenset({"kafka", "upsert-kafka", "datagen"})
#: The connectors with sinks in this mode.
SINKS = frozenset({"kafka", "upsert-kafka", "jdbc", "filesystem", "print", "blackhole"})
_WHOLE_FILES = frozenset({"parquet", "orc", "avro"})
_INSTEAD = "run it in micro-batches: leave --trigger real-time out"


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason for which a plan does not run in real-time mode.

    Args:
        name: for messages and the docs.
        text: one sentence for the docs.
        remedy: what to do instead.
        find: returns the parts of a plan to which it applies, as errors.
    """

    name: str
    text: str
    remedy: str
    find: Callable[[PreparedPlan, Reason], Iterator[UnsupportedError]]

    def of(self, table: TableSpec, message: str = "") -> UnsupportedError:
        """The error about a table."""
        return UnsupportedError(
            f"real-time mode: {message or self.text}", where=f"table {table.identifier}", remedy=self.remedy
        )


def check(prepared: PreparedPlan, host: str) -> None:
    """Raise if a plan does not run in real-time mode.

    Args:
        prepared: the plan.
        host: the Spark operator that hosts the stages.

    Raises:
        UnsupportedError: the first part that does not run; names it.
    """
    if host != TRANSFORM:
        raise UnsupportedError(
            f"real-time mode does not support the host {host}", remedy="leave --host out, or run it in micro-batches"
        )
    for reason in REASONS:
        for error in reason.find(prepared, reason):
            raise error


def _sources(prepared: PreparedPlan) -> list[TableSpec]:
    return [table.table for _, table in sorted(prepared.tables.items())]


def _sinks(prepared: PreparedPlan) -> list[TableSpec]:
    return [table_spec(sink) for sink in prepared.sinks]


def _connector(table: TableSpec) -> str:
    return table.options.get("connector", "")


def _current_watermark(prepared: PreparedPlan, reason: Reason) -> Iterator[UnsupportedError]:
    if prepared.reads_watermark:
        yield UnsupportedError(f"real-time mode: {reason.text}", remedy=reason.remedy)


def _end_of_time(prepared: PreparedPlan, reason: Reason) -> Iterator[UnsupportedError]:
    for table in _sources(prepared) if prepared.event_time else []:
        if "number-of-rows" in table.options or "sequence" in table.options.values():
            yield reason.of(table)


def _python(prepared: PreparedPlan, reason: Reason) -> Iterator[UnsupportedError]:
    for node in prepared.plan.nodes:
        if node.id in prepared.layout.levels and needs_step(node) and not isinstance(node, LookupJoin):
            yield refuse(node, f"a Python function in real-time mode: {reason.text}", reason.remedy)


def _whole_lookups(prepared: PreparedPlan, reason: Reason) -> Iterator[UnsupportedError]:
    for node in prepared.plan.nodes:
        if isinstance(node, LookupJoin) and needs_step(node):
            yield refuse(node, f"a lookup in a table of a lake in real-time mode: {reason.text}", reason.remedy)


def _values(prepared: PreparedPlan, reason: Reason) -> Iterator[UnsupportedError]:
    for node in prepared.values.values():
        yield refuse(node, f"constant rows in real-time mode: {reason.text}", reason.remedy)


def _not_streaming(prepared: PreparedPlan, reason: Reason) -> Iterator[UnsupportedError]:
    for table in _sources(prepared):
        if _connector(table) not in SOURCES:
            yield reason.of(table, f"the connector {_connector(table)!r} does not emit single rows")


def _ends(prepared: PreparedPlan, reason: Reason) -> Iterator[UnsupportedError]:
    for table in _sources(prepared):
        spec = connector_spec(_connector(table))
        if spec is not None and "scan.bounded.mode" in table.options:
            yield reason.of(table)


def _dead_letters(prepared: PreparedPlan, reason: Reason) -> Iterator[UnsupportedError]:
    return (reason.of(table) for table in _sources(prepared) if puts_aside(table.options))


def _late_rows(prepared: PreparedPlan, reason: Reason) -> Iterator[UnsupportedError]:
    return (reason.of(table_spec(late.sink)) for late in prepared.late)


def _same(prepared: PreparedPlan, reason: Reason) -> Iterator[UnsupportedError]:
    seen: dict[tuple[tuple[str, str], ...], TableSpec] = {}
    for table in _sources(prepared):
        first = seen.setdefault(tuple(sorted(table.options.items())), table)
        if first is not table and _connector(table) != "datagen":
            yield reason.of(table, f"it is read as {first.identifier}, too, by the same options")


def _no_row_sink(prepared: PreparedPlan, reason: Reason) -> Iterator[UnsupportedError]:
    for table in _sinks(prepared):
        if _connector(table) not in SINKS:
            yield reason.of(table, f"the connector {_connector(table)!r} does not accept single rows")


def _transactions(prepared: PreparedPlan, reason: Reason) -> Iterator[UnsupportedError]:
    for table in _sinks(prepared):
        if table.options.get("sink.delivery-guarantee", "").lower() == "exactly-once":
            yield reason.of(table)


def _appends(prepared: PreparedPlan, reason: Reason) -> Iterator[UnsupportedError]:
    return (reason.of(table) for table in _sinks(prepared) if _connector(table) == "jdbc" and not table.primary_key)


def _files(prepared: PreparedPlan, reason: Reason) -> Iterator[UnsupportedError]:
    for table in _sinks(prepared):
        if _connector(table) != "filesystem":
            continue
        name = table.options.get("format", "")
        if name in _WHOLE_FILES:
            yield reason.of(table, f"a file of format {name!r} is written as a whole, not line by line")


def _folders(prepared: PreparedPlan, reason: Reason) -> Iterator[UnsupportedError]:
    for table in _sinks(prepared):
        if _connector(table) == "filesystem" and table.partition_keys:
            yield reason.of(table)


#: All reasons, in the order in which they are checked.
REASONS = (
    Reason("CURRENT_WATERMARK", "CURRENT_WATERMARK is available only in micro-batches", _INSTEAD, _current_watermark),
    Reason(
        "the end of event time",
        "the input has no end in event time, so that its last windows would never close",
        _INSTEAD,
        _end_of_time,
    ),
    Reason("Python functions", "scalar and table functions run in workers that take whole batches", _INSTEAD, _python),
    Reason(
        "lookups in Delta and Iceberg tables",
        "they join a micro-batch with the newest rows of the table",
        "look up a table of connector 'jdbc'",
        _whole_lookups,
    ),
    Reason("constant rows", "VALUES are read only in micro-batches", "write them into a topic of Kafka", _values),
    Reason(
        "sources",
        "a source must emit rows as they arrive: kafka, upsert-kafka and datagen do",
        _INSTEAD,
        _not_streaming,
    ),
    Reason("bounded topics", "a topic has no end here", "leave 'scan.bounded.mode' out", _ends),
    Reason(
        "dead letters",
        "dead letters are not supported",
        "leave 'dead-letter.path' or 'dead-letter.table' out",
        _dead_letters,
    ),
    Reason(
        "late rows",
        "tables for late rows are not supported",
        "leave 'late.table' and the hint LATE_ROWS out, or run it in micro-batches",
        _late_rows,
    ),
    Reason("one source twice", "Spark reads no two sources of the same options", "read one table twice", _same),
    Reason(
        "sinks",
        "a sink must write rows as they arrive: kafka, upsert-kafka, jdbc, filesystem, print and blackhole do",
        _INSTEAD,
        _no_row_sink,
    ),
    Reason(
        "transactions",
        "a transaction would show its messages when the batch ends, and a batch that runs again has other messages",
        "set 'sink.delivery-guarantee' = 'at-least-once', or run it in micro-batches",
        _transactions,
    ),
    Reason(
        "tables without a key",
        "a batch that runs again has other rows, so that a database cannot tell which it has",
        "declare a PRIMARY KEY, or run it in micro-batches",
        _appends,
    ),
    Reason(
        "whole files", "files are written line by line: avro, orc and parquet are not", "choose json or csv", _files
    ),
    Reason("folders", "PARTITIONED BY is written only in micro-batches", "leave PARTITIONED BY out", _folders),
)
