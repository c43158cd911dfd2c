"""The format `ogg-json`. Source: Flink's page "Ogg"."""

from __future__ import annotations

from compiled_plan.plans.connectors.columns import changelog_json
from compiled_plan.plans.connectors.spec import Metadata
from compiled_plan.plans.types import STRING, ArrayType, TimestampLtzType

_MOMENT = TimestampLtzType(precision=6)

SPEC = changelog_json(
    "ogg-json",
    "An event of Oracle GoldenGate a line, with the row before and the row after a change.",
    {
        "table": Metadata(STRING, "The table, with its schema."),
        "primary-keys": Metadata(ArrayType(element=STRING), "The primary key's columns."),
        "ingestion-timestamp": Metadata(_MOMENT, "When the connector handled the event."),
        "event-timestamp": Metadata(_MOMENT, "When the database made the change."),
    },
)
