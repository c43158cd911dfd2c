"""The format `debezium-json`. Source: Flink's page "Debezium"."""

from __future__ import annotations

from compiled_plan.plans.connectors.columns import json_columns
from compiled_plan.plans.connectors.common import JSON_OPTIONS, flag
from compiled_plan.plans.connectors.format_spec import FormatSpec
from compiled_plan.plans.connectors.spec import Metadata
from compiled_plan.plans.connectors.table_options import Use
from compiled_plan.plans.types import STRING, MapType, TimestampLtzType
from compiled_plan.plans.types.changelog import ChangelogMode

_MOMENT = TimestampLtzType(precision=3)

SPEC = FormatSpec(
    "debezium-json",
    "An event of Debezium a line, with the row before and the row after a change.",
    {**JSON_OPTIONS, "schema-include": flag("Events have their schema beside them.", uses=Use.SOURCE)},
    reads=ChangelogMode.ALL,
    writes=ChangelogMode.ALL,
    metadata={
        "schema": Metadata(STRING, "The event's schema."),
        "ingestion-timestamp": Metadata(_MOMENT, "When the connector handled the event."),
        "source.timestamp": Metadata(_MOMENT, "When the database made the change."),
        "source.database": Metadata(STRING, "The database."),
        "source.schema": Metadata(STRING, "Its schema."),
        "source.table": Metadata(STRING, "The table."),
        "source.properties": Metadata(MapType(key=STRING, value=STRING), "All that is said of the source."),
    },
    extension="json",
    only_read=("schema-include",),
    messages=True,
    unfit=json_columns("debezium-json"),
)
