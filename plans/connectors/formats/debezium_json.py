"""The format `debezium-json`. Source: Flink's page "Debezium"."""

from __future__ import annotations

from compiled_plan.plans.connectors.columns import changelog_json
from compiled_plan.plans.connectors.common import flag
from compiled_plan.plans.connectors.spec import Metadata
from compiled_plan.plans.connectors.table_options import Use
from compiled_plan.plans.types import STRING, MapType, TimestampLtzType

_MOMENT = TimestampLtzType(precision=3)

SPEC = changelog_json(
    "debezium-json",
    "A Debezium event per line or message, with the row before and after a change.",
    {
        "schema": Metadata(STRING, "The event's schema."),
        "ingestion-timestamp": Metadata(_MOMENT, "Time at which the connector processed the event."),
        "source.timestamp": Metadata(_MOMENT, "Time of the change in the database."),
        "source.database": Metadata(STRING, "The database."),
        "source.schema": Metadata(STRING, "The database schema."),
        "source.table": Metadata(STRING, "The table."),
        "source.properties": Metadata(MapType(key=STRING, value=STRING), "All properties of the source."),
    },
    options={"schema-include": flag("Events include their schema.", uses=Use.SOURCE)},
    only_read=("schema-include",),
)
