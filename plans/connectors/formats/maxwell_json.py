"""The format `maxwell-json`. Source: Flink's page "Maxwell"."""

from __future__ import annotations

from compiled_plan.plans.connectors.columns import changelog_json
from compiled_plan.plans.connectors.spec import Metadata
from compiled_plan.plans.types import STRING, ArrayType, TimestampLtzType

_MOMENT = TimestampLtzType(precision=3)

SPEC = changelog_json(
    "maxwell-json",
    "An event of Maxwell a line, with the row after a change and what it changed.",
    {
        "database": Metadata(STRING, "The database."),
        "table": Metadata(STRING, "The table."),
        "primary-key-columns": Metadata(ArrayType(element=STRING), "The primary key's columns."),
        "ingestion-timestamp": Metadata(_MOMENT, "When the connector handled the event."),
    },
)
