"""The connector `upsert-kafka`: its plans are compiled and read, and refused when they are run."""

from __future__ import annotations

from compiled_plan.plans.connectors.specs.upsert_kafka import SPEC
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.connectors.base import (
    Sink,
    SinkContext,
    Source,
    SourceContext,
    TableSpec,
    sink_connector,
    source_connector,
)


@source_connector(SPEC)
def source(table: TableSpec, context: SourceContext) -> Source:
    """Refuse a table.

    Raises:
        UnsupportedError: always.
    """
    raise _refusal(table)


@sink_connector(SPEC)
def sink(table: TableSpec, context: SinkContext) -> Sink:
    """Refuse a table.

    Raises:
        UnsupportedError: always.
    """
    raise _refusal(table)


def _refusal(table: TableSpec) -> UnsupportedError:
    return UnsupportedError(
        "connector 'upsert-kafka' does not run yet: its plans are compiled, checked and compared",
        where=f"table {table.identifier}",
        remedy="run the plan in Flink, or on files of the messages",
    )
