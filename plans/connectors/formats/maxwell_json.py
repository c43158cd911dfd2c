"""The format `maxwell-json`. Source: Flink's page "Maxwell"."""

from __future__ import annotations

from compiled_plan.plans.connectors.columns import changelog_json
from compiled_plan.plans.connectors.spec import Metadata
from compiled_plan.plans.types import STRING, ArrayType, TimestampLtzType

_MOMENT = TimestampLtzType(precision=3)

SPEC = changelog_json(
    "maxwell-json",
    "A Maxwell event per line or message, with the row after a change and the replaced values.",
    {
        "database": Metadata(STRING, "The database."),
        "table": Metadata(STRING, "The table."),
        "primary-key-columns": Metadata(ArrayType(element=STRING), "The primary key's columns."),
        "ingestion-timestamp": Metadata(_MOMENT, "Time at which the connector processed the event."),
    },
)
