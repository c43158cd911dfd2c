"""The format `ogg-json`. Source: Flink's page "Ogg"."""

from __future__ import annotations

from compiled_plan.plans.connectors.columns import changelog_json
from compiled_plan.plans.connectors.spec import Metadata
from compiled_plan.plans.types import STRING, ArrayType, TimestampLtzType

_MOMENT = TimestampLtzType(precision=6)

SPEC = changelog_json(
    "ogg-json",
    "An Oracle GoldenGate event per line or message, with the row before and after a change.",
    {
        "table": Metadata(STRING, "The table, with its schema."),
        "primary-keys": Metadata(ArrayType(element=STRING), "The primary key's columns."),
        "ingestion-timestamp": Metadata(_MOMENT, "Time at which the connector processed the event."),
        "event-timestamp": Metadata(_MOMENT, "Time of the change in the database."),
    },
)
