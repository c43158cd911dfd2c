"""What does not run in real-time mode: each reason by its name, with what to do instead.

All of it is known from the plan alone, so that it is refused before Spark starts.
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

#: The connectors whose tables are read in this mode.
SOURCES = frozenset({"kafka", "upsert-kafka", "datagen"})
#: The connectors whose tables are written in this mode.
SINKS = frozenset({"kafka", "upsert-kafka", "jdbc", "filesystem", "print", "blackhole"})
_WHOLE_FILES = frozenset({"parquet", "orc", "avro"})
_INSTEAD = "run it in micro-batches: leave --trigger real-time out"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why plans do not run in real-time mode.

    Args:
        name: for messages and the docs.
        text: one sentence for the docs.
        remedy: what to do instead.
        find: what of a plan it holds for, as errors.
    """

    name: str
    text: str
    remedy: str
    find: Callable[[PreparedPlan, Reason], Iterator[UnsupportedError]]

    def of(self, table: TableSpec, what: str = "") -> UnsupportedError:
        """The error about a table."""
        return UnsupportedError(
            f"real-time mode: {what or self.text}", where=f"table {table.identifier}", remedy=self.remedy
        )


def check(prepared: PreparedPlan, host: str) -> None:
    """Refuse what does not run in real-time mode.

    Args:
        host: the Spark operator that hosts the stages.

    Raises:
        UnsupportedError: the first thing that does not run; names it.
    """
    if host != TRANSFORM:
        raise UnsupportedError(
            f"real-time mode: Spark runs no {host} in it", remedy="leave --host out, or run it in micro-batches"
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
        if node.id in prepared.layout.levels and needs_step(node):
            yield refuse(node, f"a Python function in real-time mode: {reason.text}", reason.remedy)


def _values(prepared: PreparedPlan, reason: Reason) -> Iterator[UnsupportedError]:
    for node in prepared.values.values():
        yield refuse(node, f"constant rows in real-time mode: {reason.text}", reason.remedy)


def _same(prepared: PreparedPlan, reason: Reason) -> Iterator[UnsupportedError]:
    seen: dict[tuple[tuple[str, str], ...], TableSpec] = {}
    for table in _sources(prepared):
        other = seen.setdefault(tuple(sorted(table.options.items())), table)
        if other is not table and _connector(table) != "datagen":
            yield reason.of(table, f"it is read as {other.identifier}, too, by the same options")


def _of_tables(
    tables: Callable[[PreparedPlan], list[TableSpec]], fault: Callable[[TableSpec], str | bool]
) -> Callable[[PreparedPlan, Reason], Iterator[UnsupportedError]]:
    """Finds tables by `fault`: False for none, True for one as the reason's text says it, else its own text."""

    def find(prepared: PreparedPlan, reason: Reason) -> Iterator[UnsupportedError]:
        for table in tables(prepared):
            what = fault(table)
            if what:
                yield reason.of(table, what if isinstance(what, str) else "")

    return find


def _not_streaming(table: TableSpec) -> str:
    return "" if _connector(table) in SOURCES else f"the connector {_connector(table)!r} gives no rows one by one"


def _no_row_sink(table: TableSpec) -> str:
    return "" if _connector(table) in SINKS else f"the connector {_connector(table)!r} takes no rows one by one"


def _whole_file(table: TableSpec) -> str:
    name = table.options.get("format", "") if _connector(table) == "filesystem" else ""
    return f"a file of format {name!r} is written as a whole, not line by line" if name in _WHOLE_FILES else ""


#: All reasons, in the order in which they are looked for.
REASONS = (
    Reason("CURRENT_WATERMARK", "CURRENT_WATERMARK is known in micro-batches alone", _INSTEAD, _current_watermark),
    Reason(
        "the end of event time",
        "the input has no end in event time, so that its last windows would never close",
        _INSTEAD,
        _end_of_time,
    ),
    Reason("Python functions", "scalar and table functions run in workers that take whole batches", _INSTEAD, _python),
    Reason("constant rows", "VALUES are read in micro-batches alone", "write them into a topic of Kafka", _values),
    Reason(
        "sources",
        "a source gives rows as they come: kafka, upsert-kafka and datagen do",
        _INSTEAD,
        _of_tables(_sources, _not_streaming),
    ),
    Reason(
        "bounded topics",
        "a topic has no end here",
        "leave 'scan.bounded.mode' out",
        _of_tables(
            _sources,
            lambda table: connector_spec(_connector(table)) is not None and "scan.bounded.mode" in table.options,
        ),
    ),
    Reason(
        "dead letters",
        "records that cannot be read are not put aside",
        "leave 'dead-letter.path' or 'dead-letter.table' out",
        _of_tables(_sources, lambda table: puts_aside(table.options)),
    ),
    Reason("one source twice", "Spark reads no two sources of the same options", "read one table twice", _same),
    Reason(
        "sinks",
        "a sink takes rows as they come: kafka, upsert-kafka, jdbc, filesystem, print and blackhole do",
        _INSTEAD,
        _of_tables(_sinks, _no_row_sink),
    ),
    Reason(
        "transactions",
        "a transaction would show its messages when the batch ends, and a batch that runs again has other messages",
        "set 'sink.delivery-guarantee' = 'at-least-once', or run it in micro-batches",
        _of_tables(_sinks, lambda table: table.options.get("sink.delivery-guarantee", "").lower() == "exactly-once"),
    ),
    Reason(
        "tables without a key",
        "a batch that runs again has other rows, so that a database cannot tell which it has",
        "declare a PRIMARY KEY, or run it in micro-batches",
        _of_tables(_sinks, lambda table: _connector(table) == "jdbc" and not table.primary_key),
    ),
    Reason(
        "whole files",
        "files are written line by line: avro, orc and parquet are not",
        "choose json or csv",
        _of_tables(_sinks, _whole_file),
    ),
    Reason(
        "folders",
        "PARTITIONED BY is written in micro-batches alone",
        "leave PARTITIONED BY out",
        _of_tables(_sinks, lambda table: _connector(table) == "filesystem" and bool(table.partition_keys)),
    ),
)
