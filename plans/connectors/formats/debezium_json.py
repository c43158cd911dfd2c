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
    "An event of Debezium a line, with the row before and the row after a change.",
    {
        "schema": Metadata(STRING, "The event's schema."),
        "ingestion-timestamp": Metadata(_MOMENT, "When the connector handled the event."),
        "source.timestamp": Metadata(_MOMENT, "When the database made the change."),
        "source.database": Metadata(STRING, "The database."),
        "source.schema": Metadata(STRING, "Its schema."),
        "source.table": Metadata(STRING, "The table."),
        "source.properties": Metadata(MapType(key=STRING, value=STRING), "All that is said of the source."),
    },
    options={"schema-include": flag("Events have their schema beside them.", uses=Use.SOURCE)},
    only_read=("schema-include",),
)
